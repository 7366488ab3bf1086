// Open rounds with all their signals (method#early-signals): the rewards that signals predict and the weights they have, and the rounds of
// a table with those in place of what is still to come. The table itself stays as it is.

import { fitSignalModel, type SignalModel, signalReward, signalWeight } from '../oracle/signal-model.js'
import type { Encoding } from '../problem/encoding.js'
import type { BlockPart } from '../rounds/block-parts.js'
import type { RewardBatch, RewardRows } from '../rounds/reward-rows.js'
import { allSignals, type RoundBlock, RoundStatus, type RoundTable, type TableShape } from '../rounds/round-table.js'

/** What signals added at one end of an epoch. */
export interface SignalsReport {
  /** Open rounds that counted, and their weights added up. */
  readonly rounds: number
  readonly weight: number
  /** Closed rounds behind the model, what its slope was shrunk to, and the share of the noise that it explains. */
  readonly closed: number
  readonly slope: number
  readonly explained: number
}

/** What signals say of open rounds. */
export interface EarlyRounds {
  readonly model: SignalModel
  readonly shape: TableShape
  /** By action, the weight of an open round. */
  readonly weights: readonly number[]
  readonly range: { readonly min: number; readonly max: number }
  readonly report: SignalsReport
}

/** null: signals say nothing, or of no open round. */
export function earlyRounds(
  parts: readonly BlockPart[],
  shape: TableShape,
  { signalWidth, actions }: Pick<Encoding, 'signalWidth' | 'actions'>,
  weightOf: (block: RoundBlock, row: number) => number,
): EarlyRounds | null {
  const range = { min: Number.POSITIVE_INFINITY, max: Number.NEGATIVE_INFINITY }
  eachClosed(parts, ({ reward }, row) => {
    range.min = Math.min(range.min, reward[row]!)
    range.max = Math.max(range.max, reward[row]!)
  })
  const halves = [0, 1].map((half) => closedHalf(parts, shape, actions.length, half, weightOf))
  const model = fitSignalModel(halves, signalWidth)
  if (model === null) return null
  const width = signalColumns(shape)
  const means = actions.map(() => new Float64Array(width))
  const counts = actions.map(() => 0)
  const row = new Float64Array(width)
  for (const { block, start, end } of parts)
    for (let at = start; at < end; at++) {
      if (!isEarly(block, at, signalWidth)) continue
      const a = block.action[at]!
      writeSignals(block, at, shape, row, 0)
      counts[a] = counts[a]! + 1
      for (let k = 0; k < width; k++) means[a]![k] = means[a]![k]! + (row[k]! - means[a]![k]!) / counts[a]!
    }
  const early = counts.reduce((sum, count) => sum + count, 0)
  if (early === 0) return null
  const weights = counts.map((count, a) => signalWeight(model, a, means[a]!, count))
  const { rows: closed, slope, explained } = model
  const weight = weights.reduce((sum, own, a) => sum + own * counts[a]!, 0)
  return { model, shape, weights, range, report: { rounds: early, weight, closed, slope, explained } }
}

/** An open round with all its signals. */
function isEarly(block: RoundBlock, row: number, signalWidth: number): boolean {
  return block.status[row] === RoundStatus.open && allSignals(block, row, signalWidth)
}

function signalColumns({ contextWidth, covariateWidth, signalWidth = 0 }: TableShape): number {
  return contextWidth + covariateWidth + signalWidth
}

function writeSignals(block: RoundBlock, row: number, shape: TableShape, out: Float64Array, at: number): void {
  const { contextWidth: p, covariateWidth: m, signalWidth: s = 0 } = shape
  let to = at
  for (let k = row * p; k < (row + 1) * p; k++) out[to++] = block.context[k]!
  for (let k = row * m; k < (row + 1) * m; k++) out[to++] = block.covariates[k]!
  for (let k = row * s; k < (row + 1) * s; k++) out[to++] = block.signals![k]!
}

/** Closed rounds with all their signals of even or odd number, [x, z, signals] as their context. */
function closedHalf(
  parts: readonly BlockPart[],
  shape: TableShape,
  actionCount: number,
  half: number,
  weightOf: (block: RoundBlock, row: number) => number,
): RewardRows {
  const width = signalColumns(shape)
  const batches = parts.flatMap(({ block, start, end }): readonly RewardBatch[] => {
    const rows: number[] = []
    for (let row = start; row < end; row++)
      if (row % 2 === half && block.status[row] === RoundStatus.closed && allSignals(block, row, shape.signalWidth!))
        rows.push(row)
    if (rows.length === 0) return []
    const context = new Float64Array(rows.length * width)
    rows.forEach((row, i) => {
      writeSignals(block, row, shape, context, i * width)
    })
    return [
      {
        block: block.index,
        count: rows.length,
        context,
        covariates: new Float64Array(0),
        observed: new Uint8Array(0),
        action: Uint16Array.from(rows, (row) => block.action[row]!),
        reward: Float64Array.from(rows, (row) => block.reward[row]!),
        weight: Float64Array.from(rows, (row) => weightOf(block, row)),
      },
    ]
  })
  const count = batches.reduce((sum, batch) => sum + batch.count, 0)
  return { contextWidth: width, covariateWidth: 0, actionCount, count, batches }
}

/** The table with open rounds that signals speak for closed, at the rewards they predict. */
export function withEarlyRounds(
  rounds: RoundTable,
  parts: readonly BlockPart[],
  { model, shape, weights, range }: EarlyRounds,
  counted: ReadonlyMap<number, Float64Array>,
): RoundTable {
  const blocks = [...rounds.blocks]
  const values = new Float64Array(signalColumns(shape))
  for (const { block, start, end } of parts) {
    const status = block.status.slice()
    const reward = block.reward.slice()
    for (let row = start; row < end; row++) {
      if (!isEarly(block, row, shape.signalWidth!)) continue
      const a = block.action[row]!
      writeSignals(block, row, shape, values, 0)
      status[row] = RoundStatus.closed
      reward[row] = Math.min(range.max, Math.max(range.min, signalReward(model, a, values, 0)))
      counted.get(block.index)![row] = weights[a]!
    }
    blocks[block.index] = Object.defineProperties({} as RoundBlock, {
      // A context may be elsewhere: it is read where it is asked for.
      ...Object.getOwnPropertyDescriptors(block),
      status: { value: status, enumerable: true },
      reward: { value: reward, enumerable: true },
    })
  }
  return rounds.withBlocks(rounds.shape, blocks)
}

export function eachClosed(parts: readonly BlockPart[], visit: (block: RoundBlock, row: number) => void): void {
  for (const { block, start, end } of parts)
    for (let row = start; row < end; row++) if (block.status[row] === RoundStatus.closed) visit(block, row)
}
