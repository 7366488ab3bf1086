// The wire: schemas shared by service, client and page. Each schema has a type of the same name.

export { CandidateBody, CandidateInfo } from './candidate.js'
export { type ComparedEstimate, Comparison, Comparisons, PageSettings } from './comparison.js'
export {
  CovariateReply,
  DecisionBatch,
  DecisionBatchReply,
  DecisionBody,
  DecisionExplained,
  DecisionQuery,
  DecisionReply,
  EventId,
  Failure,
} from './decision.js'
export {
  DecisionFilter,
  DecisionList,
  DecisionListQuery,
  DecisionRow,
  OperationList,
} from './decision-list.js'
export { errorCodes, errors, isErrorCode, problemDetails, type ServiceErrorCode } from './errors.js'
export { Evaluation, EvaluationRequest } from './evaluation.js'
export { examples } from './examples.js'
export { History, HistoryBucket, HistoryRange, type HistoryValue } from './history.js'
export { KeyInfo, KeyList, KeyName, KeyRotation, NewKey, NewKeyReply } from './keys.js'
export { CallerName, LocalDecision, PolicyDocument, Upload, UploadItem, UploadReply } from './local.js'
export { FlagEvaluation, FlagFailure, FlagRequest } from './ofrep.js'
export {
  CalibrationInfo,
  ClockInfo,
  ElasticityInfo,
  Empty,
  Epochs,
  Liveness,
  ProblemSummary,
  Readiness,
  Rollback,
  SubjectForgotten,
} from './operations.js'
export { Overview, Trend } from './overview.js'
export {
  Covariate,
  DefinitionPlan,
  DefinitionReply,
  FeatureDefinition,
  type FeatureValueType,
  Guardrail,
  Guards,
  Mode,
  Name,
  PredictionBody,
  ProblemDefined,
  ProblemDefinition,
  ProblemInfo,
  ProblemList,
  ProblemRemoved,
  type WireImputer,
  WireValue,
} from './problem.js'
export { ProblemDetails } from './problem-details.js'
export {
  RevealReport,
  RewardBatch,
  RewardBatchReply,
  RewardOutcome,
  RewardReply,
  RewardReport,
  VoidReport,
} from './reward.js'
export { schemas } from './schemas.js'
