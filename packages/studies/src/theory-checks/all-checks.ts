// Every check of the study, in the order of method#theory-checks.

import { boundCheck } from './bound-check.js'
import { calibrationCheck } from './calibration-check.js'
import type { Check, CheckOptions } from './check.js'
import { coverageCheck } from './coverage-check.js'
import { elasticityCheck } from './elasticity-check.js'
import { inverseGapWeightingCheck } from './inverse-gap-weighting-check.js'
import { orthogonalityCheck } from './orthogonality-check.js'
import { radiusCheck } from './radius-check.js'
import { rewardErrorCheck } from './reward-error-check.js'

export const checks: Readonly<Record<string, (options: CheckOptions) => Check>> = {
  igw: inverseGapWeightingCheck,
  'reward-error': rewardErrorCheck,
  elasticity: elasticityCheck,
  radius: radiusCheck,
  calibration: calibrationCheck,
  orthogonality: orthogonalityCheck,
  bounds: boundCheck,
  coverage: coverageCheck,
}
