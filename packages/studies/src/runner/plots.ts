// Plots of a study: lines over x with bands, and dots of seeds with their mean and interval.

import { type ColorName, type StudyDotPlot, type StudySeries, type Summary, studyDotPlot, summarise } from '@primo/lab'
import type { Found, Place } from './found.js'
import type { Size, World } from './study-spec.js'
import { sizeText } from './tables.js'

/** Means with bands of 1.96 standard errors. */
export function bandPoints(x: readonly number[], summaries: readonly Summary[]): StudySeries['points'] {
  return x.map((value, i) => {
    const { mean, standardError } = summaries[i]!
    return { x: value, y: mean, low: mean - 1.96 * standardError, high: mean + 1.96 * standardError }
  })
}

/** A dashed horizontal line. */
export function level(name: string, x: readonly number[], y: number): StudySeries {
  return { name, dashed: true, points: [x[0]!, x.at(-1)!].map((at) => ({ x: at, y })) }
}

/** A dashed power of x through a point. */
export function power(name: string, x: readonly number[], exponent: number, through: readonly [number, number]) {
  const [x0, y0] = through
  return { name, dashed: true, points: x.map((at) => ({ x: at, y: y0 * (at / x0) ** exponent })) } satisfies StudySeries
}

export interface SavingsPlot {
  readonly title: string
  readonly figure: string
  /** The arm that the others are compared with, in the same world and repeat. */
  readonly than: string
  readonly places: readonly Place[]
  readonly name?: (place: Place) => string
  /** In per cent of the other's figure rather than in its units. */
  readonly percent?: boolean
}

/** The saving of each place against another arm: a dot per repeat. */
export function savingsPlot<W extends World, S extends Size>(found: Found<W, S>, plot: SavingsPlot): StudyDotPlot {
  const { title, figure, than, places, percent = false, name = (place) => `${place.world}: ${place.arm}` } = plot
  return dotPlot(found, {
    title,
    words: ['costs', 'saves'],
    rows: places.map((place) => {
      const others = place.values(figure, than)
      const seeds = place
        .values(figure)
        .map((own, i) => (percent ? 100 * (1 - own / (others[i]! || Number.MIN_VALUE)) : others[i]! - own))
      return { name: name(place), seeds, color: summarise(seeds).mean >= 0 ? 'navy' : 'red' }
    }),
  })
}

export interface DotRows {
  readonly title: string
  /** Under the axis, left and right of zero. */
  readonly words: readonly [less: string, more: string]
  readonly rows: readonly { readonly name: string; readonly seeds: readonly number[]; readonly color: ColorName }[]
}

export function dotPlot<W extends World, S extends Size>(
  { size }: Found<W, S>,
  { title, words: [less, more], rows }: DotRows,
): StudyDotPlot {
  const subtitle = `A dot is a repeat; ${sizeText(size)}, mean and 95% interval; in numbers ± one standard error`
  return studyDotPlot({ title, subtitle, xLabel: '', less, more, rows })
}
