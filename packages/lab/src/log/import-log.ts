// A log made elsewhere as a decision log. The table is read once to find actions, features and the reward's range and then
// once for every time its rows are asked for; nothing but those findings is kept.

import type { Feature } from '@primo/core'
import { PrimoError } from '@primo/numeric'
import { listNames, tableError } from '../tables/table-error.js'
import { type LogCell, type LogRow, predictionColumns } from './log-columns.js'
import { type LogHeader, levelsOf, logHeader } from './log-header.js'
import { checkLogMapping, type LogMapping, type MappedFeature } from './log-mapping.js'
import { type LogFile, logFormatInside } from './read-log.js'
import { type TableRow, tableRows } from './table-rows.js'
import { timeCell } from './time-cell.js'

const MAX_LEVELS = 256

/** Opens a table made elsewhere as a decision log, by a mapping of its columns. */
export async function importLog(file: string, given: LogMapping): Promise<LogFile> {
  const mapping = checkLogMapping(given)
  const texts = new Set([mapping.action, ...textColumns(mapping)])
  const context = (mapping.context ?? []).map((one): MappedFeature => (typeof one === 'string' ? { column: one } : one))
  const found = await findFeatures(file, mapping, context, texts)
  const header = logHeader({
    actions: mapping.actions ?? [...found.actions].sort(),
    context: Object.fromEntries(
      context.map(({ name, column, feature }) => [name ?? column, feature ?? found.feature(column)]),
    ),
    covariates: Object.fromEntries(
      Object.entries(mapping.covariates ?? {}).map(([name, { column, feature }]) => [
        name,
        feature ?? found.feature(column),
      ]),
    ),
    reward: rewardRange(file, mapping, found.reward),
  })
  return {
    file,
    format: logFormatInside(file),
    header,
    rows: async function* () {
      let number = 0
      for await (const row of tableRows(file, { texts })) yield mappedRow(file, header, mapping, context, row, ++number)
    },
  }
}

/** Columns that are texts by what they mean. */
function textColumns(mapping: LogMapping): readonly string[] {
  const { decisionId, eventId, subject, context = [], covariates = {} } = mapping
  const ids = [decisionId, eventId, subject].filter((name) => typeof name === 'string')
  const levels = [...context, ...Object.values(covariates)].flatMap((one) =>
    typeof one === 'object' && one.feature?.type === 'category' ? [one.column] : [],
  )
  return [...ids, ...levels]
}

class Cells {
  numbers = 0
  booleans = 0
  low = Number.POSITIVE_INFINITY
  high = Number.NEGATIVE_INFINITY
  readonly texts = new Set<string>()

  add(cell: LogCell | undefined): void {
    if (typeof cell === 'number') {
      this.numbers++
      this.low = Math.min(this.low, cell)
      this.high = Math.max(this.high, cell)
    } else if (typeof cell === 'boolean') this.booleans++
    else if (typeof cell === 'string' && this.texts.size <= MAX_LEVELS) this.texts.add(cell)
  }

  feature(file: string, column: string): Feature {
    if (this.texts.size > MAX_LEVELS) {
      throw tableError('table-wrong-type', file, `must have at most ${MAX_LEVELS} different texts`, { column })
    }
    if (this.texts.size > 0 && this.numbers + this.booleans > 0) {
      const value = [...this.texts][0]
      throw tableError('table-wrong-type', file, 'must hold numbers only, or texts only', { column, value })
    }
    if (this.texts.size > 0) return { type: 'category', levels: [...this.texts].sort() }
    if (this.booleans > 0 && this.numbers === 0) return { type: 'boolean' }
    if (this.numbers === 0) throw tableError('table-empty', file, 'must have a value in some row', { column })
    return { type: 'number', min: this.low, max: this.high > this.low ? this.high : this.low + 1 }
  }
}

async function findFeatures(
  file: string,
  mapping: LogMapping,
  context: readonly MappedFeature[],
  texts: ReadonlySet<string>,
) {
  const wanted = new Map<string, Cells>()
  for (const { column } of [...context, ...Object.values(mapping.covariates ?? {})]) wanted.set(column, new Cells())
  const actions = new Set<string>()
  const reward = new Cells()
  const hides = new Map(Object.values(mapping.covariates ?? {}).map(({ column, observed }) => [column, observed]))
  let first = true
  for await (const row of tableRows(file, { texts })) {
    if (first) checkColumns(file, row, [mapping.action, mapping.reward, ...wanted.keys()])
    first = false
    const action = row[mapping.action]
    if (action !== null && action !== undefined) actions.add(String(action))
    reward.add(row[mapping.reward])
    for (const [column, cells] of wanted) {
      const flag = hides.get(column)
      if (flag === undefined || isTrue(row[flag])) cells.add(row[column])
    }
  }
  if (first) throw tableError('table-empty', file, 'must have rows, got none')
  return { actions, reward, feature: (column: string) => wanted.get(column)!.feature(file, column) }
}

function checkColumns(file: string, row: TableRow, columns: readonly string[]): void {
  for (const column of columns) {
    if (column in row) continue
    const rule = `no column "${column}"; the columns are ${listNames(Object.keys(row))}`
    throw tableError('table-missing-column', file, rule, { column })
  }
}

function rewardRange(file: string, { rewardRange: given, reward }: LogMapping, found: Cells) {
  if (given !== undefined) return { min: given[0], max: given[1] }
  if (found.numbers === 0 || found.texts.size > 0)
    throw tableError('table-wrong-type', file, 'must hold numbers', { column: reward })
  return { min: found.low, max: found.high > found.low ? found.high : found.low + 1 }
}

function isTrue(cell: LogCell | undefined): boolean {
  return cell === true || cell === 1
}

function mappedRow(
  file: string,
  header: LogHeader,
  mapping: LogMapping,
  context: readonly MappedFeature[],
  row: TableRow,
  number: number,
): LogRow {
  const cell = (column: string | null | undefined) => (typeof column === 'string' ? (row[column] ?? null) : null)
  const action = String(cell(mapping.action) ?? '')
  const reward = cell(mapping.reward)
  const out: Record<string, LogCell> = {
    decisionId: mapping.decisionId == null ? String(number) : String(cell(mapping.decisionId)),
    eventId: cell(mapping.eventId),
    subject: cell(mapping.subject),
    time: mapping.time == null ? null : timeCell(file, mapping.time, cell(mapping.time), number),
    action,
    propensity: propensityOf(file, header, mapping, row, action, number),
    propensities: listOf(cell(mapping.propensities)) as readonly number[] | null,
    eligible: listOf(cell(mapping.eligible)) as readonly string[] | null,
    reward,
    rewardStatus: reward === null ? 'dropped' : 'closed',
  }
  for (const { name, column } of context) out[`context.${name ?? column}`] = cell(column)
  for (const [name, { column, observed, prediction }] of Object.entries(mapping.covariates ?? {})) {
    const feature = header.covariates[name]!
    const seen = observed === undefined || isTrue(row[observed])
    out[`covariate.${name}`] = seen ? cell(column) : null
    if (prediction === undefined) continue
    if (feature.type !== 'category') {
      const said = cell(prediction)
      out[`pretrained.${name}`] = typeof said === 'boolean' ? Number(said) : said
      continue
    }
    const level = cell(prediction)
    levelsOf(feature).forEach((one, k) => {
      const to = predictionColumns('pretrained', name, feature)[k]!
      out[to] = level === null ? cell(`${prediction}=${one}`) : Number(level === one)
    })
  }
  return out
}

function propensityOf(
  file: string,
  { actions }: LogHeader,
  { propensity }: LogMapping,
  row: TableRow,
  action: string,
  number: number,
): LogCell {
  if (typeof propensity === 'string') return row[propensity] ?? null
  if ('uniform' in propensity) return 1 / actions.length
  const value = propensity.of[action]
  if (value !== undefined) return value
  throw tableError('table-wrong-type', file, 'must be an action with a propensity', { row: number, value: action })
}

function listOf(cell: LogCell): LogCell {
  if (typeof cell !== 'string') return cell
  try {
    return JSON.parse(cell) as LogCell
  } catch {
    throw new PrimoError('wrong-type', `a list must be JSON, got "${cell}"`)
  }
}
