// Environments A, B and MNAR (method#environments): x uniform on [-1,1]^5, g*(x) = .5 sin(pi x1) + .3 x2 x3 + .2 cos(pi x4),
// g~ = g* + bias (.25 - .4 g* + .2 x1 - .15 x2), z* = g* + eta, P(b = 1) = clip(sigmoid(1.2 x1 - .8 x2), .1, 1) or, with
// mnarStrength k, sigmoid(1.2 x1 - .8 x2 + k eta); mean reward theta_a'features, uniform noise. Theta was scaled to [0, 1]
// over a sample: two means in a million fall outside and are clipped, so that rewards stay in their declared range.

import { number, type Problem } from '@primo/core'
import { biased } from './imputers.js'
import { type ReferenceEnvironment, referenceEnvironments } from './reference-data.js'
import { refuse } from './spec-fields.js'
import { buildEnvironment, type KnownEnvironment, type Structure } from './structure.js'

const DIMENSION = 5
const CLIP = 0.1

/** g*(x) for the row at x[at]. */
export function trueCovariateMean(x: Float64Array, at: number): number {
  return 0.5 * Math.sin(Math.PI * x[at]!) + 0.3 * x[at + 1]! * x[at + 2]! + 0.2 * Math.cos(Math.PI * x[at + 3]!)
}

/** What the pre-trained model of the reference environments predicts where the covariate's mean is `mean`. */
export function pretrainedMean(x: Float64Array, at: number, mean: number, bias: number): number {
  return mean + bias * pretrainedError(x, at, mean)
}

function pretrainedError(x: Float64Array, at: number, mean: number): number {
  return 0.25 - 0.4 * mean + 0.2 * x[at]! - 0.15 * x[at + 1]!
}

function observationIndex(x: Float64Array, at: number): number {
  return 1.2 * x[at]! - 0.8 * x[at + 1]!
}

/** P(z is observed | x, eta). */
export function observationProbabilityAt(
  reference: ReferenceEnvironment,
  x: Float64Array,
  at: number,
  eta: number,
): number {
  const probability = 1 / (1 + Math.exp(-observationIndex(x, at) - reference.mnarStrength * eta))
  return reference.mnarStrength === 0 ? Math.max(CLIP, probability) : probability
}

/** Features of the mean reward in the order of the reference file: linear, then the quadratic ones where there are any. */
export function writeRewardFeatures(x: Float64Array, at: number, z: number, out: Float64Array): void {
  out[0] = 1
  for (let k = 0; k < DIMENSION; k++) out[1 + k] = x[at + k]!
  out[6] = z
  out[7] = z * x[at]!
  out[8] = z * x[at + 1]!
  if (out.length > 9) {
    out[9] = 1.5 * z * z
    out[10] = 1.5 * z * z * x[at]!
  }
}

/** The numbers of a reference environment by its name. */
export function referenceData(name: string): ReferenceEnvironment {
  const found = referenceEnvironments.find((environment) => environment.name === name)
  if (found === undefined) {
    refuse('environment', `one of ${referenceEnvironments.map((each) => each.name).join(', ')}`, name)
  }
  return found
}

/** Products of the linear reward class that make it well specified in this environment. */
export function referenceInteractions(reference: ReferenceEnvironment): readonly (readonly string[])[] {
  const linear = [
    ['z', 'x1'],
    ['z', 'x2'],
  ]
  return isQuadratic(reference) ? [...linear, ['z', 'z'], ['z', 'z', 'x1']] : linear
}

function isQuadratic(reference: ReferenceEnvironment): boolean {
  return reference.features.length > 9
}

/** The structure behind a reference environment, by its name. */
export function referenceStructure(name: string): Structure {
  const reference = referenceData(name)
  const { covariateNoise, rewardNoise, mnarStrength } = reference
  const half = 1 + covariateNoise
  const problem: Problem = {
    context: Object.fromEntries(
      Array.from({ length: DIMENSION }, (_, k) => [`x${k + 1}`, number({ min: -1, max: 1 })]),
    ),
    covariates: { z: { ...number({ min: -half, max: half }), imputer: { kind: 'column' } } },
    actions: reference.theta.map((_, a) => `a${a}`),
    reward: { min: -rewardNoise, max: 1 + rewardNoise, mean: { min: 0, max: 1 } },
  }
  const actions = problem.actions.length
  const width = reference.features.length
  const theta = Float64Array.from(reference.theta.flat())
  const features = new Float64Array(width)
  return {
    name,
    problem,
    interactions: referenceInteractions(reference),
    drawContext: (random, x) => {
      for (let k = 0; k < DIMENSION; k++) x[k] = 2 * random.uniform() - 1
    },
    covariate: {
      mean: (x) => trueCovariateMean(x, 0),
      // Turned round and weaker; most other moves would carry mean rewards out of [0, 1].
      moved: (x) => -0.5 * trueCovariateMean(x, 0),
      law: { kind: 'additive', eta: (draw) => covariateNoise * (2 * draw - 1) },
      inputUnit: covariateNoise,
      bias: (x, mean) => pretrainedError(x, 0, mean),
      index: (x) => observationIndex(x, 0),
      etaUnit: 1,
      clip: CLIP,
      missingness: mnarStrength === 0 ? { kind: 'mar' } : { kind: 'mnar', mnarStrength },
      imputer: biased(reference.pretrainedBias),
    },
    rewardMeans: (x, z, out) => {
      writeRewardFeatures(x, 0, z, features)
      for (let a = 0, at = 0; a < actions; a++) {
        let sum = 0
        for (let k = 0; k < width; k++) sum += theta[at++]! * features[k]!
        out[a] = sum < 0 ? 0 : sum > 1 ? 1 : sum
      }
    },
    degree: isQuadratic(reference) ? 2 : 1,
    realise: (_x, _z, means, draw, out) => {
      const noise = rewardNoise * (2 * draw - 1)
      for (let a = 0; a < actions; a++) out[a] = means[a]! + noise
    },
    delay: null,
    delta0: reference.constants.delta0,
  }
}

/** A reference environment by its name, such as A or B. */
export function referenceEnvironment(name: string): KnownEnvironment {
  return buildEnvironment(referenceStructure(name))
}
