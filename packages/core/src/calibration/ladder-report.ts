// What an end of an epoch keeps of a ladder's fit.

import type { LadderFit } from './ladder.js'
import type { LadderCap } from './ladder-cap.js'

export interface LadderReport
  extends Pick<LadderFit, 'rung' | 'ridge' | 'shrinkage' | 'loss' | 'heldOut' | 'rows' | 'residualVariance'> {
  /** Weights of the known rows that were used. */
  readonly weights: 'none' | 'ipw' | 'missing'
  /** Largest size the correction may have, inside units, and whether it was scaled down to it; null: no cap. */
  readonly cap: LadderCap | null
}
