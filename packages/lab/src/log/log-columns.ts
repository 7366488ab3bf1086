// The columns of a decision log in their order, with the kind of their cells (docs/log-format.md). A row is an object from
// column to cell; a column that it does not have is null.

import type { Feature } from '@primo/core'
import { tableError } from '../tables/table-error.js'
import { isText, type LogHeader, levelsOf } from './log-header.js'

type LogKind = 'text' | 'number' | 'integer' | 'boolean' | 'numbers' | 'texts'

/** A cell of a decision log. */
export type LogCell = string | number | boolean | null | readonly number[] | readonly string[]

/** A row of a decision log: cells by column. */
export type LogRow = Readonly<Record<string, LogCell | undefined>>

/** A column of a decision log and the kind of its cells. */
export interface LogColumn {
  readonly name: string
  readonly kind: LogKind
  /** Never null. */
  readonly required: boolean
  /** The only texts it may hold; absent: any. */
  readonly among?: readonly string[]
}

/** What can have become of a logged reward. */
export const rewardStatuses = ['open', 'closed', 'default', 'dropped', 'late', 'void'] as const

/** What became of a logged reward. */
export type RewardStatus = (typeof rewardStatuses)[number]

/** The modes in which a logged decision can have been made. */
export const logModes = ['active', 'shadow', 'frozen', 'baseline'] as const

/** The columns of a log with this header, in their order. */
export function logColumns(header: LogHeader): readonly LogColumn[] {
  const columns: LogColumn[] = [
    { name: 'decisionId', kind: 'text', required: true },
    ...optional('text', ['eventId', 'subject']),
    ...optional('integer', ['time', 'round', 'epoch', 'policyVersion']),
    { name: 'mode', kind: 'text', required: false, among: logModes },
    ...optional('boolean', ['holdout']),
    { name: 'action', kind: 'text', required: true, among: header.actions },
    ...optional('number', ['propensity']),
    ...optional('numbers', ['propensities']),
    ...optional('texts', ['eligible']),
    ...optional('number', ['reward']),
    { name: 'rewardStatus', kind: 'text', required: true, among: rewardStatuses },
    ...optional('integer', ['rewardTime']),
  ]
  for (const [name, feature] of Object.entries(header.context)) {
    columns.push({ name: `context.${name}`, kind: valueKind(feature), required: true })
  }
  for (const [name, feature] of Object.entries(header.covariates)) {
    const value = valueKind(feature)
    columns.push(
      ...optional(value, [`covariate.${name}`]),
      ...optional('number', [...predictionColumns('pretrained', name, feature)]),
      ...optional('number', feature.type === 'number' ? [modelSdColumn(name)] : []),
      ...optional('number', [...predictionColumns('imputed', name, feature)]),
      { name: `status.${name}`, kind: 'text', required: false, among: ['observed', 'imputed', 'fallback'] },
      ...optional('text', [`source.${name}`, `version.${name}`, `reason.${name}`]),
      { name: `observedAt.${name}`, kind: 'text', required: false, among: ['decision', 'later'] },
      ...optional(value, [`revealed.${name}`]),
      ...optional('number', [`auditProbability.${name}`]),
    )
  }
  return columns
}

function optional(kind: LogKind, names: readonly string[]): readonly LogColumn[] {
  return names.map((name) => ({ name, kind, required: false }))
}

function valueKind(feature: Feature): LogKind {
  return feature.type === 'category' ? 'text' : feature.type
}

/** Columns of what a model said about a covariate: one, or one per level. */
export function predictionColumns(group: 'pretrained' | 'imputed', name: string, feature: Feature): readonly string[] {
  if (feature.type !== 'category') return [`${group}.${name}`]
  return levelsOf(feature).map((level) => `${group}.${name}=${level}`)
}

/** Column of the standard deviation that came with a prediction of a number. */
export function modelSdColumn(name: string): string {
  return `modelSd.${name}`
}

/** The cell as it is stored: null where it is absent; throws when it is not what the column holds. Rows count from 1. */
export function checkCell(file: string, column: LogColumn, cell: LogCell | undefined, row: number): LogCell {
  const value = cell ?? null
  const rule = value === null ? (column.required ? 'must not be empty' : null) : ruleBroken(column, value)
  if (rule === null) return value
  const reason = value === null ? 'table-missing-value' : 'table-wrong-type'
  throw tableError(reason, file, rule, { row, column: column.name, value })
}

function ruleBroken({ kind, among }: LogColumn, value: LogCell): string | null {
  switch (kind) {
    case 'number':
      return Number.isFinite(value) ? null : 'must be a finite number'
    case 'integer':
      return Number.isSafeInteger(value) && !Object.is(value, -0) ? null : 'must be a whole number within +-(2^53 - 1)'
    case 'boolean':
      return typeof value === 'boolean' ? null : 'must be true or false'
    case 'text':
      if (!isText(value)) return 'must be well-formed text'
      return among === undefined || among.includes(value) ? null : `must be one of ${among.join(', ')}`
    case 'numbers':
      return Array.isArray(value) && value.every(Number.isFinite) ? null : 'must be a list of finite numbers'
    case 'texts':
      return Array.isArray(value) && value.every(isText) ? null : 'must be a list of well-formed texts'
  }
}
