import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FittedNoise, optimismWithEvidence } from './evidence.js'

const action = fc.record({
  f: fc.double({ min: 0, max: 1, noNaN: true }),
  w: fc.double({ min: 1e-4, max: 1, noNaN: true }),
  sigma: fc.double({ min: 1e-3, max: 1, noNaN: true }),
  tail: fc.double({ min: 0, max: 5, noNaN: true }),
  constant: fc.boolean(),
  rows: fc.integer({ min: 0, max: 5000 }),
  optimistic: fc.constantFrom<number>(0, 0.01, 0.3, 1),
  above: fc.double({ min: 0, max: 1, noNaN: true }),
  below: fc.double({ min: 0, max: 1, noNaN: true }),
})
type Action = typeof action extends fc.Arbitrary<infer T> ? T : never
const instance = fc.array(action, { minLength: 1, maxLength: 20 })

const SIGMA = 0.25

function fitted(actions: readonly Action[]): FittedNoise {
  const rows = actions.map((a) => a.rows)
  const noise = {
    sigmas: actions.map((a) => a.sigma),
    tails: actions.map((a) => a.tail),
    constant: actions.map((a) => a.constant),
    weights: rows,
    optimistic: actions.map((a) => a.optimistic),
    above: actions.map((a) => a.above),
    below: actions.map((a) => a.below),
  }
  return { sigma: SIGMA, rows, weight: rows.reduce((sum, n) => sum + n, 0), noise }
}

function weigh(actions: readonly Action[], model = fitted(actions)): Float64Array {
  const out = new Float64Array(actions.length)
  const scores = Float64Array.from(actions, ({ f }) => f)
  const widths = Float64Array.from(actions, ({ w }) => w)
  optimismWithEvidence({}, actions.length, model)(scores, widths, actions.length, out)
  return out
}

/** The rule written naively from its definition, without the limits of untested actions. */
function naive(actions: readonly Action[]): { p: number[]; against: number[] } {
  const K = actions.length
  const n = actions.reduce((sum, { rows }) => sum + rows, 0)
  const w = actions.map((a) => (a.w * a.sigma) / SIGMA)
  const top = Math.max(...actions.map(({ f }) => f))
  const best = actions.findIndex(({ f }) => f === top)
  const upper = actions.map(({ f, sigma, rows, constant, above, below }, a) => {
    const beta = Math.sqrt(1 + Math.max(0, Math.log(n / (K * rows))))
    // The root of d^2 = beta^2 (w^2 + 2/3 d w lean / (sigma sqrt n)).
    const lean = constant ? 0 : Math.max(0, above - 2 * below)
    const half = (beta ** 2 * w[a]! * lean) / (3 * sigma * Math.sqrt(Math.max(1, rows)))
    return f + half + Math.sqrt(half ** 2 + (beta * w[a]!) ** 2)
  })
  const star = upper.indexOf(Math.max(...upper))
  const part = actions.map(({ sigma }) => (sigma / SIGMA > 10 * (actions[best]!.sigma / SIGMA) ? 4 : 12))
  const against = actions.map(({ f, tail, constant, above, sigma, rows }, a) => {
    const gap = top - f
    const own = constant ? 0 : 2 * w[a]! ** 2
    const successes = constant ? 0 : above === 0 ? 5 : (rows * sigma ** 2) / above ** 2
    const trust = part[a] === 4 ? 0.6 + 0.08 * Math.min(5, successes) : 1
    const L = gap === 0 ? 0 : (trust * gap ** 2) / (2 * w[best]! ** 2 + own + gap * tail * w[a]!)
    return Math.min(L, 1.5 * Math.log(Math.max(1, n)))
  })
  const q = actions.map(
    ({ rows }, a) => (2 / K) * Math.exp(-against[a]!) * Math.min(1, (n / (part[a]! * K * Math.max(1, rows))) ** 2),
  )
  const total = q.reduce((sum, value, a) => sum + (a === star ? 0 : value), 0)
  const p = q.map((value) => (total > 0.5 ? (value * 0.5) / total : value))
  const rest = 1 - Math.min(0.5, total)
  const { rows, optimistic } = actions[star]!
  const paced = star === best ? rest : Math.min(rest, Math.max((5 * rows) / (n * optimistic), q[star]!))
  p[star] = paced
  if (star !== best) p[best] = p[best]! + rest - paced
  return { p, against }
}

describe('optimism with evidence', () => {
  it('equals its naive writing where every action was tested', () => {
    fc.assert(
      fc.property(instance, (actions) => {
        const tested = actions.map((a) => ({ ...a, rows: a.rows + 9 }))
        const { p } = naive(tested)
        weigh(tested).forEach((value, a) => {
          expect(value).toBeCloseTo(p[a]!, 12)
        })
      }),
    )
  })

  it('sums to one, gives every action a chance and none more than its rounds allow where another is tested', () => {
    fc.assert(
      fc.property(instance, (actions) => {
        const p = weigh(actions)
        expect(p.reduce((sum, value) => sum + value, 0)).toBeCloseTo(1, 12)
        // Half of an equal share, at most ten (limit-untested.ts).
        const closed = actions.reduce((sum, { rows }) => sum + rows, 0)
        const full = Math.min(10, Math.max(1, closed / actions.length / 2))
        const tested = actions.some(({ rows }) => rows + 1 >= full)
        p.forEach((value, a) => {
          expect(value).toBeGreaterThan(0)
          if (tested) expect(value).toBeLessThanOrEqual((actions[a]!.rows + 1) / full + 1e-12)
        })
      }),
      { numRuns: 1000 },
    )
  })

  it('expects an action with less than a twelfth of its share again within 2 K e^L decisions', () => {
    fc.assert(
      fc.property(instance, (actions) => {
        const tested = actions.map((a) => ({ ...a, rows: a.rows + 9 }))
        const n = tested.reduce((sum, { rows }) => sum + rows, 0)
        const p = weigh(tested)
        const { against } = naive(tested)
        tested.forEach(({ rows }, a) => {
          if (rows > n / (12 * tested.length)) return
          expect(2 * tested.length * p[a]! * Math.exp(against[a]!)).toBeGreaterThanOrEqual(1 - 1e-9)
        })
      }),
      { numRuns: 1000 },
    )
  })

  it('weighs the eligible actions by their own noise and rounds', () => {
    fc.assert(
      fc.property(instance, (actions) => {
        const all = actions.length
        const eligible = Int32Array.from({ length: Math.ceil(all / 2) }, (_, k) => all - 1 - k)
        const chosen = Array.from(eligible, (a) => actions[a]!)
        const out = new Float64Array(eligible.length)
        const weighing = optimismWithEvidence({}, all, fitted(actions))
        weighing(
          Float64Array.from(chosen, ({ f }) => f),
          Float64Array.from(chosen, ({ w }) => w),
          eligible.length,
          out,
          0,
          eligible,
        )
        const model = { ...fitted(chosen), weight: fitted(actions).weight }
        expect(out).toEqual(weigh(chosen, model))
      }),
    )
  })

  it('gives an action that no fit has seen a tenth, whatever its optimism', () => {
    const known = [0.5, 0.4].map((f) => ({
      f,
      w: 0.01,
      sigma: SIGMA,
      tail: 0,
      constant: false,
      rows: 1500,
      optimistic: 0,
      above: 0,
      below: 0,
    }))
    const added = { f: 0.45, w: 1, sigma: SIGMA, tail: 0, constant: false, rows: 0, optimistic: 0, above: 0, below: 0 }
    const out = weigh([...known, added], fitted(known))
    expect(out[2]).toBe(0.1)
    expect(out[0]).toBeGreaterThan(0.89)
  })
})
