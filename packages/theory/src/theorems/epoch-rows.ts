// Rows behind epoch s of the doubling schedule beta_0 = 0, beta_s = 2^s (method#epochs):
//   |D_{s-1}| = 2 for s = 2, 2^(s-2) for s >= 3.   Printed: 2^(s-2) for every s, which says 1 at s = 2 (erratum E13).
//   |D_{s-2}| = 0 for s = 2, 2 for s = 3, 2^(s-3) for s >= 4 (E42); printed 2^(s-3), floored at 1 here.

import type { Formulas } from '../formulas.js'

/** Rows that fit the reward model of epoch s >= 2. */
export function rewardRows(formulas: Formulas, epoch: number): number {
  return epoch === 2 && formulas === 'corrected' ? 2 : 2 ** (epoch - 2)
}

/** Rows that calibrated the imputer whose values epoch s's reward fit uses. */
export function calibrationRowsOf(formulas: Formulas, epoch: number): number {
  if (formulas === 'printed') return Math.max(1, 2 ** (epoch - 3))
  return epoch === 2 ? 0 : epoch === 3 ? 2 : 2 ** (epoch - 3)
}

/** Rounds of epoch s that are <= horizon. */
export function roundsWithin(epoch: number, horizon: number): number {
  const before = epoch === 1 ? 0 : 2 ** (epoch - 1)
  return Math.max(0, Math.min(2 ** epoch, horizon) - before)
}

/** Epoch of round t (1-based) under doubling: s(t) = max(1, bit length of t - 1). */
export function doublingEpoch(round: number): number {
  // Whole numbers only: a logarithm is off by one near large powers of two.
  let epoch = 1
  while (2 ** epoch < round) epoch++
  return epoch
}
