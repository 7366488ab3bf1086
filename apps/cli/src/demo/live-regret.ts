// The regret of the live service, round by round, from the propensities of its replies; kept in a file beside the store, so
// that the next run need not read the log again.

import { appendFileSync, existsSync, readFileSync, truncateSync } from 'node:fs'

const BYTES = Float64Array.BYTES_PER_ELEMENT

export class LiveRegret {
  /** Decided rounds, all of them up to here. */
  rounds = 0
  #cumulative = new Float64Array(4096)
  #saved = 0
  readonly #path: string

  constructor(path: string) {
    this.#path = path
  }

  /** Takes what the file holds, if it holds all of the rounds that the store knows; says whether it does. */
  restore(decided: number): boolean {
    if (!existsSync(this.#path)) return decided === 0
    const bytes = readFileSync(this.#path)
    const known = Math.floor(bytes.length / BYTES)
    if (known < decided) {
      truncateSync(this.#path, 0)
      return false
    }
    // A kill can come between the store's commit and the file, in either order.
    truncateSync(this.#path, decided * BYTES)
    for (let i = 0; i < decided; i++) this.add(bytes.readDoubleLE(i * BYTES))
    this.#saved = this.rounds
    return true
  }

  add(regret: number): void {
    if (this.rounds === this.#cumulative.length) {
      const longer = new Float64Array(2 * this.rounds)
      longer.set(this.#cumulative)
      this.#cumulative = longer
    }
    this.#cumulative[this.rounds] = (this.rounds === 0 ? 0 : this.#cumulative[this.rounds - 1]!) + regret
    this.rounds++
  }

  /** Appends the rounds that are new since the last time. */
  save(): void {
    const bytes = Buffer.alloc((this.rounds - this.#saved) * BYTES)
    for (let i = this.#saved; i < this.rounds; i++) {
      const before = i === 0 ? 0 : this.#cumulative[i - 1]!
      bytes.writeDoubleLE(this.#cumulative[i]! - before, (i - this.#saved) * BYTES)
    }
    if (bytes.length > 0) appendFileSync(this.#path, bytes)
    this.#saved = this.rounds
  }

  /** After each round. */
  get cumulative(): Float64Array {
    return this.#cumulative.subarray(0, this.rounds)
  }
}
