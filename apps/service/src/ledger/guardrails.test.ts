import { addEvidence, noEvidence } from '@primo/lab/evidence'
import { expect, test } from 'vitest'
import { dice } from '../dice.fixture.js'
import { guardrailScale, leftGuardrail } from './guardrails.js'

const most = { min: 0, max: 1_000_000, limit: { max: 200 } }
const least = { min: -5, max: 1, limit: { min: 0.2 } }

/** Reports until the guardrail is left; null: it is not, in 1,500. */
function leftAfter(rail: typeof most | typeof least, value: () => number): number | null {
  const evidence = noEvidence()
  for (let k = 1; k <= 1500; k++) {
    addEvidence(evidence, guardrailScale(rail).inside(value()))
    // Looked at after every tenth report.
    if (k % 10 === 0 && leftGuardrail({ rail }, { rail: evidence }) !== null) return k
  }
  return null
}

test('units go from the harmless end, and the limit is one half', () => {
  expect([0, 200, 1000].map(guardrailScale(most).inside)).toEqual([0, 0.5, 2.5])
  expect([1, 0.2, -5].map((value) => Number(guardrailScale(least).inside(value).toFixed(9)))).toEqual([0, 0.5, 3.75])
  expect([0, 0.5, 2.5].map(guardrailScale(most).outside)).toEqual([0, 200, 1000])
})

test('a mean at its limit is seldom called beyond it, however heavy the tail; one beyond it soon is', () => {
  // 100 times 150 looks at means that are at the limit: 5 false alarms are allowed on average, 12 happen by chance once in 400 times.
  const d = dice(7)
  let alarms = 0
  for (let k = 0; k < 100; k++)
    if (
      leftAfter(
        k % 2 === 0 ? most : least,
        k % 2 === 0 ? () => -200 * Math.log(1 - d.next()) : () => d.next() * 1.6 - 0.6,
      ) !== null
    )
      alarms++
  expect(alarms).toBeLessThanOrEqual(12)
  expect(leftAfter(most, () => -300 * Math.log(1 - d.next()))).toBeLessThan(1000)
  expect(leftAfter(least, () => d.next() * 1.6 - 0.9)).toBeLessThan(1000)
})

test('the sentence says what is known and what is allowed', () => {
  const evidence = noEvidence()
  for (let k = 0; k < 500; k++) addEvidence(evidence, guardrailScale(least).inside(-1))
  expect(leftGuardrail({ margin: least }, { margin: evidence })).toMatch(
    /^the mean of margin is at most -0\.\d+ after 500 reports, where at least 0\.2 is allowed$/,
  )
})
