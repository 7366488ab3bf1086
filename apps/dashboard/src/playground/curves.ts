// Mean curves over seeds with their spread, from the cells that are done. Everywhere +- is two standard errors.

import { figure } from '../charts/number-format.js'
import type { Point } from '../charts/series.js'

/** One run: values at marks. */
export interface Curve {
  readonly policy: string
  readonly seed: number
  readonly marks: readonly number[]
}

export interface Estimate {
  readonly mean: number
  /** Two standard errors; null: one seed tells nothing of them. */
  readonly error: number | null
  readonly seeds: number
}

/** Mean at each mark, with its spread once there are two seeds. */
export function meanCurve<C extends Curve>(cells: readonly C[], pick: (cell: C) => readonly number[]): Point[] {
  const [first] = cells
  if (first === undefined) return []
  return first.marks.map((x, i) => {
    const { mean, error } = estimate(cells.map((cell) => pick(cell)[i]!))
    return error === null ? { x, y: mean } : { x, y: mean, low: mean - error, high: mean + error }
  })
}

/** The last value of one policy minus that of another, over the seeds that both have. */
export function pairedDifference<C extends Curve>(
  cells: readonly C[],
  one: string,
  other: string,
  pick: (cell: C) => number,
): Estimate | null {
  const of = (policy: string) =>
    new Map(cells.filter((cell) => cell.policy === policy).map((cell) => [cell.seed, cell]))
  const others = of(other)
  const values = [...of(one)].flatMap(([seed, cell]) => {
    const against = others.get(seed)
    return against === undefined ? [] : [pick(cell) - pick(against)]
  })
  return values.length === 0 ? null : estimate(values)
}

function estimate(values: readonly number[]): Estimate {
  const seeds = values.length
  const mean = values.reduce((sum, value) => sum + value, 0) / seeds
  if (seeds < 2) return { mean, error: null, seeds }
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (seeds - 1)
  return { mean, error: 2 * Math.sqrt(variance / seeds), seeds }
}

/** As people read it: "53 ± 5", no finer than the error. */
export function estimateText({ mean, error }: Estimate): string {
  if (error === null || error === 0) return figure(mean)
  const digits = Math.max(0, Math.min(6, -Math.floor(Math.log10(error))))
  return `${mean.toFixed(digits)} ± ${error.toFixed(digits)}`
}

/** Whether a difference is told from zero: at least three seeds, and zero outside of two and a half standard errors. */
export function isSettled({ mean, error, seeds }: Estimate): boolean {
  return error !== null && seeds >= 3 && Math.abs(mean) > 1.25 * error
}
