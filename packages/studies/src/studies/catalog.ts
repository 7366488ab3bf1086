// Every study by name.

import type { RunnableStudy } from '../runner/run-study.js'
import { ablation } from './ablation.js'
import { adaptiveLogs } from './adaptive-logs.js'
import { asking } from './asking.js'
import { audit } from './audit.js'
import { baselines } from './baselines.js'
import { behaviour } from './behaviour.js'
import { bounds } from './bounds.js'
import { calibratedRegret } from './calibrated-regret.js'
import { calibrationRate } from './calibration-rate.js'
import { callers } from './callers.js'
import { drift } from './drift.js'
import { ensemble } from './ensemble.js'
import { evaluation } from './evaluation.js'
import { functionClasses } from './function-classes.js'
import { gamma } from './gamma.js'
import { intervals } from './intervals.js'
import { lateRewards } from './late-rewards.js'
import { mechanisms } from './mechanisms.js'
import { oracleInequality } from './oracle-inequality.js'
import { promotion } from './promotion.js'
import { reference } from './reference.js'
import { regretElasticity } from './regret-elasticity.js'
import { strangers } from './strangers.js'
import { theory } from './theory.js'
import { warfarin } from './warfarin.js'

/** All studies. */
export const studies: readonly RunnableStudy[] = [
  reference,
  theory,
  oracleInequality,
  regretElasticity,
  calibrationRate,
  calibratedRegret,
  gamma,
  baselines,
  mechanisms,
  functionClasses,
  strangers,
  ablation,
  audit,
  bounds,
  asking,
  drift,
  callers,
  lateRewards,
  ensemble,
  evaluation,
  adaptiveLogs,
  promotion,
  behaviour,
  intervals,
  warfarin,
]
