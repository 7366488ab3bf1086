// Every check of the study, in the order of method#theory-checks.

import { boundCheck } from './bound-check.js'
import type { Check } from './check.js'
import { elasticityCheck } from './elasticity-check.js'
import { orthogonalityCheck } from './orthogonality-check.js'
import { radiusCheck } from './radius-check.js'

export const checks: Readonly<Record<string, Check>> = {
  elasticity: elasticityCheck,
  radius: radiusCheck,
  orthogonality: orthogonalityCheck,
  bounds: boundCheck,
}
