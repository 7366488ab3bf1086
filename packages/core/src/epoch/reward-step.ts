// The reward fit of an end of an epoch: f-hat by the oracle, on rows as the decisions saw them or with missing values filled by the
// newest models.

import type { Random } from '@primo/numeric'
import type { CovariateModel } from '../calibration/correction.js'
import { correctionCompiler, type Engine, imputationModels, imputationSpread } from '../engine/engine.js'
import type { EpochReport, EpochState } from '../engine/epoch-state.js'
import { compileRowsImputation } from '../imputation/impute-rows.js'
import { heldOutOf } from '../oracle/class-model.js'
import type { RewardModel } from '../oracle/oracle.js'
import type { RoundRange } from '../rounds/block-parts.js'
import { type RewardRows, refreshedRows, rewardRows } from '../rounds/reward-rows.js'
import type { RoundTable } from '../rounds/round-table.js'
import type { CalibrationStep } from './calibration-step.js'
import { type WeightedRounds, weightedRounds } from './weighted-rounds.js'

export type RewardSettings = Pick<
  Engine,
  'encoding' | 'calibration' | 'missing' | 'oracle' | 'rows' | 'refresh' | 'imputation' | 'missingRewards'
>
type Calibrated = Pick<CalibrationStep, 'corrections' | 'imputationVersion'>

/** `learnt`: rows learnt from at this end; with none the model stays as it was. */
export function rewardStep(
  before: Pick<EpochState, 'rewardModel'>,
  rounds: RoundTable,
  memory: RoundRange,
  settings: RewardSettings,
  { corrections, imputationVersion }: Calibrated,
  learnt: number,
  random: Random,
): Pick<EpochState, 'rewardModel'> & { readonly counted: WeightedRounds | null } {
  if (learnt === 0) return { rewardModel: before.rewardModel, counted: null }
  const counted = weightedRounds(rounds, memory, settings)
  const models = imputationModels(settings, { corrections })
  const rows =
    counted === null
      ? rowsToFit(rounds, memory, settings, models, imputationVersion)
      : weightedRows(counted, memory, settings, models)
  return { rewardModel: settings.oracle.fit(rows, random.split('oracle'), before.rewardModel), counted }
}

function rowsToFit(
  rounds: RoundTable,
  memory: RoundRange,
  settings: RewardSettings,
  models: readonly (CovariateModel | null)[],
  version: number,
): RewardRows {
  const actions = settings.encoding.actions.length
  const complete = settings.rows === 'complete'
  if (!settings.refresh || complete) return rewardRows(rounds, memory, actions, { complete })
  const impute = imputerOf(settings, models)
  return refreshedRows(rounds, memory, actions, { version, impute, spread: imputationSpread(settings, models) })
}

/** The same where rounds count unlike: nothing of it can be kept from fit to fit. */
function weightedRows(
  { rounds, weigh }: WeightedRounds,
  memory: RoundRange,
  settings: RewardSettings,
  models: readonly (CovariateModel | null)[],
): RewardRows {
  const complete = settings.rows === 'complete'
  const refresh = settings.refresh && !complete
  const rows = rewardRows(rounds, memory, settings.encoding.actions.length, {
    complete,
    reimpute: refresh ? imputerOf(settings, models) : undefined,
    weigh,
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
