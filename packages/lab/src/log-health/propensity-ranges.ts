// How often actions of each range of propensities were played. Those of one range exclude each other, so a row adds P(1 - P) to the
// variance, with P the sum of their propensities.

/** Played against expected, for an action or a range of propensities. */
export interface PlayedAgainstExpected {
  readonly name: string
  readonly played: number
  /** How often the propensities say; null: only those of played actions are known. */
  readonly expected: number | null
  readonly z: number | null
  /** Of the rate at which it was played, relative to the expected one. */
  readonly deviation: number
}

const EDGES = [0, 0.01, 0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9, 1]
/** A smaller expected count is no normal variable. */
export const LEAST_VARIANCE = 10

export class PropensityRanges {
  readonly #mass = new Float64Array(EDGES.length)
  readonly #played = new Float64Array(EDGES.length)
  readonly #expected = new Float64Array(EDGES.length)
  readonly #variance = new Float64Array(EDGES.length)

  add(action: number, every: readonly number[]): void {
    this.#mass.fill(0)
    for (const p of every) if (p > 0) this.#mass[rangeOf(p)]! += p
    for (let b = 0; b < EDGES.length; b++) {
      const mass = this.#mass[b]!
      this.#expected[b]! += mass
      this.#variance[b]! += Math.max(0, mass * (1 - mass))
    }
    this.#played[rangeOf(every[action]!)]!++
  }

  report(): readonly PlayedAgainstExpected[] {
    return EDGES.flatMap((from, b): PlayedAgainstExpected[] => {
      const expected = this.#expected[b]!
      const played = this.#played[b]!
      if (expected === 0 && played === 0) return []
      const z = (played - expected) / Math.sqrt(Math.max(this.#variance[b]!, LEAST_VARIANCE))
      const name = b + 1 < EDGES.length ? `${from} to ${EDGES[b + 1]}` : '1'
      return [{ name, played, expected, z, deviation: expected > 0 ? played / expected - 1 : 1 }]
    })
  }
}

function rangeOf(p: number): number {
  let b = EDGES.length - 1
  while (b > 0 && p < EDGES[b]!) b--
  return b
}
