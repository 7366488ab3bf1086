import { describe, expect, it } from 'vitest'
import { spreadParts } from './block-parts.js'

describe('parts that stand for all', () => {
  const parts = Array.from({ length: 100 }, (_, k) => k)

  it('are all of them where they have few rows', () => {
    expect(spreadParts(parts, 1000, () => 10)).toEqual(parts)
  })

  it('have as many rows as are wanted, are spread evenly and end with the last', () => {
    expect(spreadParts(parts, 50, () => 10)).toEqual([19, 39, 59, 79, 99])
    expect(spreadParts(parts, 41, () => 10)).toHaveLength(5)
    expect(spreadParts(parts, 1, () => 10)).toEqual([99])
  })
})
