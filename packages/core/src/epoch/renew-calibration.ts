// A state for an engine whose models may be others than those it was learnt with: what was learnt of rewards stays, calibration of
// a changed model begins anew (no correction, members of an ensemble weighted alike), and the state says
// from which round on. The next end of an epoch calibrates from what the new model predicted.

import type { Engine } from '../engine/engine.js'
import { deepFreeze, type EpochState, type ModelInUse } from '../engine/epoch-state.js'
import { changedModels } from './renew-predictions.js'

/** The models of the state, or of the engine where the state has seen none yet. */
export function modelsInUse({ models }: EpochState, { imputers }: Engine): readonly ModelInUse[] {
  return models ?? imputers.map((identity) => ({ ...identity, since: 0 }))
}

/** `since`: the round at which a covariate's model changed. */
export function renewCalibration(state: EpochState, engine: Engine, since: (which: number) => number): EpochState {
  if (state.models === undefined) return state
  const changed = changedModels(state.models, engine.imputers)
  if (changed.length === 0) return state
  const isNew = (which: number) => changed.includes(which)
  const { ensembles: _, streams, ...kept } = state
  const ensembles = engine.ensembles.map((layout, which) =>
    layout === null || isNew(which) ? null : (state.ensembles?.[which] ?? null),
  )
  return deepFreeze({
    ...kept,
    corrections: state.corrections.map((model, which) => (isNew(which) ? null : model)),
    ...(ensembles.some((weights) => weights !== null) ? { ensembles: completed(ensembles, engine) } : {}),
    models: state.models.map((model, which) =>
      isNew(which) ? { ...engine.imputers[which]!, since: since(which) } : model,
    ),
    imputationVersion: state.imputationVersion + 1,
    ...(streams === undefined
      ? {}
      : { streams: { ...streams, imputers: streams.imputers.map((own, which) => (isNew(which) ? [] : own)) } }),
  })
}

/** Weights of every ensemble: equal ones where it has none. */
function completed(
  ensembles: readonly (readonly number[] | null)[],
  { ensembles: layouts }: Engine,
): readonly (readonly number[] | null)[] {
  return layouts.map((layout, which) =>
    layout === null ? null : (ensembles[which] ?? layout.names.map(() => 1 / layout.names.length)),
  )
}
