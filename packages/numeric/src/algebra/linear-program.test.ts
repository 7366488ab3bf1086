import { describe, expect, it } from 'vitest'
import { Random } from '../random/random.js'
import { minimiseOnSimplex, type SimplexProgramme } from './linear-program.js'

/** Every vertex of {q >= 0, R q <= r, sum q = 1}: all choices of `width` tight constraints, solved plainly. */
function smallestAtVertex({ width, rows, limits }: SimplexProgramme, costs: Float64Array): number | null {
  const constraints = [
    ...Array.from(limits, (limit, k) => ({ row: [...rows.subarray(k * width, (k + 1) * width)], limit })),
    ...Array.from({ length: width }, (_, k) => ({ row: costs.length ? unit(width, k, -1) : [], limit: 0 })),
  ]
  let best: number | null = null
  const choose = (from: number, chosen: number[]) => {
    if (chosen.length === width - 1) {
      const point = solve([{ row: new Array(width).fill(1), limit: 1 }, ...chosen.map((k) => constraints[k]!)])
      if (point === null) return
      if (constraints.some(({ row, limit }) => row.reduce((sum, a, k) => sum + a * point[k]!, 0) > limit + 1e-9)) return
      const value = point.reduce((sum, q, k) => sum + q * costs[k]!, 0)
      best = best === null ? value : Math.min(best, value)
      return
    }
    for (let k = from; k < constraints.length; k++) choose(k + 1, [...chosen, k])
  }
  choose(0, [])
  return best
}

const unit = (width: number, at: number, value: number) =>
  Array.from({ length: width }, (_, k) => (k === at ? value : 0))

function solve(equations: { row: number[]; limit: number }[]): number[] | null {
  const n = equations.length
  const a = equations.map(({ row, limit }) => [...row, limit])
  for (let k = 0; k < n; k++) {
    const best = a.slice(k).reduce((most, row, i) => (Math.abs(row[k]!) > Math.abs(a[most]![k]!) ? k + i : most), k)
    ;[a[k], a[best]] = [a[best]!, a[k]!]
    if (Math.abs(a[k]![k]!) < 1e-9) return null
    for (let i = 0; i < n; i++) {
      if (i === k) continue
      const factor = a[i]![k]! / a[k]![k]!
      for (let j = k; j <= n; j++) a[i]![j] = a[i]![j]! - factor * a[k]![j]!
    }
  }
  return a.map((row, k) => row[n]! / row[k]!)
}

describe('minimiseOnSimplex', () => {
  it('finds the least vertex, or that there is none', () => {
    let empty = 0
    for (let seed = 0; seed < 300; seed++) {
      const random = Random.fromSeed(seed)
      const width = 2 + (seed % 4)
      const count = seed % 5
      const programme = {
        width,
        rows: Float64Array.from({ length: count * width }, () => random.normal()),
        limits: Float64Array.from({ length: count }, () => 0.6 * random.normal()),
      }
      const costs = Float64Array.from({ length: width }, () => random.normal())
      const expected = smallestAtVertex(programme, costs)
      const found = minimiseOnSimplex(programme, costs)
      if (expected === null) {
        empty++
        expect(found).toBeNull()
      } else expect(found!.value).toBeCloseTo(expected, 8)
    }
    expect(empty).toBeGreaterThan(10)
    expect(empty).toBeLessThan(250)
  })

  it('ends where many rows are tight at once', () => {
    const rows = Float64Array.from([1, -1, 0, -1, 1, 0, 0, 1, -1, 0, -1, 1, 1, 0, -1, -1, 0, 1])
    const found = minimiseOnSimplex({ width: 3, rows, limits: new Float64Array(6) }, Float64Array.from([3, 1, 2]))
    expect([...found!.weights].every((weight) => Math.abs(weight - 1 / 3) < 1e-12)).toBe(true)
    expect(found!.value).toBeCloseTo(2, 12)
  })
})
