// The public door of @primo/core, grouped by stage.

// calibration
export { type BallFit, type BallProblem, solveInBall } from './calibration/ball.js'
export { type Calibration, calibrate } from './calibration/calibrate.js'
export { type Correction, compileCorrection } from './calibration/correction.js'
export { type CorrectionClass, correctionBasis } from './calibration/correction-basis.js'
export { type CalibrationOptions, type CalibrationSettings, calibrationSettings } from './calibration/settings.js'
export { type EncodedCovariate, type EncodedFeature, type Encoding, encodingOf } from './data/encoding.js'
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
export { type CovariateSpec, checkProblem, type Problem, problemFingerprint, type RewardSpec } from './data/problem.js'
export { Observed, type RoundBlock, RoundStatus, RoundTable, type TableShape } from './data/round-table.js'
export {
  type CovariateBatch,
  type CovariateRows,
  covariateRows,
  type RewardBatch,
  type RewardRows,
  type RoundRange,
  rewardRows,
} from './data/rows.js'
// epochs
export { countedRounds, endEpoch, epochQuota } from './epoch/end-epoch.js'
export { type CovariateReport, type EpochReport, type EpochState, initialState } from './epoch/epoch-state.js'
export { doublingEpoch, epochEnd, type Schedule } from './epoch/schedule.js'
// errors
export { type ErrorCode, type ErrorFacts, PrimoError } from './errors.js'
// exploration
export type { ExplorationRule } from './exploration/exploration-rule.js'
export type { GammaOption, GammaSchedule } from './exploration/gamma.js'
export { inverseGapWeighting } from './exploration/inverse-gap-weighting.js'
export { raiseToMinimum } from './exploration/minimum-propensity.js'
// imputation
export { type Context, type Imputer, type Prediction, pretrained } from './imputation/imputer.js'
// the learner
export type { CovariateUse, Decision } from './learner/decision.js'
export { createEngine, type Engine, type EngineOptions } from './learner/engine.js'
export { createLearner, type Learner, type LearnerOptions, restoreLearner } from './learner/learner.js'
export { compilePolicy, type Policy } from './learner/policy.js'
export { type LearningOptions, type ProfileName, profiles } from './learner/profiles.js'
export { applyLog, replayLog } from './learner/replay.js'
export type { DecisionRequest } from './learner/request.js'
export type { RewardAnswer } from './learner/rounds.js'
export { SNAPSHOT_FORMAT, type Snapshot } from './learner/snapshot.js'
export { fitObservation, type ObservationRows } from './missingness/fit-observation.js'
// missingness
export {
  type ObservationModel,
  type ObservationOptions,
  observationProbability,
  observationSettings,
} from './missingness/observation-model.js'
export { gram } from './numeric/gram.js'
// numeric
export { BLOCK_ROUNDS, type BlockSums, mergeBlocks, type Sums, sumRows } from './numeric/sums.js'
// oracle
export { compileDesign, designColumns, designOf, type Interactions, type MissingIndicator } from './oracle/design.js'
export { type LinearOptions, linearOracle } from './oracle/linear.js'
export { type LinearModel, linearScores } from './oracle/linear-model.js'
export type { InputRow, Oracle, RewardModel, RewardScorer } from './oracle/oracle.js'
// randomness
export { categorical, drawKey, drawOf, drawOfRound } from './random/draw.js'
export { deriveKey, type RandomKey, seedKey } from './random/key.js'
export { Random } from './random/random.js'
