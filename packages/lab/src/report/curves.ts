// Curves over seeds: at every number of rounds that all seeds of a policy recorded, the mean and its standard error.

import type { Checkpoint, EpochRow, RunRow } from '../runs/run-row.js'
import { type Estimate, estimate } from '../statistics/summarise.js'

export interface CurvePoint extends Estimate {
  readonly rounds: number
}

export interface PerRoundPoint extends CurvePoint {
  /** The rate is over the rounds after `from` up to `rounds`. */
  readonly from: number
}

/** Cumulative regret; empty where the regret is unknown. */
export function regretCurve(rows: readonly RunRow[]): readonly CurvePoint[] {
  return meanCurve(rows, ({ regret }) => regret)
}

/** Reward per round up to then, where the regret is unknown; else empty. */
export function rewardCurve(rows: readonly RunRow[]): readonly CurvePoint[] {
  const seeds = rows.map(
    ({ checkpoints }) =>
      new Map(checkpoints.map(({ rounds, reward }) => [rounds, reward === undefined ? null : reward / rounds])),
  )
  const [first, ...others] = seeds
  const common = [...(first?.keys() ?? [])].filter((rounds) => others.every((seed) => seed.has(rounds)))
  return common
    .sort((a, b) => a - b)
    .flatMap((rounds) => {
      const mean = estimateOf(seeds.map((seed) => seed.get(rounds) ?? null))
      return mean === null ? [] : [{ rounds, ...mean }]
    })
}

/** realised unavoidable regret of the same rounds; empty where it is unknown. */
export function floorCurve(rows: readonly RunRow[]): readonly CurvePoint[] {
  return meanCurve(rows, ({ floor }) => floor)
}

/** Cumulative regret minus the realised unavoidable regret of the same seed. */
export function excessCurve(rows: readonly RunRow[]): readonly CurvePoint[] {
  return meanCurve(rows, ({ regret, floor }) => (floor === null ? null : regret - floor))
}

/** Regret per round between checkpoints; those closer than `ratio` (default 1.15) are merged, since short spans are noise. */
export function perRoundCurve(
  rows: readonly RunRow[],
  options: { readonly of?: 'regret' | 'floor'; readonly ratio?: number } = {},
): readonly PerRoundPoint[] {
  const { of = 'regret', ratio = 1.15 } = options
  const seeds = rows.map((row) => new Map(checkpointsOf(row).map((point) => [point.rounds, point[of]])))
  const marks = thin(commonRounds(rows), ratio)
  return marks.flatMap((rounds, i) => {
    const from = marks[i - 1] ?? 0
    const rates = seeds.map((seed) => {
      const [start, end] = [from === 0 ? 0 : seed.get(from), seed.get(rounds)]
      return start == null || end == null ? null : (end - start) / (rounds - from)
    })
    const mean = estimateOf(rates)
    return mean === null ? [] : [{ from, rounds, ...mean }]
  })
}

/** A figure of the epochs by the rounds at their end. Epochs that end within the same half octave of rounds are taken together:
 * errors as the root of their mean square over rounds, gamma as the last. Doubling epochs stay single. */
export function epochCurve(
  rows: readonly RunRow[],
  figure: 'gamma' | 'imputationError' | 'pretrainedError',
): readonly CurvePoint[] {
  const spans = new Map<number, { rounds: number[]; values: number[] }>()
  for (const { epochs } of rows) {
    for (const [span, members] of groupEpochs(epochs)) {
      const value = figure === 'gamma' ? members.at(-1)!.epoch.gamma : rootMeanSquare(members, figure)
      if (value === null || !Number.isFinite(value)) continue
      const { rounds, values } = spans.get(span) ?? { rounds: [], values: [] }
      spans.set(span, { rounds: [...rounds, members.at(-1)!.epoch.rounds], values: [...values, value] })
    }
  }
  return [...spans]
    .sort(([a], [b]) => a - b)
    .map(([, { rounds, values }]) => ({ rounds: estimate(rounds)!.mean, ...estimate(values)! }))
}

interface WeighedEpoch {
  readonly epoch: EpochRow
  /** Rounds of this epoch alone. */
  readonly weight: number
}

function groupEpochs(epochs: readonly EpochRow[]): ReadonlyMap<number, readonly WeighedEpoch[]> {
  const spans = new Map<number, WeighedEpoch[]>()
  epochs.forEach((epoch, i) => {
    const weight = epoch.rounds - (epochs[i - 1]?.rounds ?? 0)
    if (weight <= 0) return
    const span = Math.floor(2 * Math.log2(epoch.rounds) + 1e-9)
    const members = spans.get(span) ?? []
    members.push({ epoch, weight })
    spans.set(span, members)
  })
  return spans
}

function rootMeanSquare(
  members: readonly WeighedEpoch[],
  figure: 'imputationError' | 'pretrainedError',
): number | null {
  let [square, weights] = [0, 0]
  for (const { epoch, weight } of members) {
    const value = epoch[figure]
    if (value === null) continue
    square += weight * value * value
    weights += weight
  }
  return weights === 0 ? null : Math.sqrt(square / weights)
}

function meanCurve(rows: readonly RunRow[], figure: (checkpoint: Checkpoint) => number | null): readonly CurvePoint[] {
  const seeds = rows.map((row) => new Map(checkpointsOf(row).map((point) => [point.rounds, figure(point)])))
  return commonRounds(rows).flatMap((rounds) => {
    const mean = estimateOf(seeds.map((seed) => seed.get(rounds) ?? null))
    return mean === null ? [] : [{ rounds, ...mean }]
  })
}

/** The row's checkpoints, and its end where they stop before it. */
export function checkpointsOf(row: RunRow): readonly Checkpoint[] {
  const { rounds, regret, floor, checkpoints } = row
  if (regret === null) return []
  return checkpoints.at(-1)?.rounds === rounds ? checkpoints : [...checkpoints, { rounds, regret, floor }]
}

function commonRounds(rows: readonly RunRow[]): readonly number[] {
  const [first, ...others] = rows.map((row) => new Set(checkpointsOf(row).map(({ rounds }) => rounds)))
  if (first === undefined) return []
  return [...first].filter((rounds) => rounds > 0 && others.every((set) => set.has(rounds))).sort((a, b) => a - b)
}

function estimateOf(values: readonly (number | null)[]): Estimate | null {
  const known = values.filter((value) => value !== null)
  return known.length === values.length ? estimate(known) : null
}

function thin(rounds: readonly number[], ratio: number): readonly number[] {
  const kept: number[] = []
  for (const value of rounds) if (value >= ratio * (kept.at(-1) ?? 0)) kept.push(value)
  const last = rounds.at(-1)
  if (last === undefined || kept.at(-1) === last) return kept
  return [...(kept.length > 1 ? kept.slice(0, -1) : kept), last]
}
