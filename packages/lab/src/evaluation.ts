// Off-policy evaluation of a decision log, alone.

export { DifferenceSequence, gateVerdict } from './evaluation/anytime/difference-sequence.js'
export type { JudgedRow } from './evaluation/anytime/signed-value.js'
export type { EstimatorName } from './evaluation/estimators.js'
export { evaluateLog } from './evaluation/evaluate-log.js'
export { evaluationLog } from './evaluation/evaluation-log.js'
export { targetPolicy } from './evaluation/policy-name.js'
