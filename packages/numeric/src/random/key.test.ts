import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { deriveKey, seedKey } from './key.js'

describe('seedKey', () => {
  test('gives every seed below 2^53 its own key', () => {
    expect(seedKey(0)).toEqual([0, 0])
    expect(seedKey(5)).toEqual([5, 0])
    expect(seedKey(2 ** 32 + 5)).toEqual([5, 1])
    expect(seedKey(Number.MAX_SAFE_INTEGER)).toEqual([-1, 0x1fffff])
    fc.assert(
      fc.property(fc.maxSafeNat(), (seed) => {
        const [low, high] = seedKey(seed)
        expect(high * 2 ** 32 + (low >>> 0)).toBe(seed)
      }),
    )
  })

  test.each([-1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, '7', null, undefined])(
    'refuses the seed %s',
    (seed) => {
      expect(() => seedKey(seed as number)).toThrow(
        expect.objectContaining({
          name: 'PrimoError',
          code: 'invalid-option',
          message: expect.stringMatching(/^seed must be a whole number >= 0, got /),
          facts: expect.objectContaining({ field: 'seed', value: seed }),
        }),
      )
    },
  )
})

describe('deriveKey', () => {
  const root = seedKey(1)
  const label = fc.oneof(fc.string({ maxLength: 12, unit: 'binary' }), fc.integer(), fc.maxSafeNat())

  test('gives the parent for no label, and is the same one label at a time or all at once', () => {
    expect(deriveKey(root)).toEqual(root)
    fc.assert(
      fc.property(label, label, label, (a, b, c) => {
        expect(deriveKey(root, a, b, c)).toEqual(deriveKey(deriveKey(deriveKey(root, a), b), c))
      }),
    )
  })

  test('gives different labels different keys', () => {
    fc.assert(
      fc.property(fc.uniqueArray(label, { minLength: 2, maxLength: 20, comparator: 'SameValueZero' }), (labels) => {
        expect(new Set(labels.map((one) => deriveKey(root, one).join())).size).toBe(labels.length)
      }),
    )
  })

  test('tells apart labels that look alike', () => {
    const lists: (string | number)[][] = [
      ['ab'],
      ['a', 'b'],
      ['b', 'a'],
      ['a'],
      ['a', ''],
      ['', 'a'],
      [''],
      ['', ''],
      ['a\0'],
      ['a\0\0\0'],
      ['abcd'],
      ['abcd\0'],
      ['\0'],
      ['0'],
      [0],
      [1],
      ['1'],
      [-1],
      [0xffffffff],
      [2 ** 32],
      [2 ** 32 + 1],
    ]
    expect(new Set(lists.map((labels) => deriveKey(root, ...labels).join())).size).toBe(lists.length)
    expect(lists.map((labels) => deriveKey(root, ...labels).join())).not.toContain(root.join())
  })

  test('gives different parents different children', () => {
    const keys = Array.from({ length: 1000 }, (_, seed) => deriveKey(seedKey(seed), 'epoch', 3).join())
    expect(new Set(keys).size).toBe(1000)
  })
})
