import { expect, test } from 'vitest'
import { countUpload, noUploadGaps, uploadTotals } from './upload-gaps.js'

const counted = (ids: readonly string[], gaps = noUploadGaps()) => {
  for (const id of ids) expect(countUpload(gaps, id)).toBe(true)
  return gaps
}

test('counters that are passed over are missing until they arrive, in any order', () => {
  const gaps = counted(['web~r~0', 'web~r~3', 'web~r~10', 'shop~r~2'])
  expect(gaps.callers).toEqual({ web: { decisions: 3, missing: 34 }, shop: { decisions: 1, missing: 2 } })
  expect(uploadTotals(counted(['web~r~1', 'web~r~2', 'shop~r~1'], gaps))).toEqual({ decisions: 7, missing: 33 })
})

test('other ids do not count', () => {
  const gaps = noUploadGaps()
  for (const id of ['d0k3jd82', 'web~r', 'web~r~', 'web~r~A', 'a~b~c~0']) expect(countUpload(gaps, id)).toBe(false)
  expect(gaps).toEqual(noUploadGaps())
})

test('memory is bounded; a run that was left out goes on without a gap, a new one begins at 0', () => {
  const run = (k: number) => `m${String(k).padStart(6, '0')}`
  const gaps = counted(Array.from({ length: 2000 }, (_, k) => `web~${run(k)}~0`))
  expect(Object.keys(gaps.next)).toHaveLength(500)
  counted([`web~${run(7)}~99`], gaps)
  expect(uploadTotals(gaps).missing).toBe(0)
  counted([`web~${run(3000)}~2`], gaps)
  expect(uploadTotals(gaps).missing).toBe(2)
  for (let k = 0; k < 300; k++) counted([`c${k}~z~0`], gaps)
  expect(Object.keys(gaps.callers).length).toBeLessThanOrEqual(101)
  counted(['__proto__~z~1', 'constructor~z~1'], gaps)
  expect(gaps.callers.other).toMatchObject({ missing: 2 })
  expect(JSON.stringify(gaps).length).toBeLessThan(24_000)
})

test('the run used least recently is left out first', () => {
  const gaps = counted(['web~m0~0'])
  for (let k = 1; k < 900; k++) counted([`web~m${k}~0`, `web~m0~${k.toString(36)}`], gaps)
  expect(gaps.next['web~m0']).toBe(900)
})
