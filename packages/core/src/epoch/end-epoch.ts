// The end of an epoch: the one place where learning happens (Alg.1 and Alg.3, SPEC A7).
//   (e-hat, g-hat)_{s+1} = Cal on the window's closed rounds, per covariate;
//   f-hat_{s+1} = oracle on the same rounds with their stored z-tilde (or filled anew, option refresh);
//   gamma_{s+1} from the schedule.
// Window 'last' is D_s of the paper, 'all' every round so far. A window without closed rounds leaves the policy as it was.

import { calibrate } from '../calibration/calibrate.js'
import { radiusOf } from '../calibration/settings.js'
import { insideUnit } from '../data/feature.js'
import { Observed, RoundStatus, type RoundTable } from '../data/round-table.js'
import { covariateRows, type RoundRange, rewardRows } from '../data/rows.js'
import { gammaOf } from '../exploration/gamma.js'
import { compileImputation } from '../imputation/impute-row.js'
import { observedMean } from '../imputation/observed-mean.js'
import { type Engine, imputationModels } from '../learner/engine.js'
import { BLOCK_ROUNDS } from '../numeric/sums.js'
import type { Random } from '../random/random.js'
import { type CovariateReport, deepFreeze, type EpochState } from './epoch-state.js'
import { epochAfter, epochEnd } from './schedule.js'

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
  const { encoding, oracle, calibration } = engine
  const epoch = epochAfter(engine.schedule, state.epoch, countedRounds(engine, rounds.count, closed))
  const window: RoundRange = { from: engine.window === 'last' ? state.start : 0, to: rounds.count }
  const complete = engine.rows === 'complete'
  const rows = rewardRows(rounds, window, encoding.actions.length, { complete })
  const learns = rows.count > 0
  const corrections = [...state.corrections]
  const covariates = encoding.covariates.map((covariate, which): CovariateReport => {
    const missingShare = missingIn(rounds, window, which)
    if (engine.imputation === 'mean')
      corrections[which] = observedMean(rounds, window, covariate, which) ?? corrections[which]!
    if (calibration === null || engine.imputation !== 'model' || !learns)
      return { covariate: covariate.name, missingShare, calibration: null }
    const delta0 = radiusOf(calibration, covariate.name)
    const calibrated = calibrate(
      covariateRows(rounds, window, covariate, which),
      encoding.context,
      calibration,
      delta0 === undefined ? undefined : delta0 / insideUnit(covariate.feature),
      random.split('calibration', covariate.name),
    )
    corrections[which] = calibrated.correction
    return { covariate: covariate.name, missingShare, calibration: calibrated.report }
  })
  const reimpute = engine.refresh
    ? compileImputation(encoding, imputationModels(engine, { ...state, corrections }), calibration?.clip ?? 'range')
    : undefined
  const fitted = engine.refresh ? rewardRows(rounds, window, encoding.actions.length, { complete, reimpute }) : rows
  const rewardModel = learns ? oracle.fit(fitted, random.split('oracle')) : state.rewardModel
  const gamma = learns ? gammaOf(engine, { epoch, rows: rows.count, rowsBefore: state.rows }) : state.gamma
  return deepFreeze({
    epoch,
    start: rounds.count,
    version: state.version + 1,
    gamma,
    rewardModel,
    corrections,
    rows: learns ? rows.count : state.rows,
    rowsBefore: learns ? state.rows : state.rowsBefore,
    reports: [
      ...state.reports,
      {
        epoch: state.epoch,
        window,
        learnt: rows.count,
        gamma,
        reward: rewardModel && {
          sigma: rewardModel.sigma,
          degreesOfFreedom: rewardModel.degreesOfFreedom.reduce((sum, value) => sum + value, 0),
          clippedShare: rewardModel.clippedShare,
        },
        covariates,
      },
    ],
  })
}

function missingIn(rounds: RoundTable, { from, to }: RoundRange, which: number): number {
  const { covariateCount } = rounds.shape
  let missing = 0
  let count = 0
  for (let round = from; round < to; round++) {
    const block = rounds.blocks[Math.floor(round / BLOCK_ROUNDS)]!
    const row = round % BLOCK_ROUNDS
    if (block.status[row] === RoundStatus.voided) continue
    count++
    if (block.observed[row * covariateCount + which] !== Observed.atDecision) missing++
  }
  return count === 0 ? 0 : missing / count
}
