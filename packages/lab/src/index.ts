// The entry point that also works in a browser; @primo/lab/node adds files, threads and pictures.

// environments
export { bendsEnvironment } from './environments/bends.js'
export { environmentConstants } from './environments/constants.js'
export { defineEnvironment, type EnvironmentSpec, type WorldRound } from './environments/define-environment.js'
export type { DelaySpec } from './environments/delay.js'
export type { Environment, WorldBlock } from './environments/environment.js'
export { biased, type ImputerQuality, type ImputerSpec } from './environments/imputers.js'
export type { MissingnessSpec } from './environments/mechanisms.js'
export {
  observationProbabilityAt,
  pretrainedMean,
  referenceData,
  referenceInteractions,
  referenceStructure,
  trueCovariateMean,
  writeRewardFeatures,
} from './environments/reference.js'
export type { ReferenceEnvironment } from './environments/reference-data.js'
export type { Row } from './environments/rows.js'
export { createEnvironment } from './environments/scenario.js'
export { scenarioDials, scenarioFromName, scenarioNames } from './environments/scenario-name.js'
export { parseScenario, type ReferenceScenario, type ScenarioSpec } from './environments/scenario-spec.js'
export {
  buildEnvironment,
  type CovariateLaw,
  type KnownEnvironment,
  type Structure,
} from './environments/structure.js'

// evaluation
export { DifferenceSequence, type GateVerdict, gateVerdict } from './evaluation/anytime/difference-sequence.js'
export {
  type AnytimeEvaluation,
  type AnytimeLimits,
  type AnytimeOptions,
  type AnytimePoint,
  evaluateAnytime,
} from './evaluation/anytime/evaluate-anytime.js'
export { type EstimatorName, estimatorNames, type Terms } from './evaluation/estimators.js'
export { type EvaluateLogOptions, evaluateLog, LOGGED, type LogEvaluation } from './evaluation/evaluate-log.js'
export {
  type EvaluatedPolicy,
  type EvaluateOptions,
  type EvaluationEstimate,
  evaluatePolicy,
  type PolicyEvaluation,
} from './evaluation/evaluate-policy.js'
export { type EvaluationLog, type EvaluationLogOptions, evaluationLog } from './evaluation/evaluation-log.js'
export type { EvaluationWarning, EvaluationWarningCode } from './evaluation/evaluation-warnings.js'
export { randomFolds } from './evaluation/folds.js'
export type { EvaluationInterval } from './evaluation/intervals.js'
export { foldParts, forwardParts, type LogPart } from './evaluation/log-parts.js'
export type { LoggedChoices, TargetPropensities } from './evaluation/logged-choices.js'
export type { RewardLimits } from './evaluation/missing-reward-limits.js'
export { targetPolicy } from './evaluation/policy-name.js'
export { crossFittedRewards } from './evaluation/reward-model.js'
export { type TargetPolicy, targetPropensities } from './evaluation/target-policy.js'
export { fitObserving, type ValueOfObserving, valueOfObserving } from './evaluation/value-of-observing.js'

// inspection
export { profileCsv, type TableProfile } from './inspection/profile-csv.js'

// log
export {
  type LogCell,
  type LogColumn,
  type LogRow,
  logColumns,
  predictionColumns,
  type RewardStatus,
} from './log/log-columns.js'
export { checkLogHeader, type LogCovariate, type LogHeader, logHeader } from './log/log-header.js'
export { finalReward, loggedRound, problemOfLog } from './log/logged-round.js'

// log-health
export type { PlayedAlongFeature, PropensityCalibration } from './log-health/calibration-test.js'
export { examineLog, type LogHealth } from './log-health/examine-log.js'
export type { LogCheck, LogFinding } from './log-health/log-finding.js'
export { logHealthText } from './log-health/log-health-text.js'

// policies
export { checkPolicyName, imputationNames, type PolicySetting, policyByName, policyNames } from './policies/catalog.js'
export type { OnlinePolicy, PolicyStart, RunningPolicy, SeenRound } from './policies/online-policy.js'
export { checkPolicySpec, type PolicySpec, type Sees } from './policies/policy-spec.js'
// labels at the ends of lines, in reports and on the page
export { spreadLabels } from './report/label-layout.js'
// report
export { formatEstimate, formatFixed, formatNumber } from './report/number-format.js'
export type { ColorName } from './report/series-style.js'
export type { StudySeries } from './report/study.js'
export { type StudyDotPlot, studyDotPlot } from './report/study-dot-plot.js'
// runs
export { policySetting, settingOf } from './runs/run-cell.js'
export type { Checkpoint, EpochRow, RunRow } from './runs/run-row.js'
// simulation
export { type OnlineLinearOptions, onlineLinear } from './simulation/online-linear.js'
export { type PolicyRun, runPolicy } from './simulation/run-policy.js'
export { type SimulationInput, type SimulationResult, simulate, worldOf } from './simulation/simulate.js'
// statistics
export {
  addComparison,
  addEvidence,
  type ComparedEvidence,
  type ConfidenceOptions,
  differenceInterval,
  type Evidence,
  type Interval,
  meanInterval,
  noComparison,
  noEvidence,
  rangeInterval,
  weightedInterval,
} from './statistics/confidence-sequence.js'
export { studentInterval } from './statistics/student-t.js'
export { pairedRatio, quantile, type Summary, slope, summarise } from './statistics/summarise.js'
// tables
export { readCsv } from './tables/read-csv.js'
export type { Table } from './tables/table.js'
export { type CovariateColumns, covariateSpecs, type TableSpec } from './tables/table-spec.js'
export { tableWorld } from './tables/table-world.js'
export { bytesText, type TextOrigin } from './tables/text-origin.js'
