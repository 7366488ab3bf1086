// The public door of @primo/core, grouped by stage.

// calibration
export type { AuditBase, AuditClaim, AuditReport, AuditTest } from './calibration/audit.js'
export { type BallFit, type BallProblem, solveInBall } from './calibration/ball.js'
export { type Calibration, calibrate } from './calibration/calibrate.js'
export { type ClassCalibration, calibrateClass } from './calibration/class-calibrate.js'
export type { ClassCorrection } from './calibration/class-correction.js'
export { type Correction, compileCorrection } from './calibration/correction.js'
export { type CorrectionClass, correctionBasis } from './calibration/correction-basis.js'
export type { GuardReport, GuardState } from './calibration/guard.js'
export type { LadderReport } from './calibration/ladder-report.js'
export { type CalibrationOptions, type CalibrationSettings, calibrationSettings } from './calibration/settings.js'
export type { RoundRange } from './data/block-parts.js'
export { type CovariateBatch, type CovariateRows, covariateRows } from './data/covariate-rows.js'
export {
  type EncodedCovariate,
  type EncodedFeature,
  type Encoding,
  encodePrediction,
  encodingOf,
} from './data/encoding.js'
// the problem and the log
export {
  type BooleanFeature,
  boolean,
  type CategoryFeature,
  category,
  type Feature,
  type FeatureValue,
  type NumberFeature,
  number,
  scaleNumber,
  unscaleNumber,
} from './data/feature.js'
export type { DecisionRecord, EpochRecord, LogRecord, RevealRecord, RewardRecord, VoidRecord } from './data/log.js'
export { NumberRow } from './data/number-row.js'
export {
  type AuditSpec,
  type CovariateSpec,
  checkProblem,
  type Problem,
  problemFingerprint,
  type RewardSpec,
} from './data/problem.js'
export { type RewardBatch, type RewardRows, rewardRows } from './data/reward-rows.js'
export {
  type ContextArchive,
  membersOf,
  modelSdOf,
  Observed,
  type RoundBlock,
  RoundStatus,
  RoundTable,
  reasonsOf,
  type TableShape,
} from './data/round-table.js'
// epochs
export { countedRounds, endEpoch, epochQuota } from './epoch/end-epoch.js'
export { type EpochDiagnosis, epochReport } from './epoch/epoch-report.js'
export {
  type CovariateReport,
  type EpochReport,
  type EpochState,
  initialState,
  type ModelInUse,
} from './epoch/epoch-state.js'
export { modelsInUse, renewCalibration } from './epoch/renew-calibration.js'
export type { CovariateDiagnosis, Estimate } from './epoch/report-covariate.js'
export type { CorrectionInUse, Evidence } from './epoch/report-model.js'
export type { LearningWarning, LearningWarningCode } from './epoch/report-warnings.js'
export { epochEnd, type Schedule } from './epoch/schedule.js'
// errors
export { type ErrorCode, type ErrorFacts, PrimoError } from './errors.js'
// exploration
export type { ExplorationRule } from './exploration/exploration-rule.js'
export type { GammaOption, GammaSchedule } from './exploration/gamma.js'
export { inverseGapWeighting } from './exploration/inverse-gap-weighting.js'
export { raiseToMinimum } from './exploration/minimum-propensity.js'
// imputation
export type { EnsembleLayout, EnsembleReport } from './imputation/ensemble.js'
export {
  type Context,
  type EnsembleImputer,
  type Imputer,
  type MemberImputer,
  type MemberPredictions,
  type Prediction,
  predictWith,
  pretrained,
} from './imputation/imputer.js'
export { type ImputerIdentity, imputerIdentity } from './imputation/imputer-identity.js'
export type { ModelSdUse } from './imputation/model-sd.js'
export { changedModels, renewPredictions } from './imputation/renew-predictions.js'
export type { TableImputer, TableRow } from './imputation/table-imputer.js'
export { readUncertain, type UncertainPrediction } from './imputation/uncertain-prediction.js'
// the learner
export { type AuditDraws, auditDraws } from './learner/audit.js'
export { createDecider, type Decider, type Ruling } from './learner/decider.js'
export type { CovariateUse, Decision } from './learner/decision.js'
export { createEngine, type Engine, type EngineOptions } from './learner/engine.js'
export type { Layer, LayerName, LayerReport, LayerState } from './learner/layers.js'
export { createLearner, type Learner, type LearnerOptions, restoreLearner } from './learner/learner.js'
export { type LoggedRound, type LoggedRounds, loggedRounds, warmStart } from './learner/logged-rounds.js'
export { compilePolicy, type Policy } from './learner/policy.js'
export { type LearningOptions, type ProfileName, profiles } from './learner/profiles.js'
export { renewImputers } from './learner/renew-imputers.js'
export { applyLog, replayLog } from './learner/replay.js'
export type { DecisionRequest } from './learner/request.js'
export { restoreState } from './learner/restore-state.js'
export { checkTruths, createRoundWriter, type LoggedDecision, type RoundWriter } from './learner/round-writer.js'
export type { RewardAnswer } from './learner/rounds.js'
export { SNAPSHOT_FORMAT, type Snapshot } from './learner/snapshot.js'
export { compileValueOfObserving, type ValueOfObserving } from './learner/value-of-observing.js'
export type { Cause, CausesObservation } from './missingness/causes-observation.js'
export { fitObservation, type ObservationRows } from './missingness/fit-observation.js'
// missingness
export {
  type ObservationModel,
  type ObservationOptions,
  observationProbability,
  observationSettings,
} from './missingness/observation-model.js'
export { type ObservationQuality, observationQuality } from './missingness/observation-quality.js'
export { gram } from './numeric/gram.js'
export { laneArray } from './numeric/gram-lanes.js'
export { type RidgeFit, solveRidge } from './numeric/least-squares.js'
export { linearScores } from './numeric/linear-scores.js'
// numeric
export { normalDistribution, normalQuantile } from './numeric/normal.js'
export { BLOCK_ROUNDS, type BlockSums, mergeBlocks, type Sums, sumRows } from './numeric/sums.js'
// oracle
export type { SummableRows } from './oracle/action-sums.js'
export type { ClassRewardModel } from './oracle/class-model.js'
export { type ClassOracleOptions, classOracle } from './oracle/class-oracle.js'
export { compileDesign, designColumns, designOf, type Interactions, type MissingIndicator } from './oracle/design.js'
export { type LinearOptions, linearOracle } from './oracle/linear.js'
export { CHUNK_ROUNDS, type ChunkSums, type LinearSums, linearSums } from './oracle/linear-chunks.js'
export type { LinearModel } from './oracle/linear-model.js'
export type { InputRow, Oracle, RewardModel, RewardScorer, ScoreLines } from './oracle/oracle.js'
// randomness
export { categorical, compileDraws, drawKey, drawOf, drawOfRound, drawsOfRounds } from './random/draw.js'
export { deriveKey, type RandomKey, seedKey } from './random/key.js'
export { Random } from './random/random.js'
// function classes
export { type Curve, compileCurve } from './regression/curve.js'
export {
  CLASS_KINDS,
  type ClassKind,
  type ClassOptions,
  compileModel,
  regressionOf,
} from './regression/function-class.js'
export { kernelRadius } from './regression/kernel.js'
export type { Predictor, Regression, RegressionModel, RegressionRows } from './regression/regression.js'
export type { HeldOutLoss } from './regression/selector.js'
// theory: elasticity, critical radii, the four theorems
export { type Assumption, type AssumptionStatus, assumptionsOf } from './theory/assumptions.js'
export {
  type BasisElasticityEstimate,
  type BasisElasticityEstimateInput,
  estimateBasisElasticity,
} from './theory/basis-elasticity-estimate.js'
export { type BoundsRow, type BoundsTable, boundsTable, type ProblemConstants } from './theory/bounds-table.js'
export { constants as theoryConstants, type ErmConstants } from './theory/constants.js'
export {
  type CovariateConstants,
  type CovariateConstantsInput,
  estimateCovariateConstants,
  type Interval,
} from './theory/covariate-constants.js'
export {
  type CriticalRadius,
  type LinearRadiusOptions,
  linearRadius,
  type RadiusFormula,
  solveRadius,
} from './theory/critical-radius.js'
export {
  type CrossFitOptions,
  crossFitProbabilities,
  crossFitRegression,
  type Folds,
  type MissingTable,
  makeFolds,
} from './theory/cross-fit.js'
export {
  type Elasticity,
  type ElasticitySample,
  elasticityOfSample,
  type ModelDifferences,
  modelDifferences,
} from './theory/elasticity.js'
export { type BasisElasticity, type BasisElasticityOptions, basisElasticity } from './theory/elasticity-basis.js'
export {
  type BiasEstimate,
  type ElasticityEstimate,
  type ElasticityEstimateInput,
  estimateElasticities,
  estimateElasticity,
} from './theory/elasticity-estimate.js'
export {
  linearElasticity,
  lipschitzElasticity,
  type SlopeElasticity,
  type SlopeElasticityInput,
} from './theory/elasticity-slope.js'
export {
  type VersionRadiusOptions,
  type VersionSpaceElasticity,
  type VersionSpaceOptions,
  versionSpaceElasticity,
  versionSpaceRadius,
} from './theory/elasticity-version-space.js'
export {
  type EllipsoidRadiusOptions,
  ellipsoidComplexity,
  ellipsoidRadius,
  kernelEigenvalues,
  sobolevEigenvalues,
} from './theory/ellipsoid-radius.js'
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
} from './theory/entropy-radius.js'
export { type EntropyRateOptions, entropyRate } from './theory/entropy-rate.js'
export { doublingEpoch } from './theory/epoch-rows.js'
export type { Formulas } from './theory/formulas.js'
export { criticalRadius, type FunctionClass, type RadiusOptions, radiusOf } from './theory/function-class.js'
export { estimateLipschitz, type LipschitzConstant, type LipschitzOptions } from './theory/lipschitz-constant.js'
export {
  type ComplexityValue,
  complexityAt,
  type LocalComplexity,
  monteCarloRadius,
} from './theory/local-complexity.js'
export { aipwMean, hajekMean, type MissingMean, type MissingMeanInput, missingMean } from './theory/missing-mean.js'
export { estimateNoiseBound, type NoiseBound, type NoiseBoundOptions } from './theory/noise-bound.js'
export type { Term } from './theory/oracle-inequality.js'
export { diagnoseOverlap, type Overlap, type OverlapOptions } from './theory/overlap.js'
export { type ConvexComplexityOptions, convexLipschitzComplexity } from './theory/rademacher-convex.js'
export { type LinearComplexityOptions, linearComplexity } from './theory/rademacher-linear.js'
export { type LipschitzComplexityOptions, lipschitzComplexity } from './theory/rademacher-lipschitz.js'
export type { Radius } from './theory/radius.js'
export {
  type HorizonOptions,
  type RegretBound,
  type Theorem2RegretInput,
  type Theorem4RegretInput,
  theorem2Regret,
  theorem4Regret,
} from './theory/regret-bound.js'
export { type Theorem1Bound, type Theorem1Input, theorem1, theorem1Squared } from './theory/theorem-1.js'
export { type EpochBound, type EpochInput, type Theorem2Input, theorem2Epoch } from './theory/theorem-2.js'
export { type CalibrationConstants, type Theorem3Bound, type Theorem3Input, theorem3 } from './theory/theorem-3.js'
export { type Theorem4Input, theorem4Epoch } from './theory/theorem-4.js'
export type { TheoryWarning, TheoryWarningCode } from './theory/theory-warning.js'
