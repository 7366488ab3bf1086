// What a model of any kind says of a context.

import { type Feature, featureLevels, levelIndex } from '../problem/feature.js'
import type { Context, MemberImputer, Prediction } from '../problem/imputer.js'
import { lookUp } from '../problem/table-imputer.js'
import { predictTrained } from './trained-predictor.js'

/**
 * What the imputer says for this context, whose features are given; `column` takes it from the request. May throw what
 * a user's function throws.
 */
export function predictWith(
  imputer: MemberImputer,
  features: Readonly<Record<string, Feature>>,
  context: Context,
  fromRequest: Prediction | undefined,
): Prediction | undefined {
  switch (imputer.kind) {
    case 'constant':
      return imputer.value
    case 'linear': {
      let sum = imputer.intercept
      const { coefficients } = imputer
      for (const name of Object.keys(coefficients)) sum += coefficients[name]! * termValue(features, context, name)
      return sum
    }
    case 'column':
      return fromRequest
    case 'table':
      return lookUp(imputer, features, context)
    case 'trained':
      return predictTrained(imputer.model, context)
    case 'function':
      return imputer.predict(context)
  }
}

function termValue(features: Readonly<Record<string, Feature>>, context: Context, column: string): number {
  const value = context[column]
  if (typeof value === 'number') return value
  if (typeof value === 'boolean') return value ? 1 : 0
  // Names have no "=", levels may.
  const at = column.indexOf('=')
  const name = column.slice(0, at)
  const feature = features[name]
  const level = context[name]
  if (feature?.type !== 'category' || typeof level !== 'string') return 0
  return featureLevels(feature)[levelIndex(feature, level)] === column.slice(at + 1) ? 1 : 0
}
