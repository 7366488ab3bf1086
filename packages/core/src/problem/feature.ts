// Typed features and how each becomes columns. Inside Primo a number is scaled to [-1, 1], a boolean is 0 or 1 and a
// category is one column per level (one-hot); outside everything stays in the user's units.

import { entryOf, invalidOption, PrimoError, show, unknownName } from '@primo/numeric'

/** A number in a range. */
export interface NumberFeature {
  readonly type: 'number'
  readonly min: number
  readonly max: number
  /** A value outside the range is refused (default), or taken as the nearer end of it and counted. */
  readonly outside?: 'refuse' | 'clip'
  /** Of the context: the value where a request gives none, as all do from before the feature was declared. */
  readonly default?: number
}

/** True or false. */
export interface BooleanFeature {
  readonly type: 'boolean'
  /** Of the context: the value where a request gives none. */
  readonly default?: boolean
}

/** One of a list of levels. */
export interface CategoryFeature<Level extends string = string> {
  readonly type: 'category'
  readonly levels: readonly Level[]
  /** When true, a level that is not listed is taken as the level "other"; when false (default) it is an error. */
  readonly other?: boolean
  /** Of the context: the level where a request gives none. */
  readonly default?: string
}

/** What a value looks like. */
export type Feature = NumberFeature | BooleanFeature | CategoryFeature
/** A value of some feature, in the units of the user. */
export type FeatureValue = number | boolean | string

const OTHER_LEVEL = 'other'

/**
 * A number between `min` and `max`; values outside are refused, or clipped with `outside: 'clip'`.
 * @example
 * context: { age: number({ min: 18, max: 95 }) }
 */
export function number<const Range extends Omit<NumberFeature, 'type'>>(
  range: Range,
): NumberFeature & (Range extends { readonly default: number } ? { readonly default: number } : unknown)
export function number(range: Omit<NumberFeature, 'type'>): NumberFeature {
  return { ...range, type: 'number' }
}

/**
 * A feature that is true or false.
 * @example
 * context: { smoker: boolean() }
 */
export function boolean(): BooleanFeature {
  return { type: 'boolean' }
}

/**
 * A feature with named levels. With `other: true` a level that is not listed is taken as "other" instead of refused.
 * @example
 * context: { town: category(['Ulm', 'Bonn']) }
 */
export function category<const Level extends string>(
  levels: readonly Level[],
  options?: { readonly other?: false },
): CategoryFeature<Level>
export function category(levels: readonly string[], options: { readonly other?: boolean }): CategoryFeature
export function category(levels: readonly string[], options: { readonly other?: boolean } = {}): CategoryFeature {
  // Text would spread into its letters; whatever is not a list is left for the check of the problem to refuse.
  const copied = Array.isArray(levels) ? [...levels] : levels
  return options.other === undefined
    ? { type: 'category', levels: copied }
    : { type: 'category', levels: copied, other: options.other }
}

/** All levels in column order, "other" last. */
export function featureLevels(feature: CategoryFeature): readonly string[] {
  return feature.other === true ? [...feature.levels, OTHER_LEVEL] : feature.levels
}

export function featureWidth(feature: Feature): number {
  return feature.type === 'category' ? featureLevels(feature).length : 1
}

/** Column of a level, the last one for an unlisted level when `other` is true; -1: unknown. */
export function levelIndex(feature: CategoryFeature, level: string): number {
  const index = feature.levels.indexOf(level)
  return index < 0 && feature.other === true ? feature.levels.length : index
}

/** Names of the columns: the feature's name, or name=level. */
export function columnNames(name: string, feature: Feature): readonly string[] {
  return feature.type === 'category' ? featureLevels(feature).map((level) => `${name}=${level}`) : [name]
}

/** The fields that a feature of each type has. */
const FIELDS = {
  number: ['type', 'min', 'max', 'outside'],
  boolean: ['type'],
  category: ['type', 'levels', 'other'],
} as const satisfies Readonly<Record<Feature['type'], readonly string[]>>

/** What types are called elsewhere. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ['int', 'integer', 'float', 'double', 'numeric', 'real', 'decimal', 'continuous', 'long'].map((type) => [
      type,
      'write "number" with its min and max',
    ]),
  ),
  ...Object.fromEntries(['bool', 'binary', 'flag', 'logical'].map((type) => [type, 'write "boolean"'])),
  ...Object.fromEntries(
    ['categorical', 'enum', 'factor', 'nominal', 'ordinal', 'string', 'str', 'text', 'object'].map((type) => [
      type,
      'write "category" with its levels',
    ]),
  ),
}

/** Throws when it is no feature, or has a field that neither features of its type have nor `others` names. */
export function checkFeature(
  field: string,
  feature: unknown,
  others: readonly string[] = [],
): asserts feature is Feature {
  if (typeof feature !== 'object' || feature === null || Array.isArray(feature))
    invalidOption(field, 'an object such as {"type": "number", "min": 0, "max": 1}', feature)
  const given = feature as Partial<Record<string, unknown>>
  const { type } = given
  if (type !== 'number' && type !== 'boolean' && type !== 'category') {
    const hint = typeof type === 'string' ? entryOf(ELSEWHERE, type.toLowerCase()) : undefined
    const sentence = `${field}.type must be "number", "boolean" or "category", got ${show(type)}`
    throw new PrimoError('invalid-option', hint === undefined ? sentence : `${sentence}: ${hint}`, {
      field: `${field}.type`,
      value: type,
    })
  }
  const known = [...FIELDS[type], ...others]
  for (const name of Object.keys(given))
    if (!known.includes(name)) throw new PrimoError('invalid-problem', unknownName(field, name, known), { field, name })
  if (given.type === 'number') {
    const { min, max } = given
    if (typeof min !== 'number' || !Number.isFinite(min))
      invalidOption(`${field}.min`, 'a finite number (the smallest value that can occur)', min)
    if (typeof max !== 'number' || !Number.isFinite(max))
      invalidOption(`${field}.max`, 'a finite number (the largest value that can occur)', max)
    if (max <= min) invalidOption(`${field}.max`, `greater than min (${min})`, max)
    if (!Number.isFinite(2 * max - 2 * min)) invalidOption(`${field}.max`, 'close enough to min to be scaled', max)
    const { outside } = given
    if (outside !== undefined && outside !== 'refuse' && outside !== 'clip')
      invalidOption(`${field}.outside`, '"refuse" or "clip"', outside)
  } else if (given.type === 'category') {
    const levels = given.levels
    if (!Array.isArray(levels) || levels.length === 0)
      invalidOption(`${field}.levels`, 'a list of at least one level, such as ["a", "b"]', levels)
    const seen = new Set<unknown>()
    for (const level of levels) {
      if (typeof level !== 'string' || level === '') invalidOption(`${field}.levels`, 'non-empty texts', level)
      if (seen.has(level)) invalidOption(`${field}.levels`, 'distinct', level)
      seen.add(level)
    }
    const other = given.other
    if (other !== undefined && typeof other !== 'boolean') invalidOption(`${field}.other`, 'true or false', other)
    if (other === true && seen.has(OTHER_LEVEL)) {
      invalidOption(`${field}.levels`, `without "${OTHER_LEVEL}" when other is true`, OTHER_LEVEL)
    }
  }
}

/** Writes the columns of one value at `out[at]`; throws `wrong-type`, `out-of-range` or `unknown-level`. */
export function encodeValue(field: string, feature: Feature, value: unknown, out: Float64Array, at: number): void {
  if (feature.type === 'number') {
    if (typeof value !== 'number') throw wrongType(field, 'a number', value)
    if (value >= feature.min && value <= feature.max) out[at] = scaleNumber(feature, value)
    else if (isClipped(feature, value)) out[at] = scaleNumber(feature, value < feature.min ? feature.min : feature.max)
    else throw outOfRange(field, feature.min, feature.max, value)
  } else if (feature.type === 'boolean') {
    if (typeof value !== 'boolean') throw wrongType(field, 'true or false', value)
    out[at] = value ? 1 : 0
  } else {
    if (typeof value !== 'string') throw wrongType(field, 'a level (text)', value)
    const levels = feature.levels
    const index = levelIndex(feature, value)
    if (index < 0) {
      throw new PrimoError(
        'unknown-level',
        `${field} must be one of ${levels.map(show).join(', ')}, got ${show(value)}`,
        {
          field,
          value,
          levels,
        },
      )
    }
    const width = featureWidth(feature)
    for (let k = 0; k < width; k++) out[at + k] = k === index ? 1 : 0
  }
}

/** Whether a value is outside the range of a number that takes such values. */
export function isClipped(feature: Feature, value: unknown): boolean {
  return (
    feature.type === 'number' &&
    feature.outside === 'clip' &&
    (Number(value) < feature.min || Number(value) > feature.max)
  )
}

/** [min, max] to [-1, 1]. */
export function scaleNumber(feature: NumberFeature, value: number): number {
  return (2 * value - feature.min - feature.max) / (feature.max - feature.min)
}

/** [-1, 1] to [min, max]. */
export function unscaleNumber(feature: NumberFeature, inside: number): number {
  return (inside * (feature.max - feature.min) + feature.min + feature.max) / 2
}

/** How many user units one unit inside is worth: half the range of a number, 1 for probabilities. */
export function insideUnit(feature: Feature): number {
  return feature.type === 'number' ? (feature.max - feature.min) / 2 : 1
}

export function wrongType(field: string, rule: string, value: unknown): PrimoError {
  return new PrimoError('wrong-type', `${field} must be ${rule}, got ${show(value)}`, { field, value })
}

export function outOfRange(field: string, min: number, max: number, value: unknown): PrimoError {
  return new PrimoError('out-of-range', `${field} must be between ${min} and ${max}, got ${show(value)}`, {
    field,
    value,
    min,
    max,
  })
}
