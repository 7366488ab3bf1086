// P(the reward is seen | x, z, a) of rounds whose time is over (method#missing-rewards): a logit of what the decision knew for all actions
// together, e(x), and one per action, e_a(x), which counts more the more rewards of the action were seen and were not, or by e(x) would be:
//   P_a(x) = lambda_a e_a(x) + (1 - lambda_a) e(x),   lambda_a = n_a / (n_a + 5 (columns + 1)),   n_a = min(seen, not seen).
// Windows close in the order of decisions: a round after the newest one without a reward may have more to come, and is not asked.

import type { BlockPart } from '../rounds/block-parts.js'
import { Observed, type RoundBlock, RoundStatus, type TableShape } from '../rounds/round-table.js'
import { fitObservation, type ObservationBatch } from './fit-observation.js'
import { type ObservationModel, type ObservationSettings, observationProbability } from './observation-model.js'

export interface RewardObservation {
  readonly pooled: ObservationModel
  /** By action, with what it counts beside the pooled one. */
  readonly actions: readonly { readonly model: ObservationModel; readonly trust: number }[]
}

/** Rounds whose time is over, in columns: what the decision knew, what it did, whether a reward came. */
export interface RewardFates {
  readonly width: number
  readonly batches: readonly FateBatch[]
}

export interface FateBatch extends ObservationBatch {
  readonly action: Uint16Array
  /** Where they stand. */
  readonly source: RoundBlock
  readonly rows: readonly number[]
}

const PER_COLUMN = 5

/** Columns: context, covariates as they were used, and whether each was known. */
function fateColumns({ contextWidth, covariateWidth, covariateCount }: TableShape): number {
  return contextWidth + covariateWidth + covariateCount
}

/** Writes what the decision of a row knew to out[at ...]. */
function writeFate(block: RoundBlock, row: number, shape: TableShape, out: Float64Array, at: number): void {
  const { contextWidth: p, covariateWidth: m, covariateCount: c } = shape
  let to = at
  for (let k = row * p; k < (row + 1) * p; k++) out[to++] = block.context[k]!
  for (let k = row * m; k < (row + 1) * m; k++) out[to++] = block.covariates[k]!
  for (let k = row * c; k < (row + 1) * c; k++) out[to++] = block.observed[k] === Observed.atDecision ? 1 : 0
}

/** The rounds whose time is over, with whether a reward came; null: every one did. */
export function rewardFates(parts: readonly BlockPart[], shape: TableShape): RewardFates | null {
  const width = fateColumns(shape)
  const newest = parts.findLast(({ block, start, end }) => lastDropped(block, start, end) >= 0)
  if (newest === undefined) return null
  const last = lastDropped(newest.block, newest.start, newest.end)
  const batches = parts.flatMap(({ block, start, end }) => {
    if (block.index > newest.block.index) return []
    const rows: number[] = []
    for (let row = start; row < (block === newest.block ? last + 1 : end); row++)
      if (block.status[row] === RoundStatus.closed || block.status[row] === RoundStatus.dropped) rows.push(row)
    if (rows.length === 0) return []
    const context = new Float64Array(rows.length * width)
    rows.forEach((row, i) => {
      writeFate(block, row, shape, context, i * width)
    })
    return {
      block: block.index,
      count: rows.length,
      context,
      observed: Uint8Array.from(rows, (row) => (block.status[row] === RoundStatus.closed ? 1 : 0)),
      action: Uint16Array.from(rows, (row) => block.action[row]!),
      source: block,
      rows,
    }
  })
  return { width, batches }
}

function lastDropped({ status }: RoundBlock, start: number, end: number): number {
  for (let row = end - 1; row >= start; row--) if (status[row] === RoundStatus.dropped) return row
  return -1
}

/** P(a reward comes | what the decision knew, action), from rounds whose time is over. */
export function fitRewardObservation(
  { width, batches }: RewardFates,
  actions: number,
  settings: ObservationSettings,
): RewardObservation {
  const pooled = fitObservation({ contextWidth: width, batches }, settings)
  return {
    pooled,
    actions: Array.from({ length: actions }, (_, a) => {
      const own = batches.flatMap((batch) => ofAction(batch, a, width))
      let seen = 0
      let expected = 0
      let count = 0
      for (const { observed, context } of own) {
        count += observed.length
        for (let row = 0; row < observed.length; row++) {
          seen += observed[row]!
          expected += observationProbability(pooled, context, row * width)
        }
      }
      // An action whose rewards all come is known not to be like the others by those that should be missing.
      const fewer = Math.max(Math.min(seen, count - seen), Math.min(expected, count - expected))
      const trust = fewer / (fewer + PER_COLUMN * (width + 1))
      return { model: fitObservation({ contextWidth: width, batches: own }, settings), trust }
    }),
  }
}

function ofAction(batch: FateBatch, a: number, width: number): readonly ObservationBatch[] {
  const rows: number[] = []
  for (let row = 0; row < batch.count; row++) if (batch.action[row] === a) rows.push(row)
  if (rows.length === 0) return []
  const context = new Float64Array(rows.length * width)
  rows.forEach((row, i) => {
    context.set(batch.context.subarray(row * width, (row + 1) * width), i * width)
  })
  const observed = Uint8Array.from(rows, (row) => batch.observed[row]!)
  return [{ block: batch.block, count: rows.length, context, observed }]
}

/** P(the reward of a row is seen), never below the floor that it was fitted with. */
export function compileRewardSeen({ pooled, actions }: RewardObservation, shape: TableShape) {
  const x = new Float64Array(fateColumns(shape))
  return (block: RoundBlock, row: number): number => {
    const { model, trust } = actions[block.action[row]!]!
    writeFate(block, row, shape, x, 0)
    return trust * observationProbability(model, x, 0) + (1 - trust) * observationProbability(pooled, x, 0)
  }
}
