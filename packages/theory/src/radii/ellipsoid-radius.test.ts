import { PrimoError } from '@primo/numeric'
import { expect, test } from 'vitest'
import { ellipsoidComplexity, ellipsoidRadius, kernelEigenvalues, sobolevEigenvalues } from './ellipsoid-radius.js'

test('the radius is where the eigenvalue bound meets t^2/16', () => {
  const options = { eigenvalues: sobolevEigenvalues(1, 5000), rows: 1e6, norm: 2 }
  const { radius } = ellipsoidRadius(options)
  expect(ellipsoidComplexity(options, radius) / (radius ** 2 / 16)).toBeCloseTo(1, 9)
  const finite = { eigenvalues: [1, 1, 1], rows: 1e8, norm: 1 }
  expect(ellipsoidRadius(finite).radius / (16 * Math.sqrt(6 / 1e8))).toBeCloseTo(1, 9)
})

test('a kernel of exponent d gives N^(-1/(d+2)); its ball scales as delta0^(d/(d+2)), an L2 ball does not (E17)', () => {
  for (const [smoothness, d] of [
    [1, 1],
    [2, 0.5],
  ] as const) {
    const eigenvalues = sobolevEigenvalues(smoothness, 20000)
    const at = (rows: number, norm: number, l2Radius?: number) =>
      ellipsoidRadius({ eigenvalues, rows, norm, ...(l2Radius === undefined ? {} : { l2Radius }) }).radius
    const inRows = Math.log(at(1e12, 1) / at(1e10, 1)) / Math.log(100)
    expect(Math.abs(inRows + 1 / (d + 2))).toBeLessThan(0.005)
    const inNorm = Math.log2(at(1e12, 0.4) / at(1e12, 0.2))
    expect(Math.abs(inNorm - d / (d + 2))).toBeLessThan(0.01)
    expect(at(1e12, 1, 0.2)).toBe(at(1e12, 1, 0.4))
  }
})

test('kernel eigenvalues are those of the matrix divided by its size, decreasing and never negative', () => {
  const points = [0.1, 0.4, 0.4, 0.9]
  const kernel = Float64Array.from(points.flatMap((x) => points.map((y) => Math.min(x, y))))
  const values = kernelEigenvalues(kernel, 4)
  const trace = points.reduce((a, b) => a + b, 0) / 4
  expect(values.reduce((a, b) => a + b, 0)).toBeCloseTo(trace, 12)
  for (let i = 1; i < 4; i++) expect(values[i]!).toBeLessThanOrEqual(values[i - 1]!)
  expect(values[3]!).toBeGreaterThanOrEqual(0)
})

test('bad input is refused', () => {
  expect(() => ellipsoidRadius({ eigenvalues: [1], rows: 0 })).toThrow('rows must be >= 1, got 0')
  expect(() => ellipsoidRadius({ eigenvalues: [0, 0], rows: 5 })).toThrow(PrimoError)
  expect(() => ellipsoidRadius({ eigenvalues: [Number.NaN], rows: 5 })).toThrow(
    'eigenvalues[0] must be a finite number, got NaN',
  )
  expect(() => ellipsoidRadius({ eigenvalues: [1], rows: 5, l2Radius: -1 })).toThrow(
    'l2Radius must be a finite number > 0, got -1',
  )
  expect(() => kernelEigenvalues(new Float64Array(3), 2)).toThrow('kernel must have 4 entries, got 3')
})
