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

type EnsembleSettings = Pick<Engine, 'encoding' | 'ensembles' | 'shape'>

function combinerOf({ encoding, ensembles, shape }: EnsembleSettings, weights: EpochState['ensembles']) {
  return compileCombiner(encoding, ensembles, shape.memberWidth ?? 0, weights)
}

/** Fills g~ of rounds that have only what their members said: those that a log brought. */
export function combineNewRounds(
  weights: EpochState['ensembles'],
  rounds: RoundTable,
  memory: RoundRange,
  settings: EnsembleSettings,
): void {
  const combine = combinerOf(settings, weights)
  if (combine === null) return
  const { covariateWidth } = settings.shape
  const first = settings.encoding.covariates.flatMap(({ at }, which) =>
    settings.ensembles[which] === null ? [] : [at],
  )
  for (const { block, start, end } of blockParts(rounds, memory)) {
    for (let row = start; row < end; row++) {
      if (first.some((at) => Number.isNaN(block.pretrained[row * covariateWidth + at])))
        combine(block, row, block.pretrained)
    }
  }
}

export function ensembleStep(
  weights: EpochState['ensembles'],
  rounds: RoundTable,
  memory: RoundRange,
  settings: EnsembleSettings,
): EnsembleStep | null {
  const { encoding, ensembles: layouts } = settings
  if (layouts.every((layout) => layout === null)) return null
  const before = layouts.map((layout, which) => (layout === null ? null : (weights?.[which] ?? equalWeights(layout))))
  const steps = layouts.map((layout, which) =>
    layout === null ? null : stackMembers(rounds, memory, encoding.covariates[which]!, which, layout, before[which]!),
  )
  const ensembles = before.map((own, which) => steps[which]?.weights ?? own)
  if (ensembles.some((own, which) => own !== before[which])) recombine(rounds, memory, combinerOf(settings, ensembles)!)
  return { ensembles, reports: steps.map((step) => step?.report ?? null) }
}
