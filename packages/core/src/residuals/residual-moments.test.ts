import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { designColumns, designOf } from '../oracle/design.js'
import { compileDesign } from '../oracle/write-design.js'
import { encodingOf } from '../problem/encoding.js'
import { number } from '../problem/feature.js'
import { meanPower } from './residual-moments.js'

const eta = [-0.5, -0.2, 0.1, 0.6]
const moments = [0, 1, 2, 3, 4].map((k) => eta.reduce((sum, value) => sum + value ** k, 0) / eta.length)

describe('distributional imputation', () => {
  it('gives the mean of a power over the residuals', () => {
    fc.assert(
      fc.property(fc.double({ min: -1, max: 1, noNaN: true }), fc.integer({ min: 0, max: 4 }), (g, power) => {
        const direct = eta.reduce((sum, value) => sum + (g + value) ** power, 0) / eta.length
        expect(meanPower(g, power, moments)).toBeCloseTo(direct, 12)
      }),
    )
  })

  const encoding = encodingOf({
    context: { x: number({ min: -1, max: 1 }) },
    covariates: { z: { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } } },
    actions: ['a'],
    reward: { min: 0, max: 1 },
  })
  const features = (products: string[][], observed: number, spread: (readonly number[])[]) => {
    const design = designOf(encoding, products, 'interacted')
    const out = new Float64Array(designColumns(design))
    const row = { context: Float64Array.of(0.5), covariates: Float64Array.of(0.3), observed: Uint8Array.of(observed) }
    compileDesign(design, spread)(row, 0, out, 0)
    return [...out]
  }

  it('changes nothing where features are linear in z, to the bit', () => {
    expect(features([['z', 'x']], 0, [moments])).toEqual(features([['z', 'x']], 0, []))
  })

  it('averages squares of a missing value, also inside the indicator block, and leaves observed ones alone', () => {
    const products = [
      ['z', 'z'],
      ['z', 'z', 'x'],
    ]
    const square = 0.3 ** 2 + moments[2]!
    expect(features(products, 1, [moments])).toEqual(features(products, 1, []))
    const missing = features(products, 0, [[1, 0, moments[2]!]])
    expect(missing[3]).toBeCloseTo(square, 12)
    expect(missing[4]).toBeCloseTo(0.5 * square, 12)
    expect(missing.slice(5)).toEqual(missing.slice(0, 5))
  })
})
