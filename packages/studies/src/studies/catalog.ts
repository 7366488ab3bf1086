// Every study by name.

import type { Study } from '@primo/lab/node'
import { ablation } from './ablation.js'
import { adult } from './adult.js'
import { audit } from './audit.js'
import { baselines } from './baselines.js'
import { beyondDesign } from './beyond-design.js'
import { calibratedRegret } from './calibrated-regret.js'
import { calibrationRate } from './calibration-rate.js'
import { classes } from './classes.js'
import { drift } from './drift.js'
import { ensemble } from './ensemble.js'
import { evaluation } from './evaluation.js'
import { functionClasses } from './function-classes.js'
import { gamma } from './gamma.js'
import { hillstrom } from './hillstrom.js'
import { intervals } from './intervals.js'
import { mechanisms } from './mechanisms.js'
import { marTest } from './missing-at-random.js'
import { modelSd } from './model-sd.js'
import { oracleInequality } from './oracle-inequality.js'
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
  marTest,
  audit,
  drift,
  ensemble,
  modelSd,
  evaluation,
  intervals,
  warfarin,
  hillstrom,
  adult,
]
