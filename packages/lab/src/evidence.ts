// Limits that hold at all times. The thread that writes the store loads them without the rest of the lab.

export {
  addComparison,
  addEvidence,
  type ComparedEvidence,
  type Evidence,
  lowerLimit,
  noComparison,
  noEvidence,
} from './statistics/confidence-sequence.js'
