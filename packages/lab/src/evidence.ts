// Limits that hold at all times. The thread that writes the store loads them without the rest of the lab.

export { addEvidence, type Evidence, lowerLimit, noEvidence } from './statistics/confidence-sequence.js'
