// The reward fit of an end of an epoch: f-hat by the oracle, on rows as the decisions saw them or with missing values filled by the
// newest models. Where layers compete, each is fitted and the one that predicted best so far is used.

import { blockDecay, type Random, weightInBlock } from '@primo/numeric'
import type { CovariateModel } from '../calibration/correction.js'
import { correctionCompiler, type Engine, imputationModels, imputationSpread } from '../engine/engine.js'
import type { EpochReport, EpochState } from '../engine/epoch-state.js'
import { layerModels } from '../engine/layers.js'
import { compileRowsImputation } from '../imputation/impute-rows.js'
import { heldOutOf } from '../oracle/class-model.js'
import type { Oracle, RewardModel } from '../oracle/oracle.js'
import type { RoundRange } from '../rounds/block-parts.js'
import { type RewardRows, refreshedRows, rewardRows } from '../rounds/reward-rows.js'
import type { RoundTable } from '../rounds/round-table.js'
import type { CalibrationStep } from './calibration-step.js'
import { judgeLayers, type LayerSettings } from './layer-choice.js'
import { type WeightedRounds, weightedRounds } from './weighted-rounds.js'

export type RewardSettings = LayerSettings &
  Pick<Engine, 'oracle' | 'rows' | 'refresh' | 'halfLife' | 'imputation' | 'missingRewards'>
type Before = Pick<EpochState, 'rewardModel' | 'layers' | 'start' | 'rows' | 'corrections'>
type Calibrated = Pick<CalibrationStep, 'corrections' | 'imputationVersion'>

/** `learnt`: rows learnt from at this end; with none the models stay as they were. */
export function rewardStep(
  before: Before,
  rounds: RoundTable,
  memory: RoundRange,
  settings: RewardSettings,
  { corrections, imputationVersion }: Calibrated,
  learnt: number,
  random: Random,
): Pick<EpochState, 'rewardModel' | 'layers'> & { readonly counted: WeightedRounds | null } {
  const counted = learnt === 0 ? null : weightedRounds(rounds, memory, settings)
  if (learnt === 0) return { rewardModel: before.rewardModel, layers: before.layers, counted }
  const fit = (oracle: Oracle, models: readonly (CovariateModel | null)[], last?: RewardModel | null, key?: string) =>
    oracle.fit(
      counted === null
        ? rowsToFit(rounds, memory, settings, models, imputationVersion, key)
        : weightedRows(counted, memory, settings, models),
      random.split('oracle'),
      last ?? null,
    )
  if (settings.layers === null) {
    const models = imputationModels(settings, { layers: before.layers, corrections })
    return { rewardModel: fit(settings.oracle, models, before.rewardModel), layers: before.layers, counted }
  }
  const judged = judgeLayers(before, rounds, settings, learnt)
  const models = settings.layers.map(({ imputes, oracle }, index) =>
    fit(oracle, layerModels(imputes, corrections), before.layers?.models[index], `imputed/${imputes}`),
  )
  const chosen = settings.layers.findIndex(({ name }) => name === judged.chosen)
  return { rewardModel: models[chosen]!, layers: { ...judged, models }, counted }
}

function rowsToFit(
  rounds: RoundTable,
  memory: RoundRange,
  settings: RewardSettings,
  models: readonly (CovariateModel | null)[],
  version: number,
  key?: string,
): RewardRows {
  const { encoding, halfLife } = settings
  const actions = encoding.actions.length
  const complete = settings.rows === 'complete'
  if (!settings.refresh || complete) return rewardRows(rounds, memory, actions, { complete })
  const impute = imputerOf(settings, models)
  const spread = imputationSpread(settings, models)
  return refreshedRows(
    rounds,
    memory,
    actions,
    { version, impute, spread, ...(key === undefined ? {} : { key }) },
    halfLife,
  )
}

/** The same where rounds count unlike: nothing of it can be kept from fit to fit. */
function weightedRows(
  { rounds, weigh }: WeightedRounds,
  memory: RoundRange,
  settings: RewardSettings,
  models: readonly (CovariateModel | null)[],
): RewardRows {
  const { encoding, halfLife } = settings
  const complete = settings.rows === 'complete'
  const refresh = settings.refresh && !complete
  const rows = rewardRows(rounds, memory, encoding.actions.length, {
    complete,
    reimpute: refresh ? imputerOf(settings, models) : undefined,
    weigh: (block, row) =>
      halfLife === null
        ? weigh(block, row)
        : weigh(block, row) * weightInBlock(row, halfLife) * blockDecay(block.index, memory.to, halfLife),
  })
  return refresh ? { ...rows, spread: imputationSpread(settings, models) } : rows
}

function imputerOf(settings: RewardSettings, models: readonly (CovariateModel | null)[]) {
  const { encoding, calibration } = settings
  return compileRowsImputation(encoding, models, calibration?.clip ?? 'range', correctionCompiler(settings))
}

export function rewardReport(model: RewardModel | null): EpochReport['reward'] {
  if (model === null) return null
  const { sigma, clippedShare } = model
  const selection = model.kind === 'linear' || model.kind === 'hierarchical' ? undefined : heldOutOf(model)
  const degreesOfFreedom = totalDegrees(model)
  return { sigma, degreesOfFreedom, clippedShare, ...(selection === undefined ? {} : { selection }) }
}

/** Degrees of freedom of all actions together. */
export function totalDegrees({ degreesOfFreedom }: RewardModel): number {
  return degreesOfFreedom.reduce((sum, value) => sum + value, 0)
}
