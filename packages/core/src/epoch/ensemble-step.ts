// The ensembles' part of an end of an epoch: rounds that were decided elsewhere get their g~, and where calibration is due the
// members are weighted anew before the correction is fitted.

import type { Engine } from '../engine/engine.js'
import type { EpochState } from '../engine/epoch-state.js'
import { compileCombiner, type EnsembleReport, equalWeights, recombine, stackMembers } from '../imputation/ensemble.js'
import type { RoundRange } from '../rounds/block-parts.js'
import { blockParts } from '../rounds/block-parts.js'
import type { RoundTable } from '../rounds/round-table.js'

export interface EnsembleStep {
  readonly ensembles: EpochState['ensembles']
  /** Per covariate; null: it has one model, or too few rounds to judge its members. */
  readonly reports: readonly (EnsembleReport | null)[]
}

function combinerOf({ encoding, ensembles, shape }: Engine, weights: EpochState['ensembles']) {
  return compileCombiner(encoding, ensembles, shape.memberWidth ?? 0, weights)
}

/** Fills g~ of rounds that have only what their members said: those that a log brought. */
export function combineNewRounds(state: EpochState, rounds: RoundTable, window: RoundRange, engine: Engine): void {
  const combine = combinerOf(engine, state.ensembles)
  if (combine === null) return
  const { covariateWidth } = engine.shape
  const first = engine.encoding.covariates.flatMap(({ at }, which) => (engine.ensembles[which] === null ? [] : [at]))
  for (const { block, start, end } of blockParts(rounds, window)) {
    for (let row = start; row < end; row++) {
      if (first.some((at) => Number.isNaN(block.pretrained[row * covariateWidth + at])))
        combine(block, row, block.pretrained)
    }
  }
}

export function ensembleStep(
  state: EpochState,
  rounds: RoundTable,
  window: RoundRange,
  engine: Engine,
): EnsembleStep | null {
  const { encoding, ensembles: layouts, halfLife } = engine
  if (layouts.every((layout) => layout === null)) return null
  const before = layouts.map((layout, which) =>
    layout === null ? null : (state.ensembles?.[which] ?? equalWeights(layout)),
  )
  const steps = layouts.map((layout, which) =>
    layout === null
      ? null
      : stackMembers(rounds, window, encoding.covariates[which]!, which, layout, halfLife, before[which]!),
  )
  const ensembles = before.map((weights, which) => steps[which]?.weights ?? weights)
  if (ensembles.some((weights, which) => weights !== before[which]))
    recombine(rounds, window, combinerOf(engine, ensembles)!)
  return { ensembles, reports: steps.map((step) => step?.report ?? null) }
}
