// The paper's formulas: elasticity, critical radii, the four theorems and their bounds.

// shared
export { type Assumption, type AssumptionStatus, assumptionsOf, MAR_ASSUMPTIONS } from './assumptions.js'
export {
  type Elasticity,
  type ElasticitySample,
  elasticityOfSample,
} from './elasticity/elasticity.js'
// elasticity
export {
  type BasisElasticity,
  type BasisElasticityOptions,
  basisElasticity,
} from './elasticity/elasticity-basis.js'
export {
  linearElasticity,
  lipschitzElasticity,
  type SlopeElasticity,
  type SlopeElasticityInput,
} from './elasticity/elasticity-slope.js'

// shared
export type { Formulas } from './formulas.js'

// radii
export { criticalRadius, type FunctionClass, type RadiusOptions, radiusOf } from './radii/class-radius.js'
export {
  type CriticalRadius,
  type LinearRadiusOptions,
  linearRadius,
  type RadiusFormula,
  solveRadius,
} from './radii/critical-radius.js'
export {
  type EllipsoidRadiusOptions,
  ellipsoidComplexity,
  ellipsoidRadius,
  kernelEigenvalues,
  sobolevEigenvalues,
} from './radii/ellipsoid-radius.js'
export {
  type ConvexLipschitzRadiusOptions,
  convexLipschitzRadius,
  type DifferentiableRadiusOptions,
  differentiableRadius,
  dudleyComplexity,
  type EntropyRadiusOptions,
  entropyRadius,
  type LipschitzRadiusOptions,
  lipschitzRadius,
} from './radii/entropy-radius.js'
export { type EntropyRateOptions, entropyRate } from './radii/entropy-rate.js'
export { type ComplexityValue, complexityAt, type LocalComplexity, monteCarloRadius } from './radii/local-complexity.js'
export { type ConvexComplexityOptions, convexLipschitzComplexity } from './radii/rademacher-convex.js'
export { type LinearComplexityOptions, linearComplexity } from './radii/rademacher-linear.js'
export { type LipschitzComplexityOptions, lipschitzComplexity } from './radii/rademacher-lipschitz.js'
export type { Radius } from './radii/radius.js'

// theorems
export {
  type BoundsRow,
  type BoundsTable,
  boundsTable,
  type ErrorRow,
  type ProblemConstants,
} from './theorems/bounds-table.js'
export { constants as theoryConstants, type ErmConstants } from './theorems/constants.js'
export { doublingEpoch } from './theorems/epoch-rows.js'
export type { Term } from './theorems/oracle-inequality.js'
export {
  type HorizonOptions,
  type RegretBound,
  type Theorem2RegretInput,
  type Theorem4RegretInput,
  theorem2Regret,
  theorem4Regret,
} from './theorems/regret-bound.js'
export { type Theorem1Bound, type Theorem1Input, theorem1, theorem1Squared } from './theorems/theorem-1.js'
export { type EpochBound, type EpochInput, type Theorem2Input, theorem2Epoch } from './theorems/theorem-2.js'
export { type CalibrationConstants, type Theorem3Bound, type Theorem3Input, theorem3 } from './theorems/theorem-3.js'
export { type Theorem4Input, theorem4Epoch } from './theorems/theorem-4.js'

// shared
export { type TheoryWarning, type TheoryWarningCode, theoryWarning } from './theory-warning.js'
