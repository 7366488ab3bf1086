// Rewards on their way: which rounds' rewards have arrived when a round is about to be decided. A reward with delay k
// arrives after k later rounds were decided.

export class Arrivals {
  readonly #due = new Map<number, number[]>()
  #next = 0

  /** The reward of `round` arrives `delay` rounds after it. */
  send(round: number, delay: number): void {
    const at = round + delay
    const list = this.#due.get(at)
    if (list === undefined) this.#due.set(at, [round])
    else list.push(round)
  }

  /** Calls `visit` for every round whose reward has arrived before `round` is decided, in order of arrival. */
  receive(round: number, visit: (arrived: number) => void): void {
    for (; this.#next < round; this.#next++) {
      const list = this.#due.get(this.#next)
      if (list === undefined) continue
      this.#due.delete(this.#next)
      for (const arrived of list) visit(arrived)
    }
  }
}
