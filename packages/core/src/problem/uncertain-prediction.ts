// A prediction of a number together with how sure its model is: { value, sd }, or { quantiles } with or without a value.
// Quantiles q(p) become the normal that fits them best, by least squares of q on the standard normal's quantiles:
//   sd = sum (u - mean u)(q - mean q) / sum (u - mean u)^2,   value = mean q - sd mean u where none is given.
// How far such an sd can be trusted is learnt from observed values (model-sd.ts), so its unit matters little.

import { normalQuantile, show } from '@primo/numeric'
import type { Prediction } from './imputer.js'

/** A prediction of a number with how sure its model is. */
export interface UncertainPrediction {
  readonly value?: number
  /** Standard deviation, in the covariate's units; >= 0. */
  readonly sd?: number
  /** Quantiles by their level, such as { '0.1': 3, '0.5': 4, '0.9': 7 }; at least two, in place of an sd. */
  readonly quantiles?: Readonly<Record<string, number>>
}

const FIELDS = ['value', 'sd', 'quantiles']

/** value and sd (NaN: none) of a prediction of a number; a text says why it cannot be one. */
export function readUncertain(prediction: Prediction): { readonly value: number; readonly sd: number } | string {
  if (typeof prediction === 'number') return { value: prediction, sd: Number.NaN }
  if (typeof prediction !== 'object' || !FIELDS.some((field) => field in prediction))
    return `predicted ${show(prediction)}`
  const { value, sd, quantiles, ...rest } = prediction as Readonly<Record<string, unknown>>
  const [unknown] = Object.keys(rest)
  if (unknown !== undefined) return `predicted an object with "${unknown}"`
  if (value !== undefined && typeof value !== 'number') return `predicted ${show(value)}`
  if (sd !== undefined && !(typeof sd === 'number' && Number.isFinite(sd) && sd >= 0))
    return `predicted the standard deviation ${show(sd)}`
  if (quantiles === undefined)
    return value === undefined ? 'predicted no value' : { value, sd: sd === undefined ? Number.NaN : sd }
  const fitted = normalOf(quantiles)
  if (typeof fitted === 'string') return fitted
  return { value: value ?? fitted.value, sd: sd ?? fitted.sd }
}

function normalOf(quantiles: unknown): { value: number; sd: number } | string {
  if (typeof quantiles !== 'object' || quantiles === null) return `predicted the quantiles ${show(quantiles)}`
  const points = Object.entries(quantiles as Readonly<Record<string, unknown>>)
    .map(([level, q]) => ({ p: Number(level), q }))
    .sort((a, b) => a.p - b.p)
  if (points.length < 2) return `predicted ${points.length} quantiles, fewer than two`
  let before = Number.NEGATIVE_INFINITY
  for (const { p, q } of points) {
    if (!(p > 0 && p < 1)) return 'predicted a quantile whose level is not between 0 and 1'
    if (typeof q !== 'number' || !Number.isFinite(q)) return `predicted the quantile ${show(q)}`
    if (q < before) return 'predicted quantiles that fall'
    before = q
  }
  const list = points.map(({ p, q }) => ({ u: normalQuantile(p), q: q as number }))
  const centre = { u: mean(list.map(({ u }) => u)), q: mean(list.map(({ q }) => q)) }
  let product = 0
  let square = 0
  for (const { u, q } of list) {
    product += (u - centre.u) * (q - centre.q)
    square += (u - centre.u) ** 2
  }
  const sd = product / square
  return { value: centre.q - sd * centre.u, sd }
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
