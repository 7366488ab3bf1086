import { expect, it } from 'vitest'
import { dosing } from '../examples/dosing.js'

it('the dosing example learns to dose better than chance, and corrects the model it was given', () => {
  const { shareRight, epochs } = dosing()
  expect(shareRight).toBeGreaterThan(0.6)
  const fold = epochs.at(-1)!.covariates[0]!.calibration!.folds[0]!.columns[0]!
  expect(fold.lossAfter).toBeLessThan(0.7 * fold.lossBefore)
})
