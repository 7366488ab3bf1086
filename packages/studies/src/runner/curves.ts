// Curves over x: the values of one arm in one world, a figure for each x.

import { formatEstimate, type StudySeries, type Summary } from '@primo/lab'
import type { StudyTable } from '@primo/lab/node'
import type { Found } from './found.js'
import { bandPoints } from './plots.js'
import { rateOf, summariesOf } from './statistics.js'
import type { Figures, Size, World } from './study-spec.js'

export interface Curve {
  readonly x: readonly number[]
  /** By repeat. */
  readonly values: readonly (readonly number[])[]
  readonly means: readonly Summary[]
  /** At the last x, by repeat. */
  readonly last: readonly number[]
  /** Slope of the logarithm of the mean in log x. */
  readonly rate: Summary
}

export function curve(x: readonly number[], values: Curve['values']): Curve {
  const last = values.map((one) => one.at(-1)!)
  return { x, values, means: summariesOf(values), last, rate: rateOf(x, values) }
}

/** Figures `x` of an arm; `prefix` stands before each. */
export function curveOf<W extends World, S extends Size>(
  found: Found<W, S>,
  { world, arm, x, prefix = '' }: { world: string; arm: string; x: readonly number[]; prefix?: string },
): Curve {
  return curve(x, found.curves(x.map((at) => ({ world, arm, figure: `${prefix}${at}` }))))
}

export function figuresOver(x: readonly number[], of: (x: number) => number): Figures {
  return Object.fromEntries(x.map((at) => [at, of(at)]))
}

export function curveSeries(name: string, { x, means }: Curve): StudySeries {
  return { name, points: bandPoints(x, means) }
}

/** The point that a reference line goes through: the last one. */
export function endOf({ x, means }: Curve): readonly [number, number] {
  return [x.at(-1)!, means.at(-1)!.mean]
}

export function curveTable(title: string, first: string, named: Readonly<Record<string, Curve>>): StudyTable {
  const curves = Object.values(named)
  return {
    title,
    header: [first, ...Object.keys(named)],
    rows: [
      ...curves[0]!.x.map((at, i) => [
        at.toLocaleString('en'),
        ...curves.map(({ means }) => formatEstimate(means[i]!)),
      ]),
      ['slope', ...curves.map(({ rate }) => formatEstimate(rate))],
    ],
  }
}
