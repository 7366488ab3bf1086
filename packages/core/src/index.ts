// What someone who decides, rewards, calibrates and restores needs. Builders of engines find more in @primo/core/engine.

// from below
export { type ErrorCode, type ErrorFacts, PrimoError, Random } from '@primo/numeric'
// calibration
export type { CalibrationOptions } from './calibration/settings.js'
// diagnostics
export type { EpochDiagnosis } from './diagnostics/epoch-report.js'
export type { ActionRewards, MissingRewards } from './diagnostics/missing-rewards.js'
export type { CovariateDiagnosis, Estimate } from './diagnostics/report-covariate.js'
export type { MissingSetDiagnosis } from './diagnostics/report-set.js'
export type { LearningWarning, LearningWarningCode } from './diagnostics/report-warnings.js'
// engine
export type { CovariateReport, EpochReport } from './engine/epoch-state.js'
export type { Code } from './engine/named-options.js'
export { type LearningOptions, type MissingRewardOptions, type ProfileName, profiles } from './engine/profiles.js'
export type { Schedule } from './engine/schedule.js'
// epoch
export type { SignalsReport } from './epoch/early-rounds.js'
export type { MissingRewardsReport } from './epoch/weighted-rounds.js'
// exploration
export type { BuiltInExploration } from './exploration/built-in-rules.js'
export type { FittedNoise } from './exploration/default-rule.js'
export type { ExplorationOption, ExplorationRule, RuleSetting, Weighing } from './exploration/exploration-rule.js'
export type { GammaOption } from './exploration/gamma.js'
// learner
export type { CovariateUse, Decision } from './learner/decision.js'
export { growProblem } from './learner/grow-problem.js'
export { createLearner, type Learner, type LearnerOf, type LearnerOptions, restoreLearner } from './learner/learner.js'
export { type LoggedRound, warmStart } from './learner/logged-rounds.js'
export { applyLog, replayLog } from './learner/replay.js'
export type { DecisionRequest } from './learner/request.js'
export type { RewardAnswer } from './learner/rounds.js'
export { SNAPSHOT_FORMAT, type Snapshot } from './learner/snapshot.js'
// missingness
export type { ObservationOptions } from './missingness/observation-model.js'
// oracle
export type { ClassOracleOptions } from './oracle/class-oracle.js'
export type { Interactions } from './oracle/design.js'
export type { LinearOptions } from './oracle/linear.js'
export type { AuditSpec } from './problem/audit-spec.js'
// problem
export {
  type BooleanFeature,
  boolean,
  type CategoryFeature,
  category,
  type Feature,
  type FeatureValue,
  type NumberFeature,
  number,
} from './problem/feature.js'
export {
  type Context,
  type EnsembleImputer,
  type Imputer,
  type MemberImputer,
  type Prediction,
  pretrained,
} from './problem/imputer.js'
export type { CodeOptions, NamedCode, OwnCode } from './problem/own-code.js'
export {
  type CovariateSpec,
  type CovariateSpecs,
  checkProblem,
  type DeclaredProblem,
  defineProblem,
  type Features,
  type Problem,
  type RewardSpec,
} from './problem/problem.js'
export type { TableImputer, TableRow } from './problem/table-imputer.js'
export { type TrainedImputer, trained } from './problem/trained-imputer.js'
export type {
  CurvePoint,
  ModelFile,
  TrainedCard,
  TrainedFeature,
  TrainedModel,
  TrainedSpread,
  TrainedTarget,
  TriedClass,
} from './problem/trained-model.js'
export type { UncertainPrediction } from './problem/uncertain-prediction.js'
export type { ActionOf, ContextOf, CovariatesOf, ValueOf, ValuesOf } from './problem/values-of.js'
// regression
export type { ClassOptions } from './regression/function-class.js'
export type { ClassRows, RegressionClass } from './regression/own-class.js'
// rounds
export type { DecisionRecord, EpochRecord, LogRecord, RevealRecord, RewardRecord, VoidRecord } from './rounds/log.js'
