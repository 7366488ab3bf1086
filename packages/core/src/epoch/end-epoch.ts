// The end of an epoch: the one place where learning happens (Alg.1 and Alg.3, method#order-of-events).
//   (e-hat, g-hat)_{s+1} = Cal on the window's closed rounds, per covariate;
//   f-hat_{s+1} = oracle on the same rounds with their stored z-tilde (or filled anew, option refresh);
//   gamma_{s+1} from the schedule.
// Window 'last' is D_s of the paper, 'all' every round so far, { rounds } the newest ones. A window without closed rounds
// leaves the policy as it was.

import type { Random } from '@primo/numeric'
import type { CovariateModel } from '../calibration/correction.js'
import { type Engine, imputationModels, imputationSpread } from '../engine/engine.js'
import { deepFreeze, type EpochReport, type EpochState } from '../engine/epoch-state.js'
import { type LayerState, layerModels } from '../engine/layers.js'
import { epochAfter, epochEnd } from '../engine/schedule.js'
import { gammaOf } from '../exploration/gamma.js'
import { compileRowsImputation } from '../imputation/impute-rows.js'
import { heldOutOf } from '../oracle/class-model.js'
import type { Oracle, RewardModel } from '../oracle/oracle.js'
import { blockParts, type RoundRange } from '../rounds/block-parts.js'
import { closedCounts } from '../rounds/closed-counts.js'
import { type RewardRows, refreshedRows, rewardRows } from '../rounds/reward-rows.js'
import { Observed, RoundStatus, type RoundTable } from '../rounds/round-table.js'
import { calibrationStep, unchanged } from './calibration-step.js'
import { combineNewRounds } from './ensemble-step.js'
import { judgeLayers, layerReport } from './layer-choice.js'
import { modelsInUse } from './renew-calibration.js'

/** How many counted rounds the running epoch lasts to: it ends at the first decision after them. */
export function epochQuota(state: EpochState, engine: Engine): number {
  return epochEnd(engine.schedule, state.epoch)
}

/** Rounds as the schedule counts them. */
export function countedRounds(engine: Engine, decided: number, closed: number): number {
  return engine.schedule.counted === 'closed' ? closed : decided
}

export function endEpoch(
  state: EpochState,
  rounds: RoundTable,
  engine: Engine,
  closed: number,
  random: Random,
): EpochState {
  const { encoding } = engine
  const epoch = epochAfter(engine.schedule, state.epoch, countedRounds(engine, rounds.count, closed))
  const window: RoundRange = { from: windowStart(engine, state, rounds.count), to: rounds.count }
  combineNewRounds(state, rounds, window, engine)
  const learnt = rewardRows(rounds, window, encoding.actions.length, { complete: engine.rows === 'complete' }).count
  const calibrated =
    learnt > 0 ? calibrationStep(state, rounds, window, engine, learnt, random) : unchanged(state, engine)
  const fit = (
    oracle: Oracle,
    models: readonly (CovariateModel | null)[],
    before: RewardModel | null | undefined,
    key?: string,
  ) =>
    oracle.fit(
      rowsToFit(rounds, window, engine, models, calibrated.imputationVersion, key),
      random.split('oracle'),
      before ?? null,
    )
  let layers: LayerState | null = state.layers
  let rewardModel = state.rewardModel
  if (learnt > 0 && engine.layers !== null) {
    const judged = judgeLayers(state, rounds, engine, learnt)
    const fitted = engine.layers.map(({ imputes, oracle }, index) =>
      fit(oracle, layerModels(imputes, calibrated.corrections), state.layers?.models[index], `imputed/${imputes}`),
    )
    layers = { ...judged, models: fitted }
    rewardModel = fitted[engine.layers.findIndex(({ name }) => name === judged.chosen)]!
  } else if (learnt > 0) {
    rewardModel = fit(
      engine.oracle,
      imputationModels(engine, { ...state, corrections: calibrated.corrections }),
      state.rewardModel,
    )
  }
  const degreesOfFreedom = rewardModel?.degreesOfFreedom.reduce((sum, value) => sum + value, 0) ?? 0
  const gamma =
    learnt > 0
      ? gammaOf(engine, {
          epoch,
          rows: rewardModel!.weight,
          rowsBefore: state.rows,
          sigma: rewardModel!.sigma,
          degreesOfFreedom,
        })
      : state.gamma
  const models = modelsInUse(state, engine)
  return deepFreeze({
    epoch,
    start: rounds.count,
    version: state.version + 1,
    gamma,
    rewardModel,
    corrections: calibrated.corrections,
    ...(calibrated.ensembles === undefined ? {} : { ensembles: calibrated.ensembles }),
    models,
    rows: learnt > 0 ? learnt : state.rows,
    rowsBefore: learnt > 0 ? state.rows : state.rowsBefore,
    calibratedRows: calibrated.calibratedRows,
    imputationVersion: calibrated.imputationVersion,
    guards: calibrated.guards,
    layers,
    reports: [
      ...state.reports,
      {
        epoch: state.epoch,
        window,
        learnt,
        gamma,
        reward: rewardModel && rewardReport(rewardModel, degreesOfFreedom),
        covariates: encoding.covariates.map(({ name }, which) => ({
          covariate: name,
          missingShare: missingIn(rounds, window, which),
          model: models[which]!,
          ...calibrated.reports[which]!,
        })),
        layer: layerReport(layers, engine),
      },
    ],
  })
}

function rewardReport(model: RewardModel, degreesOfFreedom: number): EpochReport['reward'] {
  const { sigma, clippedShare } = model
  const selection = model.kind === 'linear' ? undefined : heldOutOf(model)
  return { sigma, degreesOfFreedom, clippedShare, ...(selection === undefined ? {} : { selection }) }
}

function windowStart({ window }: Engine, state: EpochState, decided: number): number {
  if (window === 'last') return state.start
  return window === 'all' ? 0 : Math.max(0, decided - window.rounds)
}

/** The rows of the reward fit: as the decisions saw them, or with missing values filled by the newest models. */
function rowsToFit(
  rounds: RoundTable,
  window: RoundRange,
  engine: Engine,
  models: readonly (CovariateModel | null)[],
  version: number,
  key?: string,
): RewardRows {
  const { encoding } = engine
  const actions = encoding.actions.length
  const complete = engine.rows === 'complete'
  if (!engine.refresh || complete) return rewardRows(rounds, window, actions, { complete })
  const impute = compileRowsImputation(encoding, models, engine.calibration?.clip ?? 'range')
  const imputation = {
    version,
    impute,
    spread: imputationSpread(engine, models),
    ...(key === undefined ? {} : { key }),
  }
  return refreshedRows(rounds, window, actions, imputation, engine.halfLife)
}

function missingIn(rounds: RoundTable, window: RoundRange, which: number): number {
  const { covariateCount } = rounds.shape
  let missing = 0
  let count = 0
  for (const { block, start, end } of blockParts(rounds, window)) {
    const { closed, seen } = closedCounts(block, start, end, covariateCount)
    if (closed === end - start) {
      count += closed
      missing += closed - seen[which]!
      continue
    }
    for (let row = start; row < end; row++) {
      if (block.status[row] === RoundStatus.voided) continue
      count++
      if (block.observed[row * covariateCount + which] !== Observed.atDecision) missing++
    }
  }
  return count === 0 ? 0 : missing / count
}
