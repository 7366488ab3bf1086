import { Random, simdArray } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { type EncodedFeature, encodingOf } from '../problem/encoding.js'
import { boolean, category, type Feature, number } from '../problem/feature.js'
import { correctionBasis } from './correction-basis.js'

const NUMBER = number({ min: -1, max: 1 })

function laidOut(features: readonly Feature[]): readonly EncodedFeature[] {
  const context = Object.fromEntries(features.map((feature, k) => [`f${k}`, feature]))
  return encodingOf({ context, covariates: {}, actions: ['a', 'b'], reward: { min: 0, max: 1 } }).context
}

const numbers = (count: number) => laidOut(Array.from({ length: count }, () => NUMBER))
const contexts: readonly (readonly [string, readonly EncodedFeature[]])[] = [
  ...[1, 2, 3, 10, 11, 30].map((count) => [`${count} numbers`, numbers(count)] as const),
  [
    'numbers, a boolean and categories',
    laidOut([category(['a', 'b', 'c']), NUMBER, boolean(), NUMBER, NUMBER, category(['a', 'b'])]),
  ],
  ['no number', laidOut([boolean(), category(['a', 'b'])])],
]

describe('rows of a correction basis', () => {
  it.each(contexts)('in linear memory have the bits of one after the other: %s', (_, context) => {
    const width = context.reduce((sum, feature) => sum + feature.width, 0)
    const random = Random.fromSeed(width)
    for (const kind of ['bias', 'linear', 'cubic', 'rich', 'basis'] as const) {
      const { columns, expand, expandRows } = correctionBasis(kind, context)
      for (const [count, stride] of [
        [0, columns],
        [1, columns + 1],
        [7, columns],
        [64, columns + 1],
      ] as const) {
        const space = simdArray((count + 1) * width + count * stride + 2)
        const x = space.subarray(0, (count + 1) * width)
        const out = space.subarray((count + 1) * width)
        for (let k = 0; k < x.length; k++) x[k] = 1.2 * (2 * random.uniform() - 1)
        const plain = new Float64Array(count * stride)
        for (let row = 0; row < count; row++) expand(x, (row + 1) * width, plain, row * stride)
        expandRows(x, width, count, out, 0, stride)
        const ordinary = new Float64Array(count * stride)
        expandRows(Float64Array.from(x), width, count, ordinary, 0, stride)
        for (let row = 0; row < count; row++) {
          const own = plain.subarray(row * stride, row * stride + columns)
          expect(out.subarray(row * stride, row * stride + columns)).toEqual(own)
          expect(ordinary.subarray(row * stride, row * stride + columns)).toEqual(own)
        }
      }
    }
  })

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
