import { expect, test } from 'vitest'
import { Proof } from './decision-proof.js'
import type { GuardedChoice } from './guarded-decider.js'

test('both zeros are one: JSON has no other', () => {
  const proofOf = (value: number) => {
    const values = Float64Array.of(value, 0.5)
    const choice = { encoded: { context: values }, covariates: values, scores: values }
    const proof = new Proof()
    proof.decision([1, 2], { choice, propensities: values, action: 0, played: 0 } as unknown as GuardedChoice)
    return proof.end()
  }
  expect(proofOf(-0)).toBe(proofOf(0))
  expect(proofOf(1e-9)).not.toBe(proofOf(0))
})
