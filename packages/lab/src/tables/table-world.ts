// A full-information table as a world: rounds in the same blocks as an environment's, so that any policy of the lab runs on
// it. The reward range that is not declared is that of the table, which the notes say.

import { checkProblem, type Interactions, type Problem, type RewardSpec } from '@primo/core'
import { BLOCK_ROUNDS, PrimoError, Random } from '@primo/numeric'
import type { WorldBlock } from '../environments/environment.js'
import {
  checkFilled,
  checkWithin,
  type Extremes,
  extremes,
  joinExtremes,
  numberColumn,
  rangeAround,
} from './encode-column.js'
import { type EncodedTable, encodeTable } from './encode-table.js'
import type { Table } from './table.js'
import type { TableSpec } from './table-spec.js'
import { rewardUnit } from './user-units.js'

export interface TableWorldOptions {
  /** 'file' (default): the rows as they stand; 'shuffled': a random order that is a function of the seed. */
  readonly order?: 'file' | 'shuffled'
  /** Default 0. */
  readonly seed?: number
}

export interface TableWorld {
  readonly problem: Problem
  readonly interactions: Interactions
  readonly rounds: number
  /** What was taken from the table because it was not declared, and what was left out. */
  readonly notes: readonly string[]
  /** Whether the table has the covariate's value in every row: only then can a policy that sees the truth be run. */
  readonly truthKnown: boolean
  /** Can be iterated any number of times. */
  readonly blocks: Iterable<WorldBlock>
}

/** A full-information table as rounds that any policy of the lab can decide. */
export function tableWorld(table: Table, spec: TableSpec, options: TableWorldOptions = {}): TableWorld {
  const { rewards } = spec
  if (rewards === undefined || rewards.length === 0) {
    throw new PrimoError('invalid-option', 'rewards must be one column per action, got none', { field: 'rewards' })
  }
  const encoded = encodeTable(table, spec)
  const notes = [...encoded.notes]
  for (const { covariate, missing } of encoded.unpredicted) {
    const { type } = encoded.covariates[covariate]!
    const middle =
      type === 'number' ? 'the middle of its range' : type === 'boolean' ? 'one half' : 'equal shares of its levels'
    notes.push(
      `${missing} values of ${covariate} are missing and there is no prediction: policies that use the model fill them with ${middle}`,
    )
  }
  const reward = rewardSpec(table, spec, rewards, notes)
  const problem = checkProblem({ context: encoded.context, covariates: encoded.covariates, actions: rewards, reward })
  const { toInside } = rewardUnit(reward.mean?.min ?? reward.min, reward.mean?.max ?? reward.max)
  const fill = (names: readonly string[], picked: Uint32Array): Float64Array => {
    const out = new Float64Array(picked.length * names.length)
    names.forEach((name, action) => {
      const { values } = numberColumn(table, name)
      for (let k = 0; k < picked.length; k++) out[k * names.length + action] = toInside(values[picked[k]!]!)
    })
    return out
  }
  const order = orderOf(table.rows, options)
  return {
    problem,
    interactions: spec.interactions ?? 'none',
    rounds: table.rows,
    notes,
    truthKnown: encoded.knownCount === table.rows,
    blocks: {
      *[Symbol.iterator]() {
        for (let first = 0; first < table.rows; first += BLOCK_ROUNDS) {
          yield makeBlock(encoded, order.subarray(first, first + BLOCK_ROUNDS), rewards, spec.means, fill)
        }
      },
    },
  }
}

function makeBlock(
  encoded: EncodedTable,
  picked: Uint32Array,
  rewards: readonly string[],
  means: readonly string[] | undefined,
  fill: (names: readonly string[], picked: Uint32Array) => Float64Array,
): WorldBlock {
  return {
    count: picked.length,
    ...encoded.rowsOf(picked),
    means: means === undefined ? null : fill(means, picked),
    rewards: fill(rewards, picked),
    floor: null,
    delay: null,
  }
}

/** Row numbers in the order of the rounds. */
function orderOf(rows: number, { order = 'file', seed = 0 }: TableWorldOptions): Uint32Array {
  if (order === 'shuffled') return Random.fromSeed(seed).split('table', 'order').permutation(rows)
  if (order === 'file') return Uint32Array.from({ length: rows }, (_, row) => row)
  throw new PrimoError('invalid-option', `order must be "file" or "shuffled", got "${order}"`, { field: 'order' })
}

function rewardSpec(table: Table, spec: TableSpec, rewards: readonly string[], notes: string[]): RewardSpec {
  const columns = [...rewards, ...(spec.means ?? [])]
  let found: Extremes | null = null
  for (const name of columns) {
    const column = numberColumn(table, name)
    checkFilled(table, name, column, 'every action has a reward in every row')
    found = joinExtremes(found, extremes(column.values))
  }
  const declared = spec.rewardRange
  const { low, high } = declared === undefined ? rangeAround(found!) : { low: declared[0], high: declared[1] }
  const range = { min: low, max: high }
  if (declared === undefined) {
    const widened = found!.low === found!.high ? ' (constant: range widened)' : ''
    notes.push(`reward range taken from the table: ${low} to ${high}${widened}`)
  } else for (const name of columns) checkWithin(table, name, numberColumn(table, name).values, range)
  return spec.meanRange === undefined ? range : { ...range, mean: { min: spec.meanRange[0], max: spec.meanRange[1] } }
}
