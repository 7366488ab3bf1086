// The header of a decision log: what its rows mean (docs/log-format.md). It travels in the same file as the rows.

import type { CategoryFeature, Feature, RewardSpec } from '@primo/core'
import { PrimoError } from '@primo/numeric'
import { quote, showCell } from '../tables/table-error.js'

export const LOG_FORMAT = 'primo-log'
const LOG_VERSION = 1

/** A covariate as a log's header declares it. */
export type LogCovariate = Feature & { readonly reveals?: 'ignore' | 'context' | 'random' }

/** What the rows of a decision log mean; it travels in the same file. */
export interface LogHeader {
  readonly format: typeof LOG_FORMAT
  readonly version: number
  /** In the order of `propensities`. */
  readonly actions: readonly string[]
  readonly context: Readonly<Record<string, Feature>>
  readonly covariates: Readonly<Record<string, LogCovariate>>
  readonly reward: Pick<RewardSpec, 'min' | 'max' | 'mean'>
  /** Anything else is kept as it is. */
  readonly [other: string]: unknown
}

/** A header of this version; the fields that are not given stand for none. */
export function logHeader(
  given: Pick<LogHeader, 'actions' | 'reward'> & Partial<Pick<LogHeader, 'context' | 'covariates'>>,
): LogHeader {
  return checkLogHeader({ format: LOG_FORMAT, version: LOG_VERSION, context: {}, covariates: {}, ...given }, 'log')
}

/** Throws when it is no header, or one of a newer version; `file` names it in the sentence. */
export function checkLogHeader(header: unknown, file: string): LogHeader {
  if (!isRecord(header) || header.format !== LOG_FORMAT) {
    throw bad(file, 'format', `"${LOG_FORMAT}" (the header of a log)`, isRecord(header) ? header.format : header)
  }
  const { version, actions, context, covariates, reward } = header
  if (!Number.isSafeInteger(version) || (version as number) < 1) throw bad(file, 'version', 'a whole number', version)
  if ((version as number) > LOG_VERSION) throw bad(file, 'version', `at most ${LOG_VERSION}`, version)
  if (!Array.isArray(actions) || actions.length === 0 || !actions.every(isName)) {
    throw bad(file, 'actions', 'a list of non-empty texts', actions)
  }
  if (new Set(actions).size !== actions.length) throw bad(file, 'actions', 'distinct', actions.join(', '))
  for (const [group, features] of Object.entries({ context, covariates })) {
    if (!isRecord(features)) throw bad(file, group, 'a map name -> feature', features)
    for (const [name, feature] of Object.entries(features)) checkFeature(file, `${group}.${name}`, name, feature)
  }
  const range = isRecord(reward) ? reward : {}
  if (!Number.isFinite(range.min) || !Number.isFinite(range.max) || (range.min as number) >= (range.max as number)) {
    throw bad(file, 'reward', 'a range {min, max}', reward)
  }
  return header as unknown as LogHeader
}

function checkFeature(file: string, field: string, name: string, feature: unknown): void {
  if (name === '' || name.includes('=')) throw bad(file, field, 'named by non-empty text without "="', name)
  if (!isRecord(feature)) throw bad(file, field, 'a feature', feature)
  const { type, min, max, levels } = feature
  if (type === 'boolean') return
  if (type === 'number' && Number.isFinite(min) && Number.isFinite(max) && (min as number) < (max as number)) return
  if (type === 'category' && Array.isArray(levels) && levels.length > 0 && levels.every(isName)) return
  throw bad(file, field, 'a number with min and max, a boolean, or a category with levels', type)
}

function isName(value: unknown): boolean {
  return isText(value) && value !== ''
}

/** Text without half surrogate pairs, which UTF-8 cannot hold. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && !/\p{Surrogate}/u.test(value)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function bad(file: string, field: string, rule: string, value: unknown): PrimoError {
  const sentence = `${file}: ${field} of the log's header must be ${rule}, got ${showCell(value)}`
  return new PrimoError('wrong-type', sentence, { file, field: quote(field), value })
}

export function levelsOf(feature: CategoryFeature): readonly string[] {
  return feature.other === true ? [...feature.levels, 'other'] : feature.levels
}
