// The proof of a decision: a hash, under the caller's key, of everything that it came from and led to. Two lanes of multiply and rotate;
// numbers enter as single precision, so that a last digit that another machine's exp or log rounds otherwise is no lie.

import type { RandomKey } from '@primo/numeric'
import type { GuardedChoice } from './guarded-decider.js'

const FIRST_SIZE = 1024

/** A hash that grows: take its two words, or its text. */
export class Proof {
  #high = 0
  #low = 0
  #singles = new Float32Array(FIRST_SIZE)
  #words = new Int32Array(this.#singles.buffer)
  #count = 0

  /** Begins with these words: a key, or those of a proof so far. */
  begin(high: number, low: number): void {
    this.#high = high | 0
    this.#low = low | 0
  }

  /** The words so far. */
  get high(): number {
    return this.#high
  }

  get low(): number {
    return this.#low
  }

  /** What was decided under the key: inputs as they were encoded, values used, scores, propensities, action. */
  decision(key: RandomKey, { choice, propensities, action, played }: GuardedChoice): void {
    const { encoded, covariates, scores } = choice
    this.#reserve(encoded.context.length + covariates.length + scores.length + propensities.length + 6)
    this.begin(key[0], key[1])
    this.#put(encoded.context)
    this.#put(covariates)
    this.#put(scores)
    this.#put(propensities)
    this.#words[this.#count++] = action
    this.#words[this.#count++] = played
    this.#mix()
  }

  /** Two characters make a word. */
  text(value: string): void {
    const { length } = value
    this.#reserve((length >> 1) + 2)
    const words = this.#words
    let count = 0
    for (let k = 0; k + 1 < length; k += 2) words[count++] = value.charCodeAt(k) | (value.charCodeAt(k + 1) << 16)
    if (length % 2 === 1) words[count++] = value.charCodeAt(length - 1)
    words[count++] = length
    this.#count = count
    this.#mix()
  }

  /** Sixteen hexadecimal digits. */
  end(): string {
    this.#words.fill(0, 0, 3)
    this.#count = 3
    this.#mix()
    return hex(this.#high) + hex(this.#low)
  }

  #reserve(size: number): void {
    if (size <= this.#words.length) return
    this.#singles = new Float32Array(2 * size)
    this.#words = new Int32Array(this.#singles.buffer)
  }

  #put(values: Float64Array): void {
    const singles = this.#singles
    let count = this.#count
    // JSON has one zero.
    for (let k = 0; k < values.length; k++) singles[count++] = values[k]! + 0
    this.#words[count++] = values.length
    this.#count = count
  }

  #mix(): void {
    const words = this.#words
    const count = this.#count
    let high = this.#high
    let low = this.#low
    for (let k = 0; k < count; k++) {
      const word = words[k]!
      high = Math.imul(high ^ word, 0x85ebca6b)
      low = Math.imul(low + word, 0xc2b2ae35) ^ high
      high = (Math.imul((high << 13) | (high >>> 19), 5) + 0x38b34ae5) | 0
      low = (Math.imul((low << 17) | (low >>> 15), 5) + 0x561ccd1b) | 0
    }
    this.#high = high
    this.#low = low
    this.#count = 0
  }
}

function hex(word: number): string {
  return (word >>> 0).toString(16).padStart(8, '0')
}

/** What a proof says beside the decision's numbers. */
export function proofText(id: string, policy: string, decidedAt: number, request: string): string {
  return `${id}\n${policy}\n${decidedAt}\n${request}`
}
