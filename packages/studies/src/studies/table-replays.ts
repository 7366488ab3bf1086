// Policies replayed on a classification table, several orders of its rows: the reward of an action is 1 if it is the right
// class, so the expected share of right choices is 1 - regret/rounds, over all rounds and over the last quarter of them.

import type { PolicySpec } from '@primo/lab'
import { formatEstimate, formatNumber, policyByName, runPolicy, summarise } from '@primo/lab'
import type { StudyPlot, StudyTable, Table, TableSpec } from '@primo/lab/node'
import { tableWorld } from '@primo/lab/node'

export interface ReplayPolicy {
  /** As tables and plots call it. */
  readonly name: string
  /** A name of the catalogue, or how the engine is set up and what it sees. */
  readonly policy: string | Pick<EnginePolicy, 'options' | 'sees'>
  /** Column of the prediction that it imputes with; absent: none. */
  readonly prediction?: string
}

type EnginePolicy = Extract<PolicySpec, { readonly kind: 'engine' }>

export interface ReplayInput {
  readonly policies: readonly ReplayPolicy[]
  readonly seeds: readonly number[]
  /** The table in the order of this seed, and what its columns are; rewards are 0 and 1. */
  readonly tableOf: (seed: number) => { readonly table: Table; readonly spec: TableSpec }
  readonly onProgress?: (share: number) => void
}

/** Shares of right choices by policy, one entry per seed. */
export interface ReplayShares {
  readonly name: string
  readonly all: readonly number[]
  readonly last: readonly number[]
  /** By window: rounds at its end and the share within it, per seed. */
  readonly curve: readonly { readonly rounds: number; readonly shares: readonly number[] }[]
}

const WINDOWS = 16

export async function replayShares(input: ReplayInput): Promise<readonly ReplayShares[]> {
  const { policies, seeds, tableOf, onProgress } = input
  const found = policies.map(({ name }) => ({
    name,
    all: [] as number[],
    last: [] as number[],
    curve: [] as { rounds: number; shares: number[] }[],
  }))
  let done = 0
  for (const seed of seeds) {
    const { table, spec } = tableOf(seed)
    for (const [which, { policy, prediction }] of policies.entries()) {
      const own: TableSpec = { ...spec, ...(prediction === undefined ? {} : { prediction }) }
      const world = tableWorld(table, { ...own, means: spec.rewards! })
      const rounds = world.rounds
      const every = Math.floor(rounds / WINDOWS)
      const { checkpoints } = runPolicy({
        spec: policySpec(policy, spec),
        problem: world.problem,
        world: world.blocks,
        seed,
        every,
      })
      const regretAt = new Map(checkpoints.map((point) => [point.rounds, point.regret]))
      const share = (from: number, to: number) =>
        1 - (regretAt.get(to)! - (from === 0 ? 0 : regretAt.get(from)!)) / (to - from)
      const into = found[which]!
      into.all.push(share(0, rounds))
      into.last.push(share(12 * every, rounds))
      for (let window = 1; window <= WINDOWS; window++) {
        into.curve[window - 1] ??= { rounds: window * every, shares: [] }
        into.curve[window - 1]!.shares.push(share((window - 1) * every, window * every))
      }
      onProgress?.(++done / (seeds.length * policies.length))
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return found
}

function policySpec(
  name: ReplayPolicy['policy'],
  { covariate, rewards, interactions = 'none' }: TableSpec,
): PolicySpec {
  if (typeof name !== 'string') return { name: 'engine', kind: 'engine', ...name }
  const products = typeof interactions === 'string' ? [] : interactions
  return policyByName(name, { actions: rewards!.length, covariates: [covariate!], interactions: products })
}

/** Shares in percent, and the difference of each from `against`, over the same orders. */
export function replayTable(title: string, shares: readonly ReplayShares[], against: string): StudyTable {
  const reference = shares.find(({ name }) => name === against)!
  return {
    title,
    header: ['policy', 'all rounds, %', 'last quarter, %', `less ${against}, all`, `less ${against}, last quarter`],
    rows: shares.map((one) => [
      one.name,
      percent(one.all),
      percent(one.last),
      one === reference ? '-' : percent(difference(one.all, reference.all)),
      one === reference ? '-' : percent(difference(one.last, reference.last)),
    ]),
  }
}

export function difference(one: readonly number[], other: readonly number[]): readonly number[] {
  return one.map((value, k) => value - other[k]!)
}

export function percent(shares: readonly number[]): string {
  const { mean, standardError, count } = summarise(shares)
  return count > 1
    ? formatEstimate({ mean: 100 * mean, standardError: 100 * standardError })
    : formatNumber(100 * mean, 4)
}

export function replayPlot(title: string, shares: readonly ReplayShares[], names: readonly string[]): StudyPlot {
  return {
    title,
    xLabel: 'decisions',
    yLabel: 'share right, %',
    series: shares
      .filter(({ name }) => names.includes(name))
      .map(({ name, curve }) => ({
        name,
        points: curve.map(({ rounds, shares: seeds }) => {
          const { mean, standardError } = summarise(seeds)
          const half = 196 * standardError
          return { x: rounds, y: 100 * mean, low: 100 * mean - half, high: 100 * mean + half }
        }),
      })),
  }
}
