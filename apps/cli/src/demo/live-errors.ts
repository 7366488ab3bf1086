// How far off the values were that stood in for missing ones, by the policy's epoch: the model's own, and what the service made of them.

import type { Comparison } from '@primo/contract'

interface Sums {
  rounds: number
  count: number
  pretrained: number
  calibrated: number
}

export class LiveErrors {
  readonly #epochs = new Map<number, Sums>()

  /** A missing value: `rounds` were decided with it. */
  add(epoch: number, rounds: number, truth: number, pretrained: number, calibrated: number): void {
    const sums = this.#epochs.get(epoch) ?? { rounds, count: 0, pretrained: 0, calibrated: 0 }
    this.#epochs.set(epoch, sums)
    sums.rounds = rounds
    sums.count++
    sums.pretrained += (pretrained - truth) ** 2
    sums.calibrated += (calibrated - truth) ** 2
  }

  /** Of epochs with so many missing values at least, oldest first. */
  list(fewest: number): Comparison['errors'] {
    return [...this.#epochs]
      .filter(([, { count }]) => count >= fewest)
      .map(([epoch, { rounds, count, pretrained, calibrated }]) => ({
        epoch,
        rounds,
        pretrained: Math.sqrt(pretrained / count),
        calibrated: Math.sqrt(calibrated / count),
      }))
  }
}
