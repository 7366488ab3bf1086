// The public door of @primo/lab that also works in a browser; @primo/lab/node adds files, threads and pictures.

// environments
export type { Environment, WorldBlock } from './environments/environment.js'
export { referenceData, referenceEnvironment, referenceInteractions } from './environments/reference.js'
export { type ReferenceEnvironment, referenceEnvironments } from './environments/reference-data.js'
export { createEnvironment, parseScenario, type ScenarioSpec } from './environments/scenario.js'
export { scenarioDials, scenarioFromName, scenarioNames } from './environments/scenario-name.js'

// policies
export { imputationNames, type PolicySetting, policyByName, policyNames } from './policies/catalog.js'
export { checkPolicySpec, type PolicySpec, type Sees } from './policies/policy-spec.js'
export { policySetting, settingOf } from './runs/run-cell.js'
export type { Checkpoint, EpochRow, RunRow } from './runs/run-row.js'
// simulation
export { type PolicyRun, runPolicy } from './simulation/run-policy.js'
export { type SimulationInput, type SimulationResult, simulate, worldOf } from './simulation/simulate.js'
// intervals that hold at all times
export {
  addEvidence,
  type ConfidenceOptions,
  type Evidence,
  type Interval,
  meanInterval,
  noEvidence,
  rangeInterval,
  weightedInterval,
} from './statistics/confidence-sequence.js'
