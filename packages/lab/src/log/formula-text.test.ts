import { expect, test } from 'vitest'
import { guardText, unguardText } from './formula-text.js'

test.each(['=cmd|"/c calc"!A1', '+1', '-1', '@sum(a)', '\t=1', '\r=1', "'=1", "''@x"])(
  '%j is no formula in the file, and comes back as it was',
  (text) => {
    expect(guardText(text)).toMatch(/^'/)
    expect(unguardText(guardText(text))).toBe(text)
  },
)

test.each(['', 'plain', "'quoted'", "'", 'a=b'])('%j stays as it is', (text) => {
  expect(guardText(text)).toBe(text)
  expect(unguardText(text)).toBe(text)
})
