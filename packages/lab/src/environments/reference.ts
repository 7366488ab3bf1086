// Environments A, B and MNAR (SPEC part D): x uniform on [-1,1]^5, g*(x) = .5 sin(pi x1) + .3 x2 x3 + .2 cos(pi x4),
// g~ = g* + bias (.25 - .4 g* + .2 x1 - .15 x2), z* = g* + eta, P(b = 1) = clip(sigmoid(1.2 x1 - .8 x2), .1, 1) or, with
// mnarStrength k, sigmoid(1.2 x1 - .8 x2 + k eta); mean reward theta_a'features, uniform noise.

import { number, type Problem, Random } from '@primo/core'
import type { Environment, WorldBlock } from './environment.js'
import { type ReferenceEnvironment, referenceEnvironments } from './reference-data.js'

const DIMENSION = 5

/** g*(x) for the row at x[at]. */
export function trueCovariateMean(x: Float64Array, at: number): number {
  return 0.5 * Math.sin(Math.PI * x[at]!) + 0.3 * x[at + 1]! * x[at + 2]! + 0.2 * Math.cos(Math.PI * x[at + 3]!)
}

export function pretrainedMean(x: Float64Array, at: number, mean: number, bias: number): number {
  return mean + bias * (0.25 - 0.4 * mean + 0.2 * x[at]! - 0.15 * x[at + 1]!)
}

/** P(z is observed | x, eta). */
export function observationProbabilityAt(
  reference: ReferenceEnvironment,
  x: Float64Array,
  at: number,
  eta: number,
): number {
  const index = 1.2 * x[at]! - 0.8 * x[at + 1]! + reference.mnarStrength * eta
  const probability = 1 / (1 + Math.exp(-index))
  return reference.mnarStrength === 0 ? Math.max(0.1, probability) : probability
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

export function referenceData(name: string): ReferenceEnvironment {
  const found = referenceEnvironments.find((environment) => environment.name === name)
  if (found === undefined) {
    throw new RangeError(
      `environment must be one of ${referenceEnvironments.map((e) => e.name).join(', ')}, got "${name}"`,
    )
  }
  return found
}

/** Products of the linear reward class that make it well specified in this environment. */
export function referenceInteractions(reference: ReferenceEnvironment): readonly (readonly string[])[] {
  const linear = [
    ['z', 'x1'],
    ['z', 'x2'],
  ]
  return reference.features.length > 9 ? [...linear, ['z', 'z'], ['z', 'z', 'x1']] : linear
}

export function referenceEnvironment(name: string): Environment {
  const reference = referenceData(name)
  const half = 1 + reference.covariateNoise
  const problem: Problem = {
    context: Object.fromEntries(
      Array.from({ length: DIMENSION }, (_, k) => [`x${k + 1}`, number({ min: -1, max: 1 })]),
    ),
    covariates: { z: { ...number({ min: -half, max: half }), imputer: { kind: 'column' } } },
    actions: reference.theta.map((_, a) => `a${a}`),
    reward: { min: -reference.rewardNoise, max: 1 + reference.rewardNoise, mean: { min: 0, max: 1 } },
  }
  return {
    name,
    problem,
    floor: reference.constants.floorPerRound,
    block: (seed, index, count) => makeBlock(reference, half, Random.fromSeed(seed).split('world', index), count),
  }
}

function makeBlock(reference: ReferenceEnvironment, half: number, random: Random, count: number): WorldBlock {
  const actions = reference.theta.length
  const width = reference.features.length
  const theta = Float64Array.from(reference.theta.flat())
  const context = new Float64Array(count * DIMENSION)
  const truth = new Float64Array(count)
  const observed = new Uint8Array(count)
  const pretrained = new Float64Array(count)
  const means = new Float64Array(count * actions)
  const noise = new Float64Array(count)
  const features = new Float64Array(width)
  for (let row = 0; row < count; row++) {
    const at = row * DIMENSION
    for (let k = 0; k < DIMENSION; k++) context[at + k] = 2 * random.uniform() - 1
    const mean = trueCovariateMean(context, at)
    const eta = reference.covariateNoise * (2 * random.uniform() - 1)
    observed[row] = random.uniform() < observationProbabilityAt(reference, context, at, eta) ? 1 : 0
    noise[row] = reference.rewardNoise * (2 * random.uniform() - 1)
    truth[row] = (mean + eta) / half
    pretrained[row] = pretrainedMean(context, at, mean, reference.pretrainedBias) / half
    writeRewardFeatures(context, at, mean + eta, features)
    for (let a = 0; a < actions; a++) {
      let sum = 0
      for (let k = 0; k < width; k++) sum += theta[a * width + k]! * features[k]!
      means[row * actions + a] = sum
    }
  }
  return { context, truth, observed, pretrained, means, noise }
}
