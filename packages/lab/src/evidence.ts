// The running sum behind a confidence sequence, alone: the service's threads keep one per guardrail.

export { addEvidence, type Evidence, lowerLimit, noEvidence } from './statistics/confidence-sequence.js'
