// The laws of every interface that users can implement: each function throws an error whose sentence names the first law that is broken.

export { checkCorrection, checkOracle, checkRegressionClass } from './laws/class-laws.js'
export { checkEnvironment } from './laws/environment-laws.js'
export { checkImputers } from './laws/imputer-laws.js'
export { checkPolicy } from './laws/policy-laws.js'
export { checkExplorationRule } from './laws/rule-laws.js'
