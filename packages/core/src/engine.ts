// What builders of engines, oracles, environments and services need.

// bounds
export type { MissingSet } from './bounds/equations.js'
export { categoryLevels, type Levels } from './bounds/levels.js'
export { type MissingSetFound, type MissingSetInput, missingSet, type Witness } from './bounds/missing-set.js'
// calibration
export { solveInBall } from './calibration/ball.js'
export { type Calibration, calibrate } from './calibration/calibrate.js'
export { type Correction, compileCorrection } from './calibration/correction.js'
export type { CorrectionClass } from './calibration/correction-basis.js'
export { calibrationSettings } from './calibration/settings.js'

// diagnostics
export { auditReport } from './diagnostics/audit-report.js'
export { estimateCovariateConstants } from './diagnostics/covariate-constants.js'
export { type CrossFit, crossFit, type Folds, type MissingTable, type NuisanceClass } from './diagnostics/cross-fit.js'
export { estimateElasticity } from './diagnostics/elasticity-estimate.js'
export { epochReport } from './diagnostics/epoch-report.js'
export { influenceInterval } from './diagnostics/influence-interval.js'
export { aipwInfluence, hajekMean, missingMean, unsupportedBy } from './diagnostics/missing-mean.js'
export { diagnoseMissingRewards } from './diagnostics/missing-rewards.js'
export { type AllowedMean, compileSettledRanking, type SettledRanking } from './diagnostics/settled-ranking.js'

// engine
export { createEngine, type Engine, type EngineOptions } from './engine/engine.js'
export { type EpochState, initialState } from './engine/epoch-state.js'
export { missingCode, namedOptions } from './engine/named-options.js'
export { compilePolicy, type Policy } from './engine/policy.js'

// epoch
export { countedRounds, endEpoch, epochQuota } from './epoch/end-epoch.js'
export { growState, renewRounds } from './epoch/grow.js'
export { modelsInUse, renewCalibration } from './epoch/renew-calibration.js'
export { changedModels } from './epoch/renew-predictions.js'

// exploration
export { requirePropensities } from './exploration/exploration-rule.js'
export { inverseGapWeighting } from './exploration/inverse-gap-weighting.js'

// imputation
export { predictWith } from './imputation/predict-with.js'
export { compileScores, linkScores, predictTrained, spreadAt } from './imputation/trained-predictor.js'

// learner
export { type Asker, type AuditDraws, auditDraws, compileAsker } from './learner/audit-draws.js'
export { type Choice, createDecider, type Decider } from './learner/decider.js'
export { loggedRounds } from './learner/logged-rounds.js'
export { restoreState } from './learner/restore-state.js'
export { checkTruths, createRoundWriter, type LoggedDecision, type RoundWriter } from './learner/round-writer.js'

// missingness
export { fitObservation, type ObservationRows } from './missingness/fit-observation.js'
export { type ObservationModel, observationProbability, observationSettings } from './missingness/observation-model.js'
export { compileRewardSeen, fitRewardObservation, rewardFates } from './missingness/reward-observation.js'
export type { SummableRows } from './oracle/action-sums.js'
export { designColumns, designOf, type MissingIndicator } from './oracle/design.js'
export { linearOracle } from './oracle/linear.js'
export { CHUNK_ROUNDS, type ChunkSums, linearSums } from './oracle/linear-chunks.js'
export type { LinearModel } from './oracle/linear-model.js'
export { compileDesign } from './oracle/write-design.js'
// oracle

// problem
export { type Columns, columnsOf } from './problem/columns.js'
export {
  clippedValues,
  type EncodedCovariate,
  type Encoding,
  encodeContext,
  encodePrediction,
  encodingOf,
} from './problem/encoding.js'
export { encodeValue, scaleNumber, unscaleNumber } from './problem/feature.js'
export type { MemberPredictions } from './problem/imputer.js'
export { shortHash } from './problem/short-hash.js'
export { featureColumns, trainedFingerprint, trainedWidth, writeTrainedFeature } from './problem/trained-model.js'
export { readUncertain } from './problem/uncertain-prediction.js'
// regression
export { regressionOf } from './regression/function-class.js'
export { fitLogOdds } from './regression/log-odds.js'
export type { RegressionModel, RegressionRows } from './regression/regression.js'
export { rowFolds, rowsAt } from './regression/regression-rows.js'
export { fitUsable, type UsableModel } from './regression/usable-fit.js'
// rounds
export { blockParts } from './rounds/block-parts.js'
export type { CovariateBatch, CovariateRows } from './rounds/covariate-rows.js'
export { rewardRows } from './rounds/reward-rows.js'
export {
  type ContextArchive,
  membersOf,
  modelSdOf,
  Observed,
  type RoundBlock,
  RoundStatus,
  RoundTable,
  reasonsOf,
} from './rounds/round-table.js'
export { type Claim, claimOf, differingField } from './serving/claim.js'
export { Proof, proofText } from './serving/decision-proof.js'
// serving
export {
  createGuardedDecider,
  type GuardedChoice,
  type GuardedDecider,
  type GuardedOptions,
} from './serving/guarded-decider.js'
export { hashOfPolicy, policyHash } from './serving/policy-hash.js'
export { SERVED_KINDS } from './serving/served-imputer.js'
export { enginesProblem, type ServedProblem, servedEngine } from './serving/served-problem.js'
export type { AskedAside, ModelNote, ServedRequest, ServedUse } from './serving/served-request.js'
