// Every study by name.

import type { Study } from '@primo/lab/node'
import { ablation } from './ablation.js'
import { adaptiveLogs } from './adaptive-logs.js'
import { adult } from './adult.js'
import { asking } from './asking.js'
import { audit } from './audit.js'
import { baselines } from './baselines.js'
import { behaviour } from './behaviour.js'
import { beyondDesign } from './beyond-design.js'
import { bounds } from './bounds.js'
import { calibratedRegret } from './calibrated-regret.js'
import { calibrationRate } from './calibration-rate.js'
import { callers } from './callers.js'
import { classes } from './classes.js'
import { drift } from './drift.js'
import { ensemble } from './ensemble.js'
import { evaluation } from './evaluation.js'
import { functionClasses } from './function-classes.js'
import { gamma } from './gamma.js'
import { hillstrom } from './hillstrom.js'
import { intervals } from './intervals.js'
import { lateRewards } from './late-rewards.js'
import { mechanisms } from './mechanisms.js'
import { oracleInequality } from './oracle-inequality.js'
import { promotion } from './promotion.js'
import { reference } from './reference.js'
import { regretElasticity } from './regret-elasticity.js'
import { robust } from './robust.js'
import { strangers } from './strangers.js'
import { theory } from './theory.js'
import { warfarin } from './warfarin.js'

/** All studies. */
export const studies: readonly Study[] = [
  reference,
  theory,
  oracleInequality,
  regretElasticity,
  calibrationRate,
  calibratedRegret,
  gamma,
  baselines,
  mechanisms,
  robust,
  functionClasses,
  classes,
  beyondDesign,
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
  hillstrom,
  adult,
]
