// The constants per round of an environment, by Monte Carlo over its own stream. With f* known, b = 0 meaning missing:
//   floorPerRound  E[(1-b)(max f* - f*(abar))];  the plug-ins play argmax_a f*(x, g(x), a) where z is missing, g = g~ or g*
//   bestIgnoringCovariate  E[max f* - f*(argmax_a E[f* | x])], never looking at z
//   elasticities at f* with D_a = f*(x,z*,a) - f*(x,g~,a):  max_a E[D_a^2],  E[max_a D_a^2],  E[(1-b) max_a D_a^2]
//   lipschitzInCovariate  the largest |slope of f* in z| met, per unit of the covariate (a lower estimate of L_Z)
//   delta0, omega0  root mean square of g~ - g* and of eta.
// Rewards in units of the mean reward's range, covariates in the user's units. With an input that only the model sees,
// g* and "given x" stand for the mean and the law given x and that input. Without a covariate what concerns it is 0.

import { BLOCK_ROUNDS } from '@primo/numeric'
import type { ReferenceConstants } from './reference-data.js'
import { type KnownEnvironment, largest } from './structure.js'

interface Estimate {
  readonly value: number
  /** Null where the value is not a mean. */
  readonly standardError: number | null
}

export type EnvironmentConstants = Readonly<Record<keyof ReferenceConstants, Estimate>> & { readonly draws: number }

export interface ConstantsOptions {
  /** Default 100,000. */
  readonly draws?: number
  /** Default 1. */
  readonly seed?: number
}

/** Measures an environment's constants per round (unavoidable regret, elasticities, ...) over its own stream. */
export function environmentConstants(
  environment: KnownEnvironment,
  options: ConstantsOptions = {},
): EnvironmentConstants {
  const { draws = 100_000, seed = 1 } = options
  const { structure } = environment
  const { covariate, rewardMeans, problem } = structure
  const actions = problem.actions.length
  const range = problem.reward.mean ?? problem.reward
  const unit = range.max - range.min
  const given = environment.conditional
  const other = new Float64Array(actions)
  const around = new Float64Array(actions)
  const step = stepOf(environment)

  const floor = new Mean()
  const withPretrained = new Mean()
  const withTrueMean = new Mean()
  const uniform = new Mean()
  const ignoring = new Mean()
  const squares = Array.from({ length: actions }, () => new Mean())
  const maxInside = new Mean()
  const missingOnly = new Mean()
  const delta = new Mean()
  const omega = new Mean()
  const missing = new Mean()
  const gap = new Mean()
  let steepest = 0

  for (let first = 0, index = 0; first < draws; first += BLOCK_ROUNDS, index++) {
    environment.rows(seed, index, Math.min(BLOCK_ROUNDS, draws - first), (row) => {
      const { x, z, means, mean, pretrained, round } = row
      const best = largest(means)
      const lost = (action: number) => (means[best]! - means[action]!) / unit
      let sum = 0
      let second = Number.NEGATIVE_INFINITY
      for (let a = 0; a < actions; a++) {
        sum += means[a]!
        if (a !== best && means[a]! > second) second = means[a]!
      }
      uniform.add((means[best]! - sum / actions) / unit)
      gap.add(actions > 1 ? (means[best]! - second) / unit : 0)
      if (covariate === null) {
        for (const zero of [
          floor,
          withPretrained,
          withTrueMean,
          ignoring,
          maxInside,
          missingOnly,
          delta,
          omega,
          missing,
        ])
          zero.add(0)
        for (const square of squares) square.add(0)
        return
      }
      const hidden = row.observed ? 0 : 1
      missing.add(hidden)
      given(row, 'missing', other)
      floor.add(hidden * lost(largest(other)))
      given(row, 'context', other)
      ignoring.add(lost(largest(other)))
      rewardMeans(x, mean, other, round)
      withTrueMean.add(hidden * lost(largest(other)))
      rewardMeans(x, pretrained, other, round)
      withPretrained.add(hidden * lost(largest(other)))
      let most = 0
      for (let a = 0; a < actions; a++) {
        const square = ((means[a]! - other[a]!) / unit) ** 2
        squares[a]!.add(square)
        if (square > most) most = square
      }
      maxInside.add(most)
      missingOnly.add(hidden * most)
      delta.add((pretrained - mean) ** 2)
      omega.add((z - mean) ** 2)
      rewardMeans(x, z - step, other, round)
      rewardMeans(x, z + step, around, round)
      for (let a = 0; a < actions; a++) {
        steepest = Math.max(steepest, Math.abs(around[a]! - other[a]!) / (2 * step * unit))
      }
    })
  }
  const printed = squares.reduce((most, square) => (square.mean > most.mean ? square : most))
  return {
    draws,
    floorPerRound: floor.estimate(),
    trueRewardWithPretrainedPlugin: withPretrained.estimate(),
    trueRewardWithTrueMeanPlugin: withTrueMean.estimate(),
    uniformPerRound: uniform.estimate(),
    bestIgnoringCovariate: ignoring.estimate(),
    elasticityPrinted: printed.estimate(),
    elasticityMaxInside: maxInside.estimate(),
    elasticityMissingOnly: missingOnly.estimate(),
    lipschitzInCovariate: { value: steepest, standardError: null },
    delta0: delta.root(),
    omega0: omega.root(),
    missingShare: missing.estimate(),
    meanGapBestToSecond: gap.estimate(),
  }
}

/** A small step in the covariate for slopes. */
function stepOf(environment: KnownEnvironment): number {
  const [spec] = Object.values(environment.problem.covariates)
  return spec?.type === 'number' ? (spec.max - spec.min) / 4096 : 1
}

/** Mean and its standard error, added up by Welford's rule. */
class Mean {
  #count = 0
  #square = 0
  mean = 0

  add(value: number): void {
    this.#count++
    const off = value - this.mean
    this.mean += off / this.#count
    this.#square += off * (value - this.mean)
  }

  get #standardError(): number {
    return this.#count > 1 ? Math.sqrt(this.#square / (this.#count - 1) / this.#count) : 0
  }

  estimate(): Estimate {
    return { value: this.mean, standardError: this.#standardError }
  }

  /** The root of the mean, its error by the delta method. */
  root(): Estimate {
    const value = Math.sqrt(this.mean)
    return { value, standardError: value === 0 ? 0 : this.#standardError / (2 * value) }
  }
}
