// Intervals for an estimate T = sum top / sum bottom over independent rows.
//   asymptotic: T -+ t sd(phi)/sqrt(n), phi_i = (top_i - T bottom_i) / mean bottom, t of Student's with the degrees of freedom that the
//               kurtosis of phi leaves (core's influence-interval.ts): a few heavy weights leave few, and the interval is wide.
//               None for an estimate whose error is not that of its terms (the direct one: it is as wrong as its model).
//   bootstrap:  percentiles of T over resampled rows. Rows are first dealt in turn into at most 2,048 groups, which are
//               then resampled: the same law for independent rows, and a cost that does not grow with n.
//   bernstein:  mean -+ [sqrt(2 V L/n) + 7 R L/(3(n-1))], L = log(4/(1 - level)), V the variance, R the range of a term:
//               holds at every n (Maurer and Pontil 2009). Needs bounded terms, and a bottom that is constant or 0 and 1.

import { influenceInterval } from '@primo/core/engine'
import type { Random } from '@primo/numeric'
import { type Terms, varianceOf } from './estimators.js'

/** Limits of an estimate. */
export interface EvaluationInterval {
  readonly low: number
  readonly high: number
}

export interface ValueEstimate {
  readonly value: number
  readonly standardError: number
  /** null: the terms do not show the error. */
  readonly asymptotic: EvaluationInterval | null
  /** Of Student's t: how many rows the interval rests on, so to say. */
  readonly degrees: number
}

const MAX_GROUPS = 2048

export function ratio({ top, bottom }: Pick<Terms, 'top' | 'bottom'>): number {
  let above = 0
  for (const value of top) above += value
  if (bottom === null) return above / top.length
  let below = 0
  for (const value of bottom) below += value
  return above / below
}

/** phi_i: what each row moves the estimate by, times n. */
export function influence({ top, bottom }: Pick<Terms, 'top' | 'bottom'>): Float64Array {
  const value = ratio({ top, bottom })
  if (bottom === null) return top.map((one) => one - value)
  let below = 0
  for (const one of bottom) below += one
  const mean = below / bottom.length
  return top.map((one, i) => (one - value * bottom[i]!) / mean)
}

export function estimateOf(terms: Terms, level: number): ValueEstimate {
  return studentEstimate(ratio(terms), influence(terms), level, terms.modelled === true)
}

/** An estimate with its influence values, times n. */
export function studentEstimate(value: number, phi: Float64Array, level: number, modelled = false): ValueEstimate {
  const { standardError, degrees, lower, upper } = influenceInterval(value, phi, { level, scale: 'linear' })
  return { value, standardError, degrees, asymptotic: modelled ? null : { low: lower, high: upper } }
}

/** For every list of terms over the same rows; the same resamples serve all of them. */
export function bootstrapIntervals(
  all: readonly Terms[],
  options: { readonly replicates: number; readonly level: number; readonly random: Random },
): readonly (EvaluationInterval | null)[] {
  const { replicates, level, random } = options
  const rows = all[0]?.top.length ?? 0
  const groups = Math.min(rows, MAX_GROUPS)
  const sums = all.map(({ top, bottom }) => ({ top: grouped(top, groups), bottom: grouped(bottom, groups, rows) }))
  const values = all.map(() => new Float64Array(replicates))
  const counts = new Uint16Array(groups)
  for (let b = 0; b < replicates; b++) {
    counts.fill(0)
    // 53 random bits are enough for four groups of at most 2^11.
    let left = 0
    for (let k = 0; k < groups; k++) {
      left = (k % 4 === 0 ? random.uniform() : left) * groups
      const drawn = Math.floor(left)
      left -= drawn
      counts[drawn] = counts[drawn]! + 1
    }
    sums.forEach(({ top, bottom }, which) => {
      let above = 0
      let below = 0
      for (let k = 0; k < groups; k++) {
        above += counts[k]! * top[k]!
        below += counts[k]! * bottom[k]!
      }
      values[which]![b] = below > 0 ? above / below : 0
    })
  }
  return values.map((found, which) => {
    if (all[which]!.modelled === true) return null
    found.sort()
    return { low: percentile(found, (1 - level) / 2), high: percentile(found, (1 + level) / 2) }
  })
}

function grouped(values: Float64Array | null, groups: number, rows = values?.length ?? 0): Float64Array {
  const sums = new Float64Array(groups)
  for (let i = 0; i < rows; i++) sums[i % groups] = sums[i % groups]! + (values === null ? 1 : values[i]!)
  return sums
}

function percentile(sorted: Float64Array, p: number): number {
  const at = p * (sorted.length - 1)
  const low = sorted[Math.floor(at)]!
  return low + (at - Math.floor(at)) * (sorted[Math.ceil(at)]! - low)
}

/** null where it does not hold: unbounded terms, or a denominator that is itself estimated. */
export function bernsteinInterval({ top, bottom, bounds }: Terms, level: number): EvaluationInterval | null {
  if (bounds === null) return null
  const kept = bottom === null ? top : top.filter((_, i) => bottom[i] === 1)
  if (bottom?.some((value) => value !== 0 && value !== 1)) return null
  const rows = kept.length
  if (rows < 2) return null
  const mean = ratio({ top: kept, bottom: null })
  const log = Math.log(4 / (1 - level))
  const half = Math.sqrt((2 * varianceOf(kept) * log) / rows) + (7 * (bounds.max - bounds.min) * log) / (3 * (rows - 1))
  return { low: mean - half, high: mean + half }
}
