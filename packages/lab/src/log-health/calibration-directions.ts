// The x along which propensities are compared with what was played: all rows, the course of the log, and each feature in [-1, 1].

import type { SurveyedFeature } from './log-survey.js'

const MAX_LEVELS = 20

export interface Direction {
  readonly name: string
  readonly at: (row: number, values: Float64Array) => number
}

export function directionsOf(features: readonly SurveyedFeature[]): readonly Direction[] {
  const found: Direction[] = [
    { name: 'all rows', at: () => 1 },
    { name: 'the course of the log', at: (row) => row },
  ]
  features.forEach(({ name, feature, levels }, k) => {
    if (feature.type === 'number') {
      const middle = (feature.min + feature.max) / 2
      const half = (feature.max - feature.min) / 2
      const at = (_: number, values: Float64Array) => (Number.isNaN(values[k]!) ? 0 : (values[k]! - middle) / half)
      found.push({ name, at })
    } else
      levels!.slice(0, MAX_LEVELS).forEach((level, code) => {
        found.push({ name: `${name} = ${level}`, at: (_, values) => (values[k] === code ? 1 : 0) })
      })
  })
  return found
}
