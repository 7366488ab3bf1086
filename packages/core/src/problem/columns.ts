// The columns of a problem without who predicts them, and rows of one problem's columns as rows of another's: features and levels go
// by their names, a number u in [a, b] by its value in the user's units. What the other problem lacks has its default (a feature) or 0 (a
// level); a level that only the first has is its "other" there, or no level.

import type { EncodedFeature } from './encoding.js'
import { encodeValue, type Feature, featureLevels, scaleNumber, unscaleNumber } from './feature.js'

/** What context and covariates look like, without who predicts them. */
export interface Columns {
  readonly context: Readonly<Record<string, Feature>>
  readonly covariates: Readonly<Record<string, Feature>>
}

/** The columns of a problem, without who predicts them and what its features say beside. */
export function columnsOf({ context, covariates }: Columns): Columns {
  const bare = (features: Readonly<Record<string, Feature>>) =>
    Object.fromEntries(Object.entries(features).map(([name, feature]) => [name, bareFeature(feature)]))
  return { context: bare(context), covariates: bare(covariates) }
}

function bareFeature(feature: Feature): Feature {
  if (feature.type === 'boolean') return { type: 'boolean' }
  if (feature.type === 'number') return { type: 'number', min: feature.min, max: feature.max }
  return { type: 'category', levels: feature.levels, ...(feature.other === true ? { other: true } : {}) }
}

/** Whether rows of the two mean the same. */
export function sameColumns(a: Columns, b: Columns): boolean {
  const text = (problem: Columns) => {
    const { context, covariates } = columnsOf(problem)
    return JSON.stringify([Object.entries(context), Object.entries(covariates)])
  }
  return text(a) === text(b)
}

/** Writes the row at values[from ...] as a row of other columns at out[to ...]. NaN stays NaN in all columns of its feature. */
export type RowMap = (values: Float64Array, from: number, out: Float64Array, to: number) => void

export function compileRowMap(before: readonly EncodedFeature[], after: readonly EncodedFeature[]): RowMap {
  const steps = after.map(({ name, feature, at, width }): RowMap => {
    const source = before.find((other) => other.name === name)
    if (source === undefined) return filled(feature, at, width)
    if (feature.type === 'number' && source.feature.type === 'number') {
      const [old, now] = [source.feature, feature]
      if (old.min === now.min && old.max === now.max) return copied(source.at, at, 1)
      return (values, from, out, to) => {
        out[to + at] = scaleNumber(now, unscaleNumber(old, values[from + source.at]!))
      }
    }
    if (feature.type === 'category' && source.feature.type === 'category') {
      const levels = featureLevels(source.feature)
      const known = featureLevels(feature)
      const place = levels.map((level) =>
        known.includes(level) ? known.indexOf(level) : feature.other === true ? width - 1 : -1,
      )
      return (values, from, out, to) => {
        const first = from + source.at
        out.fill(Number.isNaN(values[first]) ? Number.NaN : 0, to + at, to + at + width)
        for (let k = 0; k < place.length; k++)
          if (place[k]! >= 0) out[to + at + place[k]!] = out[to + at + place[k]!]! + values[first + k]!
      }
    }
    return copied(source.at, at, width)
  })
  return (values, from, out, to) => {
    for (const step of steps) step(values, from, out, to)
  }
}

function copied(source: number, at: number, width: number): RowMap {
  return (values, from, out, to) => {
    for (let k = 0; k < width; k++) out[to + at + k] = values[from + source + k]!
  }
}

function filled(feature: Feature, at: number, width: number): RowMap {
  const value = new Float64Array(width)
  if (feature.default !== undefined) encodeValue('default', feature, feature.default, value, 0)
  return (_values, _from, out, to) => {
    out.set(value, to + at)
  }
}
