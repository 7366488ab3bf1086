// A seeded, splittable source of draws: the counter of one Threefry stream, plus the usual distributions.
// `split` gives independent children by name; two sources with the same key give the same draws.

import { deriveKey, type RandomKey, seedKey } from './key.js'
import { threefry, unitInterval } from './threefry.js'

/**
 * A seeded source of draws that can be split by name; the same key gives the same draws on any machine.
 * @example
 * const random = Random.fromSeed(7).split('patients')
 * random.uniform() // in [0, 1)
 */
export class Random {
  readonly key: RandomKey
  #counter = 0
  readonly #words = new Int32Array(2)

  constructor(key: RandomKey) {
    this.key = key
  }

  static fromSeed(seed: number): Random {
    return new Random(seedKey(seed))
  }

  split(...labels: readonly (string | number)[]): Random {
    return new Random(deriveKey(this.key, ...labels))
  }

  /** Uniform on [0, 1), 53 bits. */
  uniform(): number {
    const words = this.#words
    const counter = this.#counter++
    threefry(this.key[0], this.key[1], counter | 0, Math.floor(counter / 4294967296), words)
    return unitInterval(words[0]!, words[1]!)
  }

  /** Uniform on {0, ..., count - 1}. */
  integer(count: number): number {
    return Math.floor(this.uniform() * count)
  }

  /** +1 or -1, each with probability one half. */
  sign(): number {
    return this.uniform() < 0.5 ? -1 : 1
  }

  /** Standard normal, by the polar method without a kept second value. */
  normal(): number {
    for (;;) {
      const u = 2 * this.uniform() - 1
      const v = 2 * this.uniform() - 1
      const square = u * u + v * v
      if (square > 0 && square < 1) return u * Math.sqrt((-2 * Math.log(square)) / square)
    }
  }

  /** A uniformly random order of 0, ..., count - 1. */
  permutation(count: number): Uint32Array {
    const order = new Uint32Array(count)
    for (let i = 0; i < count; i++) order[i] = i
    for (let i = count - 1; i > 0; i--) {
      const j = this.integer(i + 1)
      const kept = order[i]!
      order[i] = order[j]!
      order[j] = kept
    }
    return order
  }
}
