// The wire: schemas shared by service, client and page. Each schema has a type of the same name.

export { Comparison, Comparisons, type Estimate, PageSettings } from './comparison.js'
export {
  CovariateUse,
  DecisionBatch,
  DecisionBatchReply,
  DecisionExplained,
  DecisionReply,
  DecisionRequest,
  EventId,
  Failure,
} from './decision.js'
export { type ErrorCode, errorCodes, errors, isErrorCode, ProblemDetails, problemDetails } from './errors.js'
export { EvaluationRequest } from './evaluation.js'
export { History, HistoryBucket, HistoryRange, type HistoryValue } from './history.js'
export { CalibrationInfo, ElasticityInfo, Empty, Epochs, Rollback, Summary } from './operations.js'
export {
  Covariate,
  Feature,
  FeatureValue,
  type FeatureValueType,
  Guards,
  Mode,
  Name,
  Prediction,
  ProblemDefinition,
  ProblemInfo,
} from './problem.js'
export {
  RevealReport,
  RewardAnswer,
  RewardBatch,
  RewardBatchReply,
  RewardReply,
  RewardReport,
  VoidReport,
} from './reward.js'
