// Mean curves over seeds with their spread, from the cells that are done.

import type { Point } from '../charts/line-chart.js'
import type { PlayedCell } from './run-cells.js'

/** Mean regret of a policy at each mark, with two standard errors once there are two seeds. */
export function meanCurve(cells: readonly PlayedCell[], pick: (cell: PlayedCell) => readonly number[]): Point[] {
  const [first] = cells
  if (first === undefined) return []
  return first.marks.map((x, i) => {
    const values = cells.map((cell) => pick(cell)[i]!)
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    if (values.length < 2) return { x, y: mean }
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1)
    const error = Math.sqrt(variance / values.length)
    return { x, y: mean, low: mean - 2 * error, high: mean + 2 * error }
  })
}

export interface PairedDifference {
  readonly mean: number
  readonly error: number | null
  readonly seeds: number
}

/** Final regret of one policy minus that of another per 1,000 decisions, over the seeds that both have. */
export function pairedDifference(cells: readonly PlayedCell[], one: string, other: string): PairedDifference | null {
  const last = (policy: string) =>
    new Map(cells.filter((cell) => cell.policy === policy).map((cell) => [cell.seed, cell]))
  const others = last(other)
  const values = [...last(one)].flatMap(([seed, cell]) => {
    const against = others.get(seed)
    if (against === undefined) return []
    const rounds = cell.marks.at(-1)!
    return [(1000 * (cell.regret.at(-1)! - against.regret.at(-1)!)) / rounds]
  })
  if (values.length === 0) return null
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / Math.max(1, values.length - 1)
  return { mean, error: values.length < 2 ? null : Math.sqrt(variance / values.length), seeds: values.length }
}
