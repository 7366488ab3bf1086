// A decision log as a table to train on: contexts, and the truths of covariates, seen at the decision or revealed later. Beside it what the
// model in use said of each, so that another one can be judged against it.

import type { Feature, Prediction } from '@primo/core'
import { memoryTable } from '../tables/memory-table.js'
import type { Table } from '../tables/table.js'
import type { LogRow } from './log-columns.js'
import type { LogHeader } from './log-header.js'
import { loggedRound } from './logged-round.js'

/** The rounds of a log as a table. */
export interface LogTable {
  /** One column per context feature and covariate. */
  readonly table: Table
  /** Number of each row's round. */
  readonly rounds: Float64Array
  /** By covariate: what the model in use predicted; null: nothing. */
  readonly predictions: Readonly<Record<string, readonly (Prediction | null)[]>>
  /** What columns hold. */
  readonly declared: Readonly<Record<string, Feature>>
}

/** Rounds after `after` (default: all); `name` is what cards call the log. */
export async function logTable(
  name: string,
  header: LogHeader,
  rows: AsyncIterable<LogRow>,
  after = 0,
): Promise<LogTable> {
  const features = { ...header.context, ...header.covariates } as Readonly<Record<string, Feature>>
  const names = Object.keys(features)
  const cells: Record<string, (string | number | boolean | null)[]> = Object.fromEntries(names.map((one) => [one, []]))
  const predictions = Object.fromEntries(
    Object.keys(header.covariates).map((one) => [one, [] as (Prediction | null)[]]),
  )
  const rounds: number[] = []
  let count = 0
  for await (const row of rows) {
    count++
    const number = typeof row.round === 'number' ? row.round : count
    if (number <= after) continue
    rounds.push(number)
    const { context, covariates = {}, revealed = {}, predictions: said = {} } = loggedRound(header, row)
    for (const one of Object.keys(header.context)) cells[one]!.push(context[one] ?? null)
    for (const one of Object.keys(header.covariates)) {
      cells[one]!.push((covariates[one] ?? revealed[one] ?? null) as string | number | boolean | null)
      predictions[one]!.push((said[one] ?? null) as Prediction | null)
    }
  }
  const columns = names.map((one) => [
    one,
    features[one]!.type === 'category'
      ? (cells[one] as (string | null)[])
      : Float64Array.from(cells[one]!, (cell) => (cell === null ? Number.NaN : Number(cell))),
  ])
  return {
    table: memoryTable(name, Object.fromEntries(columns)),
    rounds: Float64Array.from(rounds),
    predictions,
    declared: features,
  }
}
