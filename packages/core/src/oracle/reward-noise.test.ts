import { Random } from '@primo/numeric'
import { expect, it } from 'vitest'
import { encodingOf } from '../problem/encoding.js'
import type { Problem } from '../problem/problem.js'
import { rememberedResiduals } from './largest-residual.js'
import { linearOracle } from './linear.js'
import type { LinearModel } from './linear-model.js'
import { type Row, rowsOf } from './oracle.laws.js'
import { type ActionNoise, actionNoise, leanOf, optimismOf, rarityOf } from './reward-noise.js'

const fit = { residuals: 0, variance: 0, weight: 1010, degreesOfFreedom: 2 }
const quiet = (weight: number, constant = true) => ({ residuals: 0, weight, degreesOfFreedom: 1, constant })

it('lets ten rounds without a success claim no less noise than one success at the far end leaves', () => {
  const { sigmas, tails } = actionNoise(fit, [quiet(4000), quiet(10)])
  expect(sigmas[1]!).toBeGreaterThan(0.2)
  expect(tails[1]!).toBeGreaterThan(1)
  expect(sigmas[0]!).toBeLessThan(0.001)
})

it('forgets a declared range that nothing comes near, sooner where rewards vary', () => {
  const noisy = { residuals: 300 * 1e-8, weight: 300, degreesOfFreedom: 1, constant: false }
  const { sigmas } = actionNoise({ ...fit, residuals: 600 * 1e-8 }, [noisy, quiet(300)])
  expect(sigmas[0]!).toBeLessThan(2e-4)
  expect(sigmas[1]!).toBeGreaterThan(0.005)
})

it('is the residual spread of an action with many rounds', () => {
  const own = { residuals: 0.09 * 5000, weight: 5000, degreesOfFreedom: 8, constant: false }
  const { sigmas, tails } = actionNoise({ ...fit, residuals: 450, weight: 6000 }, [own, quiet(4000)], () => ({
    largest: 0.9,
    lean: 0.8,
  }))
  expect(sigmas[0]!).toBeCloseTo(0.3, 2)
  expect(tails[0]!).toBeCloseTo(0.8 / (sigmas[0]! * Math.sqrt(5000)), 12)
  expect(tails[1]!).toBeLessThan(0.01)
})

it('keeps the largest residual of an action while others are played, and lets it go as its own rounds go by', () => {
  const before = { sigmas: [0.1, 0.1], tails: [0, 0], weights: [100, 100], above: [0.9, 0.9], below: [0.1, 0.8] }
  const newest = { above: [0.2, 0], below: [0.3, 0] }
  const known = (weights: number[], model?: ActionNoise) => rememberedResiduals(newest, weights, model)
  expect(known([100 + 512, 100], before)).toEqual({ above: [0.45, 0.9], below: [0.3, 0.8] })
  expect(known([100 + 4096, 100], before)).toEqual({ above: [0.2, 0.9], below: [0.3, 0.8] })
  // A model from before this was kept, and a memory that lost rounds.
  expect(known([100, 100])).toEqual(newest)
  expect(known([50, 50], before)).toEqual({ above: [0.9, 0.9], below: [0.3, 0.8] })
})

it('allows for rare rewards where residuals go farther above than below', () => {
  const own = { residuals: 1, weight: 250, degreesOfFreedom: 1, constant: false }
  const tailsOf = (leans: number[]) =>
    actionNoise({ ...fit, residuals: 2 }, [own, own], (a) => ({ largest: 0.5, lean: leans[a]! })).tails
  const [even, rare] = tailsOf([0.05, 0.5]) as [number, number]
  expect(rare / even).toBeCloseTo(10, 1)
})

it('finds the one success of an action with few rounds among thousands of rounds since the last fit', () => {
  const problem: Problem = {
    context: {},
    covariates: {},
    actions: ['sure', 'coin'],
    reward: { min: 0, max: 1 },
  }
  const oracle = linearOracle(encodingOf(problem), { interactions: 'auto' }, true)
  const rows = Array.from({ length: 3000 }, (_, i): Row => {
    const coin = i % 50 === 0
    return { x: [], z: [], action: coin ? 1 : 0, reward: coin ? (i === 500 ? 1 : 0) : 0.02 }
  })
  const { noise } = oracle.fit(rowsOf(rows, 2, { context: 0, covariates: 0 }), Random.fromSeed(0), null) as LinearModel
  expect(noise!.above![1]!).toBeGreaterThan(0.9)
  expect(noise!.constant).toEqual([true, false])
})

it('forgets the declared range of an action whose rewards were all the same after 256 rounds, not before', () => {
  const sigmaOf = (weight: number) => actionNoise(fit, [quiet(weight)]).sigmas[0]! * Math.sqrt(weight - 1 + 5)
  expect(sigmaOf(256)).toBeCloseTo(1, 12)
  expect(sigmaOf(1024)).toBeCloseTo(1 / 8, 12)
})

/** n KL(p, q): what k successes of n say against a coin of q. */
const information = (n: number, k: number, q: number) =>
  k * Math.log(k / n / q) + (n - k) * Math.log((1 - k / n) / (1 - q))

it('counts few successes of a coin as evidence against a better one about as the likelihood does', () => {
  for (const [n, k, q] of [
    [331, 1, 0.02],
    [392, 4, 0.02],
    [1000, 40, 0.06],
    [200, 10, 0.2],
  ] as const) {
    const p = k / n
    const gap = q - p
    const exponent = (n * gap ** 2) / (2 * p * (1 - p) + gap * leanOf(1 - p, p, 1))
    expect(exponent / information(n, k, q), `${k} of ${n}`).toBeGreaterThan(0.75)
    expect(exponent / information(n, k, q), `${k} of ${n}`).toBeLessThan(1.25)
  }
})

it('is as optimistic of a coin with few successes as the likelihood allows, and of even noise as before', () => {
  const [n, k] = [331, 1]
  const sigma = Math.sqrt((k / n) * (1 - k / n))
  const noise = { sigmas: [sigma, sigma], tails: [0, 0], weights: [n, n], above: [1 - k / n, 0.5], below: [k / n, 0.4] }
  const upper = k / n + (optimismOf(0, 1, rarityOf(noise, 0)) * sigma) / Math.sqrt(n)
  // One standard deviation is half a unit of information.
  expect(information(n, k, upper)).toBeGreaterThan(0.4)
  expect(information(n, k, upper)).toBeLessThan(0.6)
  expect(rarityOf(noise, 1)).toBe(0)
  expect(rarityOf({ ...noise, constant: [true, false] }, 0)).toBe(0)
})
