// Columns that are no inputs: the treatment, the outcome, and whatever is known only after the decision. They are
// recognised by their names and, where treatment and outcome are known, by what they tell of them.

import { type Column, MISSING_CODE, type Table } from '../tables/table.js'
import type { DecisionColumns } from '../tables/table-spec.js'
import type { ColumnProfile } from './column-profile.js'
import { isMissing } from './missing-patterns.js'
import { tells } from './missing-predictors.js'

const ACTION =
  /^(actions?|treatment|treated|treat|arm|offer(ed)?|decision|assign(ed|ment)?|intervention|variant|played)$/i
const REWARD =
  /^(rewards?|outcome|response|responded|y|label|target|result|renew(ed|al)?|convert(ed)?|conversion|churn(ed)?|click(s|ed)?|purchased?|bought|paid|success|died|survived|death)$/i
const PROPENSITY = /^(p|propensity|propensity[_.\s-]?score|pscore)$/i
const AFTER = /(^|[_.\s-])(after|post|later|follow[_.\s-]?up|outcome|result|final)([_.\s-]|$)/i

/** From this AUC on a column does not predict the outcome, it repeats it. */
const REPEATS = 0.95
const MAX_LEVELS = 50
const POSITIVE = /^(1|y|yes|j|ja|o|oui|s|si|sí|t|true|wahr|success|won|renewed|converted|paid|positive)$/i

export interface LaterColumns {
  /** What they are in the spec. */
  readonly decisions: DecisionColumns
  readonly labels?: Readonly<Record<string, Readonly<Record<string, number>>>>
  /** Columns without a role, and why they are no inputs. */
  readonly leftOut: readonly { readonly column: string; readonly why: string }[]
}

/** `given`: what the reader says of action, reward and propensity. */
export function laterColumns(
  profiles: readonly ColumnProfile[],
  table: Table | null,
  given: Pick<DecisionColumns, 'action' | 'reward' | 'propensity'> = {},
): LaterColumns {
  const usable = profiles.filter(({ kind, missing, rows }) => kind !== 'empty' && kind !== 'text' && missing < rows)
  const named = (pattern: RegExp) => usable.find(({ name, missing }) => pattern.test(name) && missing === 0)?.name
  const action = given.action ?? named(ACTION)
  const reward = given.reward ?? usable.find(({ name }) => REWARD.test(name) && name !== action)?.name
  const propensity = given.propensity ?? (action === undefined ? undefined : named(PROPENSITY))
  const leftOut: { column: string; why: string }[] = []
  const after: string[] = []
  const roles = new Set([action, reward, propensity])
  for (const { name } of profiles.filter((one) => !roles.has(one.name))) {
    const column = table?.columns.get(name)
    const isCopy = column !== undefined && action !== undefined && tellsAll(table!, column, action)
    const why = column === undefined || reward === undefined ? null : tellsReward(table!, column, reward)
    if (ACTION.test(name)) leftOut.push({ column: name, why: 'it looks like the treatment' })
    else if (isCopy) leftOut.push({ column: name, why: `it is ${action} in other words` })
    else if (why !== null || REWARD.test(name) || AFTER.test(name)) {
      after.push(name)
      leftOut.push({ column: name, why: why ?? 'by its name it is known only after the decision' })
    }
  }
  const labels = labelsOf(profiles, reward)
  return {
    decisions: {
      ...(action === undefined ? {} : { action }),
      ...(reward === undefined ? {} : { reward }),
      ...(propensity === undefined ? {} : { propensity }),
      ...(after.length === 0 ? {} : { after }),
    },
    ...(labels === null ? {} : { labels: { [reward!]: labels } }),
    leftOut,
  }
}

/** Whether a name alone says that a column is no input. */
export function looksLater(name: string): boolean {
  return ACTION.test(name) || REWARD.test(name) || AFTER.test(name)
}

/** An outcome of two texts as 1 and 0. */
function labelsOf(profiles: readonly ColumnProfile[], reward: string | undefined) {
  const { kind, top = [], different } = profiles.find(({ name }) => name === reward) ?? { kind: 'empty', different: 0 }
  if (kind !== 'category' || different !== 2) return null
  const texts = top
    .map(([text]) => text)
    .sort((a, b) => Number(POSITIVE.test(b)) - Number(POSITIVE.test(a)) || (a < b ? 1 : -1))
  return Object.fromEntries(texts.map((text, k) => [text, 1 - k]))
}

function cellOf(column: Column, row: number): number | string | null {
  if (isMissing(column, row)) return null
  return column.kind === 'number' ? column.values[row]! : column.levels[column.codes[row]!]!
}

/** One value for every action and one action for every value. */
function tellsAll(table: Table, column: Column, action: string): boolean {
  const actions = table.columns.get(action)!
  const forth = new Map<unknown, unknown>()
  const back = new Map<unknown, unknown>()
  for (let row = 0; row < table.rows; row++) {
    const [a, b] = [cellOf(column, row), cellOf(actions, row)]
    if (!forth.has(a)) forth.set(a, b)
    if (!back.has(b)) back.set(b, a)
    if (forth.get(a) !== b || back.get(b) !== a || forth.size > MAX_LEVELS) return false
  }
  return forth.size > 1
}

/** null: it does not repeat the outcome. */
function tellsReward(table: Table, column: Column, reward: string): string | null {
  const outcome = table.columns.get(reward)!
  const known = Array.from({ length: table.rows }, (_, row) => row).filter((row) => !isMissing(outcome, row))
  const step = Math.max(1, Math.ceil(known.length / 20_000))
  const rows = known.filter((_, k) => k % step === 0)
  const highs = highRows(outcome, rows)
  const auc = Math.max(distance(tells(column, rows, highs)), distance(tells(missingness(column), rows, highs)))
  return auc < REPEATS ? null : `it repeats ${reward} (AUC ${auc.toFixed(2)}), so it is known only after the decision`
}

const distance = (found: { readonly auc: number } | null) => (found === null ? 0 : Math.max(found.auc, 1 - found.auc))

/** 1 where the outcome is above its median, or at it where nothing is above. */
function highRows(outcome: Column, rows: readonly number[]): Uint8Array {
  if (outcome.kind === 'text') return Uint8Array.from(rows, (row) => (outcome.codes[row] === 0 ? 1 : 0))
  const values = rows.map((row) => outcome.values[row]!)
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted[sorted.length >> 1]!
  const isTop = middle === sorted.at(-1)
  return Uint8Array.from(values, (value) => Number(isTop ? value >= middle : value > middle))
}

function missingness(column: Column): Column {
  const values =
    column.kind === 'number'
      ? column.values.map((value) => (Number.isNaN(value) ? 1 : 0))
      : Float64Array.from(column.codes, (code) => (code === MISSING_CODE ? 1 : 0))
  return { kind: 'number', values }
}
