// The flags that say which column of a table is what; shared by replay and calibrate.

import type { TableSpec } from '@primo/lab/node'
import type { Command } from 'commander'
import { names, realNumber, UsageError } from './output.js'

export interface TableFlags {
  readonly context: string[]
  readonly covariate: string
  readonly observed?: string
  readonly prediction?: string
  readonly rewards?: string[]
  readonly means?: string[]
  readonly rewardRange?: readonly [number, number]
  readonly meanRange?: readonly [number, number]
  readonly ranges?: Readonly<Record<string, readonly [number, number]>>
  readonly interactions?: 'none' | 'all' | string[][]
}

export function addTableFlags(command: Command): Command {
  return command
    .requiredOption('--context <columns>', 'context columns, separated by commas', names)
    .requiredOption('--covariate <column>', 'the covariate that is sometimes missing')
    .option('--observed <column>', '1 where the covariate was observed, 0 where not; default: an empty cell is missing')
    .option('--prediction <column>', 'the pre-trained model’s prediction of the covariate')
    .option(
      '--ranges <list>',
      'ranges of numeric columns, such as x1=-1..1,age=18..95 (default: the table’s extremes)',
      ranges,
    )
}

export function addRewardFlags(command: Command): Command {
  return command
    .requiredOption('--rewards <columns>', 'realised reward of each action', names)
    .option('--means <columns>', 'true mean reward of each action; regret is then computed from them', names)
    .option('--reward-range <lo,hi>', 'range of the rewards (default: the table’s extremes)', pair('--reward-range'))
    .option(
      '--mean-range <lo,hi>',
      'range of the mean reward, gamma’s unit (default: the reward range)',
      pair('--mean-range'),
    )
    .option('--interactions <list>', 'none, all, or products such as z:x1,z:z:x2', interactions)
}

export function tableSpecOf(flags: TableFlags): TableSpec {
  const {
    context,
    covariate,
    observed,
    prediction,
    rewards,
    means,
    rewardRange,
    meanRange,
    ranges: declared,
    interactions: products,
  } = flags
  return {
    context,
    covariate,
    ...(observed === undefined ? {} : { observed }),
    ...(prediction === undefined ? {} : { prediction }),
    ...(rewards === undefined ? {} : { rewards }),
    ...(means === undefined ? {} : { means }),
    ...(rewardRange === undefined ? {} : { rewardRange }),
    ...(meanRange === undefined ? {} : { meanRange }),
    ...(declared === undefined ? {} : { ranges: declared }),
    ...(products === undefined ? {} : { interactions: products }),
  }
}

function pair(flag: string): (text: string) => readonly [number, number] {
  return (text) => {
    const parts = text.split(',')
    if (parts.length !== 2) throw new UsageError(`${flag} must be lo,hi, got "${text}"`)
    const number = realNumber(flag)
    return [number(parts[0]!), number(parts[1]!)]
  }
}

function ranges(text: string): Readonly<Record<string, readonly [number, number]>> {
  return Object.fromEntries(
    names(text).map((entry) => {
      const match = /^(.+)=(.+)\.\.(.+)$/.exec(entry)
      if (match === null) throw new UsageError(`--ranges must be column=lo..hi, got "${entry}"`)
      const number = realNumber('--ranges')
      return [match[1]!, [number(match[2]!), number(match[3]!)]] as const
    }),
  )
}

function interactions(text: string): 'none' | 'all' | string[][] {
  return text === 'none' || text === 'all' ? text : names(text).map((product) => product.split(':'))
}
