import { describe, expect, it } from 'vitest'
import { Random } from '../random/random.js'
import { portableExp, portableTanh } from './portable-maths.js'

const random = Random.fromSeed(5)

describe('exp and tanh by arithmetic alone', () => {
  it('are those of Math to the last places', () => {
    let worst = 0
    for (let i = 0; i < 20_000; i++) {
      const x = (random.uniform() - 0.5) * (i % 2 === 0 ? 1400 : 4)
      const small = x / 50
      worst = Math.max(
        worst,
        Math.abs(portableExp(x) / Math.exp(x) - 1),
        Math.abs(portableTanh(small) - Math.tanh(small)),
      )
    }
    expect(worst).toBeLessThan(5e-16)
  })

  it('keep the ends', () => {
    expect([0, 710, -746, Number.NaN, -Infinity, Infinity].map(portableExp)).toEqual([1, Infinity, 0, NaN, 0, Infinity])
    expect([0, 400, -400].map(portableTanh)).toEqual([0, 1, -1])
    expect(portableExp(-744) / Math.exp(-744)).toBe(1)
  })
})
