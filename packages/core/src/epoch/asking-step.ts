// How audits with a budget spend it until the next end (method#asking): the newest closed rounds with a missing value are imputed
// and judged by the policy that goes on, so that it asks for the budget on average.

import { BLOCK_ROUNDS } from '@primo/numeric'
import { askPace, askWorth } from '../engine/ask-probability.js'
import type { Engine } from '../engine/engine.js'
import type { EpochState } from '../engine/epoch-state.js'
import { compilePolicy } from '../engine/policy.js'
import { compileValueOfObserving } from '../engine/value-of-observing.js'
import { blockParts, type RoundRange } from '../rounds/block-parts.js'
import { Observed, type RoundBlock, RoundStatus, RoundTable, writeAside } from '../rounds/round-table.js'

/** Missing rows that the mean is taken over. */
const JUDGED_ROWS = 1024
/** With fewer the budget is spread evenly. */
const FEWEST_ROWS = 64

/** undefined: no audit has a budget. A state that decides in other columns keeps what it had. */
export function askingStep(
  state: EpochState,
  rounds: RoundTable,
  memory: RoundRange,
  engine: Engine,
  before: EpochState['asking'],
): EpochState['asking'] {
  const { covariates } = engine.encoding
  const budgets = covariates.map(({ feature }) => feature.audit?.budget)
  if (budgets.every((budget) => budget === undefined)) return undefined
  if (state.columns !== undefined) return before
  const value = compileValueOfObserving(engine, state)
  const policy = compilePolicy(engine, state)
  const table = new RoundTable(engine.shape)
  const scratch = table.block(table.append())
  return budgets.map((budget, which) => {
    if (budget === undefined) return null
    const { missing, asked } = askedSoFar(rounds, which)
    const pace = askPace(budget, missing, asked)
    if (value === null) return { worth: null, pace }
    const values: number[] = []
    for (const [block, row] of newestMissing(rounds, memory, which)) {
      copyRow(block, row, scratch, engine)
      policy.decide(scratch, 0, 0)
      const worth = value(scratch, 0, which)
      if (!Number.isNaN(worth)) values.push(worth)
      if (values.length === JUDGED_ROWS) break
    }
    return { worth: values.length < FEWEST_ROWS ? null : askWorth(values), pace }
  })
}

function askedSoFar({ blocks, count, shape }: RoundTable, which: number): { missing: number; asked: number } {
  let missing = 0
  let asked = 0
  for (const { index, status, observed } of blocks) {
    for (let row = 0; row < Math.min(BLOCK_ROUNDS, count - index * BLOCK_ROUNDS); row++) {
      const flag = observed[row * shape.covariateCount + which]
      if (flag === Observed.atDecision || status[row] === RoundStatus.voided) continue
      missing++
      if (flag === Observed.asked || flag === Observed.audited) asked++
    }
  }
  return { missing, asked }
}

/** Closed rows without this covariate at the decision, the newest first. */
function* newestMissing(
  rounds: RoundTable,
  memory: RoundRange,
  which: number,
): Iterable<readonly [RoundBlock, number]> {
  const { covariateCount } = rounds.shape
  for (const { block, start, end } of [...blockParts(rounds, memory)].reverse()) {
    for (let row = end - 1; row >= start; row--) {
      const missing = block.observed[row * covariateCount + which] !== Observed.atDecision
      if (missing && block.status[row] === RoundStatus.closed) yield [block, row]
    }
  }
}

/** What a decision reads; truths that came later stay behind. */
function copyRow(from: RoundBlock, row: number, to: RoundBlock, { shape }: Engine): void {
  const { contextWidth: p, covariateWidth: m, covariateCount: c, memberWidth = 0 } = shape
  to.context.set(from.context.subarray(row * p, (row + 1) * p))
  to.covariates.set(from.covariates.subarray(row * m, (row + 1) * m))
  to.pretrained.set(from.pretrained.subarray(row * m, (row + 1) * m))
  for (let k = 0; k < c; k++)
    to.observed[k] = from.observed[row * c + k] === Observed.atDecision ? Observed.atDecision : Observed.missing
  const rowOf = (column: Float64Array, width: number) => column.slice(row * width, (row + 1) * width)
  const members = from.members === null ? null : rowOf(from.members, memberWidth)
  const modelSd = from.modelSd === null ? null : rowOf(from.modelSd, c)
  if (members === null) to.members = null
  writeAside(to, 0, shape, { members, modelSd, reasons: null })
}
