// The regret of the live service, round by round, from the propensities of its replies.

export class LiveRegret {
  /** Decided rounds, all of them up to here. */
  rounds = 0
  #cumulative = new Float64Array(4096)

  add(regret: number): void {
    if (this.rounds === this.#cumulative.length) {
      const longer = new Float64Array(2 * this.rounds)
      longer.set(this.#cumulative)
      this.#cumulative = longer
    }
    this.#cumulative[this.rounds] = (this.rounds === 0 ? 0 : this.#cumulative[this.rounds - 1]!) + regret
    this.rounds++
  }

  /** After each round. */
  get cumulative(): Float64Array {
    return this.#cumulative.subarray(0, this.rounds)
  }
}
