import { expect, it } from 'vitest'
import { rememberedResiduals } from './largest-residual.js'
import { actionNoise } from './reward-noise.js'

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
  const { sigmas, tails } = actionNoise({ ...fit, residuals: 450, weight: 6000 }, [own, quiet(4000)], 0.8)
  expect(sigmas[0]!).toBeCloseTo(0.3, 2)
  expect(tails[0]!).toBeCloseTo(((2 / 3) * 0.8) / (sigmas[0]! * Math.sqrt(5000)), 12)
  expect(tails[1]!).toBeLessThan(0.01)
})

it('keeps the largest residual of an action while others are played, and lets it go as its own rounds go by', () => {
  const before = { sigmas: [0.1, 0.1], tails: [0, 0], weights: [100, 100], largest: [0.9, 0.9] }
  const newest = Float64Array.of(0.2, 0)
  expect(rememberedResiduals(newest, [100 + 512, 100], before)).toEqual([0.45, 0.9])
  expect(rememberedResiduals(newest, [100 + 4096, 100], before)).toEqual([0.2, 0.9])
  // A model from before this was kept, and a memory that lost rounds.
  expect(rememberedResiduals(newest, [100, 100], undefined)).toEqual([0.2, 0])
  expect(rememberedResiduals(newest, [50, 50], before)).toEqual([0.9, 0.9])
  const own = { residuals: 1, weight: 250, degreesOfFreedom: 1, constant: false }
  const { tails } = actionNoise({ ...fit, residuals: 2 }, [own, own], [0.1, 1])
  expect(tails[1]! / tails[0]!).toBeCloseTo(10, 1)
})
