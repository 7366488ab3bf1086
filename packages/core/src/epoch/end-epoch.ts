// The end of an epoch: the one place where learning happens (Alg.1 and Alg.3, method#order-of-events). From top to bottom:
//   D_s, the rounds in memory: those of the last epoch (the paper), all, or the newest ones;
//   (e-hat, g-hat)_{s+1} = Cal on the closed ones of them, per covariate     (calibration-step.ts)
//   f-hat_{s+1} = oracle on the same rounds                                   (reward-step.ts)
//   gamma_{s+1} from its schedule                                             (exploration/gamma.ts)
// Without closed rounds in memory the policy stays as it was.

import type { Random } from '@primo/numeric'
import type { Engine } from '../engine/engine.js'
import { deepFreeze, type EpochReport, type EpochState } from '../engine/epoch-state.js'
import { memoryRange } from '../engine/memory.js'
import { epochAfter, epochEnd } from '../engine/schedule.js'
import { gammaOf } from '../exploration/gamma.js'
import { blockParts, type RoundRange } from '../rounds/block-parts.js'
import { closedCounts } from '../rounds/closed-counts.js'
import { rewardRows } from '../rounds/reward-rows.js'
import { Observed, RoundStatus, type RoundTable } from '../rounds/round-table.js'
import { askingStep } from './asking-step.js'
import { calibrationStep, unchanged } from './calibration-step.js'
import { defaultStep, nextLook } from './default-epoch.js'
import { combineNewRounds, ensembleStep } from './ensemble-step.js'
import { ungrown } from './grow.js'
import { modelsInUse } from './renew-calibration.js'
import { rewardReport, rewardStep, totalDegrees } from './reward-step.js'
import { weightedRounds } from './weighted-rounds.js'

/** How many counted rounds the running epoch lasts to: it ends at the first decision after them. */
export function epochQuota(state: EpochState, engine: Engine): number {
  if (engine.remembers !== null && engine.schedule.kind === 'growth') return nextLook(state, engine.schedule)
  return epochEnd(engine.schedule, state.epoch)
}

/** Rounds as the schedule counts them. */
export function countedRounds(engine: Engine, decided: number, closed: number): number {
  return engine.schedule.counted === 'closed' ? closed : decided
}

/** The one place where learning happens: the next state from this one and the closed rounds. */
export function endEpoch(
  state: EpochState,
  rounds: RoundTable,
  engine: Engine,
  closed: number,
  random: Random,
): EpochState {
  const { encoding } = engine
  const epoch =
    engine.remembers === null || engine.schedule.kind !== 'growth'
      ? epochAfter(engine.schedule, state.epoch, countedRounds(engine, rounds.count, closed))
      : state.epoch + 1
  const memory = memoryRange(engine.window, state.start, rounds.count)
  combineNewRounds(state.ensembles, rounds, memory, engine)
  const learnt = rewardRows(rounds, memory, encoding.actions.length, { complete: engine.rows === 'complete' }).count

  const before = learnt > 0 ? ungrown(state) : state
  const step = engine.remembers !== null && learnt > 0 ? defaultEnd(before, rounds, memory, engine, closed) : null
  const { reports, ...calibrated } =
    step?.calibrated ??
    (learnt > 0 && engine.remembers === null
      ? calibrationStep(before, rounds, memory, engine, random)
      : unchanged(before))
  const { rewardModel, counted } =
    step?.learnt ?? rewardStep(before, rounds, memory, engine, calibrated, learnt, random)
  const gamma =
    learnt === 0
      ? state.gamma
      : gammaOf(engine, {
          epoch,
          rows: rewardModel!.weight,
          rowsBefore: state.rows,
          sigma: rewardModel!.sigma,
          degreesOfFreedom: totalDegrees(rewardModel!),
        })

  const models = modelsInUse(state, engine)
  const { ensembles, ...kept } = calibrated
  const report: EpochReport = {
    epoch: state.epoch,
    window: memory,
    learnt,
    gamma,
    reward: rewardReport(rewardModel),
    ...(counted?.missingRewards === undefined ? {} : { missingRewards: counted.missingRewards }),
    ...(counted?.signals === undefined ? {} : { signals: counted.signals }),
    covariates: encoding.covariates.map(({ name }, which) => ({
      covariate: name,
      missingShare: missingIn(rounds, memory, which),
      model: models[which]!,
      ...reports[which]!,
    })),
  }
  const next: EpochState = {
    epoch,
    start: rounds.count,
    version: state.version + 1,
    gamma,
    rewardModel,
    corrections: kept.corrections,
    ...(ensembles === undefined ? {} : { ensembles }),
    models,
    rows: learnt > 0 ? learnt : state.rows,
    rowsBefore: learnt > 0 ? state.rows : state.rowsBefore,
    imputationVersion: kept.imputationVersion,
    ...(step === null ? {} : { streams: step.streams }),
    ...(before.columns === undefined ? {} : { columns: before.columns }),
    reports: [...state.reports, report],
  }
  const asking = askingStep(next, rounds, memory, engine, state.asking)
  return deepFreeze(asking === undefined ? next : { ...next, asking })
}

/** The default's end of an epoch, as the parts of the others. */
function defaultEnd(before: EpochState, rounds: RoundTable, memory: RoundRange, engine: Engine, closed: number) {
  const stacked = ensembleStep(before.ensembles, rounds, memory, engine)
  const counted = weightedRounds(rounds, memory, engine)
  const { rewardModel, corrections, streams } = defaultStep(before, rounds, engine, counted, closed)
  const { reports: none, ...kept } = unchanged(before)
  const reports = none.map((report, which) => {
    const ensemble = stacked?.reports[which] ?? null
    return ensemble === null ? report : { ...report, ensemble }
  })
  return {
    calibrated: { ...kept, corrections, ensembles: stacked?.ensembles ?? before.ensembles, reports },
    learnt: { rewardModel, counted },
    streams,
  }
}

/** Share of the rounds in memory in which the value was missing at the decision. */
function missingIn(rounds: RoundTable, memory: RoundRange, which: number): number {
  const { covariateCount } = rounds.shape
  let missing = 0
  let count = 0
  for (const { block, start, end } of blockParts(rounds, memory)) {
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
