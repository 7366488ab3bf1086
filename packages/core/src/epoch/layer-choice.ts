// The automatic choice of the imputation layer (method#layer-choice). At an end of an epoch every layer's model, as it was
// fitted before, predicts the rewards of the actions played since:
//   L <- L t_old/t_new + sum (r - prediction)^2,   and from 64 rows on the layer with the smallest L is used.
// Rounds decided since the last end and closed by now are judged; rewards that come later still are learnt from, not judged.

import { type Engine, imputationSpread } from '../engine/engine.js'
import type { EpochState } from '../engine/epoch-state.js'
import { type LayerName, type LayerReport, type LayerState, layerModels } from '../engine/layers.js'
import { compileRowsImputation } from '../imputation/impute-rows.js'
import type { RoundRange } from '../rounds/block-parts.js'
import { rewardRows } from '../rounds/reward-rows.js'
import type { RoundTable } from '../rounds/round-table.js'

export type LayerSettings = Pick<Engine, 'encoding' | 'calibration' | 'missing' | 'layers'>

const FIRST_CHOICE = 64

/** Losses brought up to date, before the models are fitted anew. */
export function judgeLayers(
  state: Pick<EpochState, 'layers' | 'start' | 'rows' | 'corrections'>,
  rounds: RoundTable,
  settings: LayerSettings,
  learnt: number,
): Pick<LayerState, 'chosen' | 'losses' | 'weight'> {
  const layers = settings.layers!
  const before = state.layers
  if (before === null) return { chosen: 'calibrated', losses: layers.map(() => 0), weight: 0 }
  const range: RoundRange = { from: state.start, to: rounds.count }
  const actions = settings.encoding.actions.length
  const decay = learnt > 0 ? Math.min(1, state.rows / learnt) : 1
  const scores = new Float64Array(actions)
  let judged = 0
  const losses = layers.map(({ imputes, oracle }, index) => {
    const models = layerModels(imputes, state.corrections)
    const impute = compileRowsImputation(settings.encoding, models, settings.calibration!.clip)
    const scorer = oracle.compile(before.models[index]!, imputationSpread(settings, models))
    let sum = 0
    judged = 0
    for (const batch of rewardRows(rounds, range, actions, { reimpute: impute }).batches) {
      for (let row = 0; row < batch.count; row++) {
        scorer.scores(batch, row, scores)
        sum += (batch.reward[row]! - scores[batch.action[row]!]!) ** 2
      }
      judged += batch.count
    }
    return before.losses[index]! * decay + sum
  })
  const best = losses.reduce((found, loss, index) => (loss < losses[found]! ? index : found), 0)
  const chosen = learnt >= FIRST_CHOICE ? layers[best]!.name : 'calibrated'
  return { chosen, losses, weight: before.weight * decay + judged }
}

export function layerReport(layers: LayerState | null, settings: Pick<Engine, 'layers'>): LayerReport | null {
  if (layers === null || settings.layers === null) return null
  const { chosen, weight, losses } = layers
  const named = settings.layers.map(({ name }, index) => [name, losses[index]! / weight] as const)
  return { chosen, weight, losses: weight > 0 ? (Object.fromEntries(named) as Record<LayerName, number>) : null }
}
