// Options with code of the user's in them become data that names the code, and the code.

import { invalidOption, show } from '@primo/numeric'
import type { ExplorationRule } from '../exploration/exploration-rule.js'
import { isCode, type NamedCode, nameOf, type OwnCode } from '../problem/own-code.js'
import type { RegressionClass } from '../regression/own-class.js'
import type { EngineOptions } from './engine.js'

/** Code of your own: an exploration rule or a function class. */
export type Code = ExplorationRule | RegressionClass

export interface NamedOptions {
  /** JSON-safe: code is named by kind and version. */
  readonly options: Omit<EngineOptions, 'use' | 'exploration' | 'oracle' | 'calibration'> & DataOptions
  readonly rules: readonly ExplorationRule[]
  readonly classes: readonly RegressionClass[]
}

/** The options that may name code, as data. */
type DataOptions = {
  readonly [Name in 'exploration' | 'oracle' | 'calibration']?: Exclude<EngineOptions[Name], OwnCode>
}

/** What a role of a function class has besides the class. */
const ROLE_FIELDS = ['actions', 'indicator', 'clip', 'input']

/** The options as data that names code by kind and version, and the code. */
export function namedOptions(given: EngineOptions): NamedOptions {
  if (typeof given !== 'object' || given === null) invalidOption('options', 'an object', given)
  const { use = [], exploration, oracle, calibration, ...others } = given
  if (!Array.isArray(use) || !use.every(isCode)) invalidOption('use', 'a list of rules and classes of your own', use)
  const code: OwnCode[] = [...use]
  const named = (value: unknown): unknown => {
    if (isCode(value)) {
      code.push(value)
      const role = Object.entries(value).filter(([field]) => ROLE_FIELDS.includes(field))
      return { ...nameOf(value), ...Object.fromEntries(role) }
    }
    return withVersion(value, use)
  }
  const kept: Record<string, unknown> = { ...others }
  if (exploration !== undefined) kept.exploration = named(exploration)
  if (oracle !== undefined) kept.oracle = named(oracle)
  if (calibration !== undefined)
    kept.calibration =
      calibration !== false && calibration?.class !== undefined
        ? { ...calibration, class: named(calibration.class) }
        : calibration
  return {
    options: kept as NamedOptions['options'],
    rules: code.filter((one) => !isClass(one)) as ExplorationRule[],
    classes: code.filter(isClass),
  }
}

function isClass(code: OwnCode): code is RegressionClass {
  return typeof (code as Partial<RegressionClass>).fit === 'function'
}

/** Code that is named without its version gets that of the code in use, so that a snapshot says it. */
function withVersion(value: unknown, use: readonly OwnCode[]): unknown {
  if (typeof value !== 'object' || value === null || 'version' in value) return value
  const found = use.find(({ kind }) => kind === (value as Partial<NamedCode>).kind)
  if (found === undefined) return value
  return { ...value, version: found.version }
}

export interface MissingCode {
  /** The option that names it. */
  readonly field: string
  readonly kind: string
  readonly version: string
  /** What is in use of that kind, in words. */
  readonly got: string
}

/** The first code that options name and that is not in use; null: none. */
export function missingCode(
  { exploration, oracle, calibration }: EngineOptions,
  use: readonly OwnCode[],
): MissingCode | null {
  const correction = calibration === false ? undefined : calibration?.class
  for (const [field, value] of Object.entries({ exploration, oracle, 'calibration.class': correction })) {
    const { kind, version } = (typeof value === 'object' && value !== null ? value : {}) as Partial<NamedCode>
    // What is built in has no version.
    if (kind === undefined || version === undefined) continue
    const there = use.filter((code) => code.kind === kind)
    if (there.some((code) => code.version === version)) continue
    const got =
      there.length === 0 ? 'none of that kind' : `version ${there.map((code) => show(code.version)).join(', ')}`
    return { field, kind, version, got }
  }
  return null
}
