import { expect, it } from 'vitest'
import { actionNoise } from './reward-noise.js'

const fit = { residuals: 0, variance: 0, weight: 1010, degreesOfFreedom: 2 }
const quiet = (weight: number, constant = true) => ({ residuals: 0, weight, degreesOfFreedom: 1, constant })

it('lets ten rounds without a success claim no less noise than one success at the far end leaves', () => {
  const { sigmas, tails } = actionNoise(fit, [quiet(1000), quiet(10)])
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
  const { sigmas, tails } = actionNoise({ ...fit, residuals: 450, weight: 6000 }, [own, quiet(1000)], 0.8)
  expect(sigmas[0]!).toBeCloseTo(0.3, 2)
  expect(tails[0]!).toBeCloseTo(((2 / 3) * 0.8) / (sigmas[0]! * Math.sqrt(5000)), 12)
  expect(tails[1]!).toBeLessThan(0.01)
})
