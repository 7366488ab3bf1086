// Hajek estimate of a mean: sum w v / sum w, standard error sqrt(sum w^2 (v - mean)^2) / sum w.

export interface Estimate {
  readonly value: number
  readonly se: number
}

export class WeightedMean {
  count = 0
  weight = 0
  #value = 0
  #weight2 = 0
  #value2 = 0
  #square2 = 0

  add(weight: number, value: number): void {
    this.count++
    this.weight += weight
    this.#value += weight * value
    const square = weight * weight
    this.#weight2 += square
    this.#value2 += square * value
    this.#square2 += square * value * value
  }

  get mean(): number | null {
    return this.weight > 0 ? this.#value / this.weight : null
  }

  get estimate(): Estimate | null {
    const { mean } = this
    if (mean === null) return null
    const spread = this.#square2 - 2 * mean * this.#value2 + mean * mean * this.#weight2
    return { value: mean, se: Math.sqrt(Math.max(0, spread)) / this.weight }
  }

  /** (sum w)^2 / sum w^2. */
  get effectiveSize(): number {
    return this.#weight2 > 0 ? (this.weight * this.weight) / this.#weight2 : 0
  }
}

export interface Interval extends Estimate {
  readonly low: number
  readonly high: number
}
