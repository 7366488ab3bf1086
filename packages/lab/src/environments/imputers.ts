// Quality of the pre-trained model, as data. With g*_t(x) = (1 - s_t) g*(x) + s_t moved(x) the covariate's mean at round t,
//   z* = g*_t(x) + c u + eta,    g~ = g*(x) + bias * (the environment's own error) + noise * e + c u,
// where u (uniform, extra > 0) is an input that the model sees and the context does not contain, and e has variance 1.
// c u takes its share of eta's range (eta shrinks to the rest), so z* stays in its range. The model never notices a
// move (stale). The floor conditions on u, since g~ reveals it; with noise as well it is still a lower bound.

import type { CovariateStructure } from './structure.js'

/** The mean moves `amount` of the way to another function: at once at round `at`, or linearly over `over` rounds. */
interface StaleSpec {
  readonly at: number
  readonly over?: number
  readonly amount?: number
}

/** How good the pre-trained model is: bias, noise, inputs of its own, staleness. */
export interface ImputerSpec {
  /** Systematic error: 0 is g* itself, 1 the environment's own full error. Default: as the environment has it. */
  readonly bias?: number
  /** Standard deviation of a random error per round, in the covariate's units. Default 0. */
  readonly noise?: number
  /** Share of eta's range that the model explains by an input of its own, in [0, 1). Default 0. */
  readonly extra?: number
  readonly stale?: StaleSpec
}

/** How good the pre-trained model of an environment is: its bias, its noise, what else it sees, and whether the world moves away from it. */
export interface ImputerQuality {
  readonly bias: number
  readonly noise: number
  readonly extra: number
  readonly stale: Required<StaleSpec> | null
}

/** What the spec says, and the environment's own quality where it says nothing. */
export function imputerQuality(own: ImputerQuality, spec: ImputerSpec): ImputerQuality {
  const { bias = own.bias, noise = own.noise, extra = own.extra, stale } = spec
  return { bias, noise, extra, stale: stale === undefined ? own.stale : { over: 0, amount: 1, ...stale } }
}

/** A model with this share of the environment's own bias and no other fault. */
export function biased(bias: number): ImputerQuality {
  return { bias, noise: 0, extra: 0, stale: null }
}

/** g*_t(x), given g*(x). */
export function meanAt(covariate: CovariateStructure, x: Float64Array, before: number, round: number): number {
  const { stale } = covariate.imputer
  if (stale === null || round < stale.at) return before
  const way = stale.amount * (stale.over === 0 ? 1 : Math.min(1, (round - stale.at) / stale.over))
  return (1 - way) * before + way * covariate.moved(x)
}

/** g~, given g*(x), the input's part c u and a uniform error in [-1, 1]. */
export function predictionAt(
  covariate: CovariateStructure,
  x: Float64Array,
  before: number,
  input: number,
  error: number,
): number {
  const { bias, noise } = covariate.imputer
  return before + bias * covariate.bias(x, before) + Math.sqrt(3) * noise * error + input
}
