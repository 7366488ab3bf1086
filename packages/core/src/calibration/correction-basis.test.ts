import { describe, expect, it } from 'vitest'
import { type EncodedFeature, encodingOf } from '../problem/encoding.js'
import { type Feature, number } from '../problem/feature.js'
import { correctionBasis } from './correction-basis.js'

const NUMBER = number({ min: -1, max: 1 })

function laidOut(features: readonly Feature[]): readonly EncodedFeature[] {
  const context = Object.fromEntries(features.map((feature, k) => [`f${k}`, feature]))
  return encodingOf({ context, covariates: {}, actions: ['a', 'b'], reward: { min: 0, max: 1 } }).context
}

const numbers = (count: number) => laidOut(Array.from({ length: count }, () => NUMBER))
describe('rows of a correction basis', () => {
  it('holds what its first lines say, on one row by hand', () => {
    const { columns, expand } = correctionBasis('rich', numbers(2))
    const out = new Float64Array(columns)
    expand(Float64Array.of(0.5, -0.25), 0, out, 0)
    const sine = Math.sin(-Math.PI / 4)
    const byHand = [1, 0.5, -0.25, 0.25 - 1 / 3, 0.125 - 0.3, 0.0625 - 1 / 3, -0.015625 + 0.15, 1, sine, -0.125]
    expect(columns).toBe(byHand.length)
    byHand.forEach((value, k) => {
      expect(out[k]).toBeCloseTo(value, 15)
    })
  })
})
