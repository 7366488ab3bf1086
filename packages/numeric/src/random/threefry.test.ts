import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { threefry, unitInterval } from './threefry.js'

function words(key: readonly [number, number], counter: readonly [number, number]): [number, number] {
  const out = new Int32Array(2)
  threefry(key[0], key[1], counter[0], counter[1], out)
  return [out[0]! >>> 0, out[1]! >>> 0]
}

const word = fc.integer({ min: 0, max: 0xffffffff })

function bits(value: number): number {
  let count = 0
  for (let rest = value; rest !== 0; rest = Math.floor(rest / 2)) count += rest % 2
  return count
}

describe('threefry', () => {
  // Random123, kat_vectors: threefry 2x32 20.
  test.each([
    { key: [0, 0], counter: [0, 0], answer: [0x6b200159, 0x99ba4efe] },
    { key: [0xffffffff, 0xffffffff], counter: [0xffffffff, 0xffffffff], answer: [0x1cb996fc, 0xbb002be7] },
    { key: [0x13198a2e, 0x03707344], counter: [0x243f6a88, 0x85a308d3], answer: [0xc4923a9c, 0x483df7a0] },
  ] as const)('gives the known answer of Random123 for counter $counter', ({ key, counter, answer }) => {
    expect(words(key, counter)).toEqual(answer)
  })

  test('takes words as signed or unsigned numbers alike', () => {
    fc.assert(
      fc.property(word, word, word, word, (a, b, c, d) => {
        expect(words([a | 0, b | 0], [c | 0, d | 0])).toEqual(words([a, b], [c, d]))
      }),
    )
  })

  test('may write over the words that it read its key from', () => {
    const out = Int32Array.of(5, 6)
    threefry(out[0]!, out[1]!, 7, 8, out)
    expect([out[0]! >>> 0, out[1]! >>> 0]).toEqual(words([5, 6], [7, 8]))
  })

  test('gives different words for different counters of one key', () => {
    const seen = new Set<string>()
    for (let counter = 0; counter < 20_000; counter++)
      seen.add(words([1, 2], [counter % 100, Math.floor(counter / 100)]).join())
    expect(seen.size).toBe(20_000)
  })

  test('changes about half of the 64 bits when one bit of key or counter changes', () => {
    let changed = 0
    let trials = 0
    for (let input = 0; input < 4; input++) {
      for (let bit = 0; bit < 32; bit++) {
        const before: [number, number, number, number] = [11, 22, 33, 44]
        const after: [number, number, number, number] = [11, 22, 33, 44]
        after[input]! ^= 1 << bit
        const a = words([before[0], before[1]], [before[2], before[3]])
        const b = words([after[0], after[1]], [after[2], after[3]])
        changed += bits((a[0] ^ b[0]) >>> 0) + bits((a[1] ^ b[1]) >>> 0)
        trials += 64
      }
    }
    // Three standard errors of a fair coin over 8,192 bits: false alarm 0.3 %, once, the input being fixed.
    expect(Math.abs(changed / trials - 0.5)).toBeLessThan(1.5 / Math.sqrt(trials))
  })
})

describe('unitInterval', () => {
  test('maps the smallest words to 0 and the largest to the number just below 1', () => {
    expect(unitInterval(0, 0)).toBe(0)
    expect(unitInterval(-1, -1)).toBe(1 - 2 ** -53)
  })

  test('uses 27 bits of the first word and 26 of the second', () => {
    expect(unitInterval(1 << 31, 0)).toBe(0.5)
    expect(unitInterval(1 << 5, 0)).toBe(2 ** -27)
    expect(unitInterval(0, 1 << 31)).toBe(2 ** -28)
    expect(unitInterval(0, 1 << 6)).toBe(2 ** -53)
  })

  test('stays in [0, 1)', () => {
    fc.assert(
      fc.property(word, word, (a, b) => {
        const value = unitInterval(a | 0, b | 0)
        expect(value).toBeGreaterThanOrEqual(0)
        expect(value).toBeLessThan(1)
        expect(unitInterval(a, b)).toBe(value)
      }),
    )
  })
})
