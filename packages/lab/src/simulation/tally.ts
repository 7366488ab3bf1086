// What a run adds up while it goes: pseudo-regret sum_t max_a mean - sum_a p_a mean_a, the realised floor, the reward, and
// how wrong the imputed values were, by epoch.

import type { WorldBlock } from '../environments/environment.js'
import type { Checkpoint, EpochRow } from '../runs/run-row.js'

export interface TallyOptions {
  readonly actions: number
  readonly covariateWidth: number
  /** Columns of each covariate: which covariate a column belongs to. */
  readonly owner: Int32Array
  readonly covariateCount: number
  /** Also a checkpoint every so many rounds; default only at powers of two and at the end. */
  readonly every?: number
}

export class Tally {
  rounds = 0
  regret = 0
  floor = 0
  reward = 0
  readonly checkpoints: Checkpoint[] = []
  readonly epochs: EpochRow[] = []
  readonly #options: TallyOptions
  #meansKnown = true
  #floorKnown = true
  #nextPower = 1
  #nextMark: number
  #regretBefore = 0
  #imputed = 0
  #pretrained = 0
  #missing = 0

  constructor(options: TallyOptions) {
    this.#options = options
    this.#nextMark = options.every ?? Number.POSITIVE_INFINITY
  }

  /** One decided round: `row` of the world, the propensities played, the action drawn. */
  add(world: WorldBlock, row: number, propensities: Float64Array, action: number): void {
    const { actions, every } = this.#options
    this.rounds++
    this.reward += world.rewards[row * actions + action]!
    const { means } = world
    if (means === null) this.#meansKnown = false
    else {
      let best = Number.NEGATIVE_INFINITY
      let expected = 0
      for (let a = 0, at = row * actions; a < actions; a++, at++) {
        const mean = means[at]!
        if (mean > best) best = mean
        expected += propensities[a]! * mean
      }
      this.regret += best - expected
    }
    if (world.floor === null) this.#floorKnown = false
    else this.floor += world.floor[row]!
    if (this.rounds !== this.#nextPower && this.rounds !== this.#nextMark) return
    if (this.rounds === this.#nextPower) this.#nextPower *= 2
    if (this.rounds === this.#nextMark) this.#nextMark += every!
    this.#mark()
  }

  /** The value used for a round's covariates against the truth, where they were missing and the truth is known. */
  addImputation(world: WorldBlock, row: number, used: Float64Array, at: number): void {
    const { covariateWidth, covariateCount, owner } = this.#options
    for (let k = 0; k < covariateWidth; k++) {
      if (world.observed[row * covariateCount + owner[k]!] === 1) continue
      const truth = world.truth[row * covariateWidth + k]!
      const error = used[at + k]! - truth
      const before = world.pretrained[row * covariateWidth + k]! - truth
      if (Number.isNaN(error) || Number.isNaN(before)) continue
      this.#imputed += error * error
      this.#pretrained += before * before
      this.#missing++
    }
  }

  endEpoch(epoch: number, gamma: number): void {
    const root = (sum: number) => (this.#missing === 0 ? null : Math.sqrt(sum / this.#missing))
    this.epochs.push({
      epoch,
      rounds: this.rounds,
      gamma,
      regret: this.#meansKnown ? this.regret - this.#regretBefore : null,
      imputationError: root(this.#imputed),
      pretrainedError: root(this.#pretrained),
    })
    this.#regretBefore = this.regret
    this.#imputed = 0
    this.#pretrained = 0
    this.#missing = 0
  }

  finish(): void {
    if (this.rounds > 0 && this.checkpoints.at(-1)?.rounds !== this.rounds) this.#mark()
  }

  get knownRegret(): number | null {
    return this.#meansKnown ? this.regret : null
  }

  get knownFloor(): number | null {
    return this.#floorKnown && this.#meansKnown ? this.floor : null
  }

  #mark(): void {
    this.checkpoints.push({ rounds: this.rounds, regret: this.knownRegret ?? 0, floor: this.knownFloor })
  }
}
