// What a run adds up while it goes: pseudo-regret sum_t max_a mean - sum_a p_a mean_a, the realised unavoidable regret, the reward, and
// how wrong the imputed values were, by epoch. Rewards are in units of the mean reward's range, errors in the covariates' own.

import type { WorldBlock } from '../environments/environment.js'
import type { Checkpoint, EpochRow } from '../runs/run-row.js'

export interface TallyOptions {
  readonly actions: number
  readonly covariateWidth: number
  /** Columns of each covariate: which covariate a column belongs to. */
  readonly owner: Int32Array
  readonly covariateCount: number
  /** Half the range of each covariate: what 1 inside is in its own units. */
  readonly units: readonly number[]
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

  /** Decided rounds: rows start ... end - 1 of the world, their propensities row-major from 0 on, actions[start ...] drawn. */
  addRows(world: WorldBlock, start: number, end: number, propensities: Float64Array, actions: Uint16Array): void {
    for (let first = start; first < end; ) {
      // Up to the next checkpoint at most.
      const stop = Math.min(end, first + Math.min(this.#nextPower, this.#nextMark) - this.rounds)
      this.#addUnmarked(world, first, stop, propensities, (first - start) * this.#options.actions, actions)
      first = stop
      if (this.rounds !== this.#nextPower && this.rounds !== this.#nextMark) continue
      if (this.rounds === this.#nextPower) this.#nextPower *= 2
      if (this.rounds === this.#nextMark) this.#nextMark += this.#options.every!
      this.#mark()
    }
  }

  #addUnmarked(
    { rewards, means, floor }: WorldBlock,
    start: number,
    end: number,
    propensities: Float64Array,
    from: number,
    actions: Uint16Array,
  ): void {
    const count = this.#options.actions
    let reward = this.reward
    for (let row = start; row < end; row++) reward += rewards[row * count + actions[row]!]!
    this.reward = reward
    if (means === null) this.#meansKnown = false
    else {
      let regret = this.regret
      for (let row = start, at = start * count, p = from; row < end; row++) {
        let best = Number.NEGATIVE_INFINITY
        let expected = 0
        for (let a = 0; a < count; a++) {
          const mean = means[at++]!
          if (mean > best) best = mean
          expected += propensities[p++]! * mean
        }
        regret += best - expected
      }
      this.regret = regret
    }
    if (floor === null) this.#floorKnown = false
    else for (let row = start; row < end; row++) this.floor += floor[row]!
    this.rounds += end - start
  }

  /** The values used for the rounds' covariates against the truth, where they were missing and the truth is known. */
  addImputations(world: WorldBlock, start: number, end: number, used: Float64Array): void {
    const { covariateWidth, covariateCount, owner, units } = this.#options
    for (let row = start; row < end; row++) {
      for (let k = 0, at = row * covariateWidth; k < covariateWidth; k++, at++) {
        if (world.observed[row * covariateCount + owner[k]!] === 1) continue
        const truth = world.truth[at]!
        const unit = units[owner[k]!]!
        const error = unit * (used[at]! - truth)
        const before = unit * (world.pretrained[at]! - truth)
        if (Number.isNaN(error) || Number.isNaN(before)) continue
        this.#imputed += error * error
        this.#pretrained += before * before
        this.#missing++
      }
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
    this.checkpoints.push({
      rounds: this.rounds,
      regret: this.knownRegret ?? 0,
      floor: this.knownFloor,
      ...(this.#meansKnown ? {} : { reward: this.reward }),
    })
  }
}
