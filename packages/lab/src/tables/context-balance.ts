// Love-plot data: standardised mean difference of each context column between observed and missing rows,
// (mean over observed - mean over missing) / sqrt((var observed + var missing)/2), before and after weighting the observed
// rows by (1 - e-hat)/e-hat, which makes them look like the missing ones when e(x) is right. The scale is the same in both.

import type { CalibrationRows } from './calibration-rows.js'

export interface BalanceRow {
  readonly column: string
  readonly before: number
  readonly after: number
}

/** Empty when one kind of row is absent. */
export function contextBalance(
  rows: CalibrationRows,
  columns: readonly string[],
  probabilities: Float64Array,
): readonly BalanceRow[] {
  if (rows.knownCount === 0 || rows.knownCount === rows.count) return []
  const p = rows.contextWidth
  return columns.map((column, k) => {
    const observed = new Moments()
    const missing = new Moments()
    const weighted = new Moments()
    for (let row = 0; row < rows.count; row++) {
      const value = rows.context[row * p + k]!
      if (rows.known[row] !== 1) missing.add(1, value)
      else {
        observed.add(1, value)
        weighted.add(1 / probabilities[row]! - 1, value)
      }
    }
    const scale = Math.sqrt((observed.variance + missing.variance) / 2)
    const difference = (mean: number) => (scale > 0 ? (mean - missing.mean) / scale : 0)
    return { column, before: difference(observed.mean), after: difference(weighted.mean) }
  })
}

class Moments {
  #weight = 0
  #mean = 0
  #square = 0

  add(weight: number, value: number): void {
    if (weight <= 0) return
    this.#weight += weight
    const step = value - this.#mean
    this.#mean += (weight / this.#weight) * step
    this.#square += weight * step * (value - this.#mean)
  }

  get mean(): number {
    return this.#mean
  }

  get variance(): number {
    return this.#weight > 0 ? this.#square / this.#weight : 0
  }
}
