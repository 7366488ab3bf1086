// A parametric family in the shape of the reference environments, its parameters drawn from the seed `draw`:
//   x in [-1,1]^d;  g* = .5 p(x_i) + .3 q(x_j, x_k) + .2 r(x_l);  z* = g* + eta, eta uniform on [-tau, tau];
//   g~ = g* + bias (.25 - .4 g* + .2 x1 - .15 x2 + misspecifiedImputer * square wave);
//   f*(x, z, a) = c_a(z)'(1, x) + misspecifiedReward * wave_a(x), mapped to [0, 1] by its exact range (c_a(z)'(1, x) is
//   linear in x given z, so only z needs a grid).
// With driftPeriod P the mean rewards are (1 - w_t) f* + w_t f*', w_t = (1 - cos(2 pi t / P)) / 2, with a second draw f*' of the
// parameters: a world that never stops moving and is back where it was after P rounds.
// smooth: p = sin(pi .), q = product, r = cos(pi .), inside the correction basis; rough: triangle and square waves.

import { number, type Problem } from '@primo/core'
import { Random } from '@primo/numeric'
import { drawParameters, type FamilyReward, type RawRewards, type RewardShape, rewardRange } from './family-reward.js'
import { biased } from './imputers.js'
import type { Structure } from './structure.js'

export interface FamilyOptions {
  /** Number of context features; default 5. */
  readonly dimension?: number
  /** Default 5. */
  readonly actions?: number
  /** Default 'smooth'. */
  readonly covariateMean?: 'smooth' | 'rough'
  /** How the mean reward depends on z; default 'linear'. */
  readonly reward?: FamilyReward
  /** Size of a part of the mean reward outside the linear class, relative to a coefficient; default 0. */
  readonly misspecifiedReward?: number
  /** Size of a part of g~ - g* outside the correction basis, in units of z; default 0. */
  readonly misspecifiedImputer?: number
  /** 0 (default): the same reward noise everywhere; 1: none where x1 = 0, full at x1 = -1 and 1. */
  readonly heteroscedastic?: number
  /** Correlation of any two context features; default 0. */
  readonly correlation?: number
  /** Share of the rounds in which the last action is the best; default: as it comes. */
  readonly rareShare?: number
  /** Rounds in which the mean rewards go over to another draw's and come back; default: they stay. */
  readonly driftPeriod?: number
  /** tau; default 0.5. */
  readonly covariateNoise?: number
  /** Half width of the reward noise; default 0.3. */
  readonly rewardNoise?: number
  /** Seed of the parameters; default 1. */
  readonly draw?: number
}

/** An environment of the parametric family, its parameters drawn from the seed `draw`. */
export function familyStructure(options: FamilyOptions = {}): Structure {
  const { dimension = 5, actions = 5, covariateMean = 'smooth', reward = 'linear', draw = 1 } = options
  const { misspecifiedReward = 0, misspecifiedImputer = 0, heteroscedastic = 0, correlation = 0 } = options
  const { rareShare, driftPeriod, covariateNoise = 0.5, rewardNoise = 0.3 } = options
  const random = Random.fromSeed(draw).split('family')
  const half = 1 + covariateNoise
  const drawContext = contextSource(dimension, correlation)
  const mean = meanFunction(covariateMean, random.permutation(dimension))
  const movedMean = meanFunction(covariateMean, random.permutation(dimension))
  const shape = { dimension, actions, reward, misspecified: misspecifiedReward, half }
  const sample = (visit: (x: Float64Array, z: number) => void) => {
    const source = random.split('sample')
    const x = new Float64Array(dimension)
    for (let i = 0; i < 8192; i++) {
      drawContext(source, x)
      visit(x, mean(x) + covariateNoise * (2 * source.uniform() - 1))
    }
  }
  const raw = drawParameters(shape, random.split('reward'), rareShare, sample)
  const later =
    driftPeriod === undefined ? null : drawParameters(shape, random.split('drifted reward'), rareShare, sample)
  const { min, max } = jointRange(later === null ? [raw] : [raw, later], shape)
  const moved = new Float64Array(actions)
  const problem: Problem = {
    context: Object.fromEntries(
      Array.from({ length: dimension }, (_, k) => [`x${k + 1}`, number({ min: -1, max: 1 })]),
    ),
    covariates: { z: { ...number({ min: -half, max: half }), imputer: { kind: 'column' } } },
    actions: Array.from({ length: actions }, (_, a) => `a${a}`),
    reward: { min: -rewardNoise, max: 1 + rewardNoise, mean: { min: 0, max: 1 } },
  }
  return {
    name: 'family',
    problem,
    interactions: familyInteractions(dimension, reward),
    drawContext,
    covariate: {
      mean,
      moved: movedMean,
      law: { kind: 'additive', eta: (u) => covariateNoise * (2 * u - 1) },
      inputUnit: covariateNoise,
      bias: (x, center) =>
        0.25 - 0.4 * center + 0.2 * x[0]! - 0.15 * (x[1] ?? 0) + misspecifiedImputer * square(2.5 * x[0]!),
      index: (x) => 1.2 * x[0]! - 0.8 * (x[1] ?? 0),
      etaUnit: 1,
      clip: 0.1,
      missingness: { kind: 'mar' },
      imputer: biased(1),
    },
    rewardMeans: (x, z, out, round) => {
      raw(x, z, out)
      if (later !== null) {
        const way = (1 - Math.cos((2 * Math.PI * round) / driftPeriod!)) / 2
        later(x, z, moved)
        for (let a = 0; a < actions; a++) out[a] = (1 - way) * out[a]! + way * moved[a]!
      }
      for (let a = 0; a < actions; a++) out[a] = (out[a]! - min) / (max - min)
    },
    ...(reward === 'nonlinear' ? {} : { degree: reward === 'linear' ? 1 : 2 }),
    realise: (x, _z, means, u, out) => {
      const noise = rewardNoise * (1 - heteroscedastic * (1 - Math.abs(x[0]!))) * (2 * u - 1)
      for (let a = 0; a < actions; a++) out[a] = means[a]! + noise
    },
    delay: null,
  }
}

function jointRange(
  rewards: readonly RawRewards[],
  shape: RewardShape,
): { readonly min: number; readonly max: number } {
  const ranges = rewards.map((raw) => rewardRange(shape, raw))
  return { min: Math.min(...ranges.map(({ min }) => min)), max: Math.max(...ranges.map(({ max }) => max)) }
}

/** x_j = w v + (1 - w) v_j with uniform v: any two have correlation w^2 / (w^2 + (1 - w)^2). */
function contextSource(dimension: number, correlation: number): Structure['drawContext'] {
  const root = Math.sqrt(correlation)
  const weight = root / (root + Math.sqrt(1 - correlation))
  return (random, x) => {
    const shared = correlation > 0 ? weight * (2 * random.uniform() - 1) : 0
    for (let k = 0; k < dimension; k++) x[k] = shared + (1 - weight) * (2 * random.uniform() - 1)
  }
}

function meanFunction(kind: 'smooth' | 'rough', order: Uint32Array): (x: Float64Array) => number {
  const [i, j, k, l] = [0, 1, 2, 3].map((place) => order[place % order.length]!) as [number, number, number, number]
  if (kind === 'smooth') {
    return (x) => 0.5 * Math.sin(Math.PI * x[i]!) + 0.3 * x[j]! * x[k]! + 0.2 * Math.cos(Math.PI * x[l]!)
  }
  return (x) => 0.5 * triangle(3 * x[i]!) + 0.3 * square(2 * x[j]!) * triangle(2 * x[k]!) + 0.2 * square(3 * x[l]!)
}

/** Period 2, values in [-1, 1], 0 at 0. */
function triangle(v: number): number {
  const place = (((v + 0.5) % 2) + 2) % 2
  return 1 - 2 * Math.abs(place - 1)
}

/** Period 2, values -1 and 1. */
function square(v: number): number {
  return Math.floor(v) % 2 === 0 ? 1 : -1
}

function familyInteractions(dimension: number, reward: FamilyReward): readonly (readonly string[])[] {
  const linear =
    dimension > 1
      ? [
          ['z', 'x1'],
          ['z', 'x2'],
        ]
      : [['z', 'x1']]
  return reward === 'linear' ? linear : [...linear, ['z', 'z'], ['z', 'z', 'x1']]
}
