// Missingness as data, for any environment with a covariate. With the environment's own index i(x) of the context:
//   mcar    P(b = 1) = 1 - share
//   mar     P(b = 1 | x) = max(clip, sigmoid(a + strength i(x)))
//   mnar    P(b = 1 | x, eta) = sigmoid(a + strength i(x) + mnarStrength eta / etaUnit);  mnarStrength 0 is mar
//   blocks  all or nothing in runs of `length` rounds; a run is missing with probability `share`, a function of
//           (seed, floor(round / length)) alone
//   drift   mcar whose share moves linearly from `from` to `to` over `rounds` rounds
// The intercept a is 0, as the environment has it, or solved so that `share` of the rounds is missing.

import { Random } from '@primo/numeric'
import { covariateDraw } from './covariate-law.js'
import { meanAt } from './imputers.js'
import type { CovariateStructure, Structure } from './structure.js'

/** Why values are missing, as data. */
export type MissingnessSpec =
  | { readonly kind: 'mcar'; readonly share: number }
  | { readonly kind: 'mar'; readonly share?: number; readonly strength?: number }
  | { readonly kind: 'mnar'; readonly mnarStrength: number; readonly share?: number; readonly strength?: number }
  | { readonly kind: 'blocks'; readonly share: number; readonly length: number }
  | { readonly kind: 'drift'; readonly from: number; readonly to: number; readonly rounds: number }

/** P(b = 1 | x, eta, round). */
type ObservationProbability = (x: Float64Array, eta: number, round: number) => number

export interface Mechanism {
  /** Where observation depends on eta: P(b = 1 | x, eta) = sigmoid(logit(x) + slope eta); else null. */
  readonly tilt: { readonly slope: number; readonly logit: (x: Float64Array) => number } | null
  /** For the stream of this seed. */
  readonly bind: (seed: number) => ObservationProbability
}

export function compileMissingness(structure: Structure, covariate: CovariateStructure): Mechanism {
  const spec = covariate.missingness
  switch (spec.kind) {
    case 'mcar':
      return stateless(() => 1 - spec.share)
    case 'drift': {
      const { from, to, rounds } = spec
      return stateless((_x, _eta, round) => 1 - (from + (to - from) * Math.min(1, round / rounds)))
    }
    case 'blocks':
      return { tilt: null, bind: (seed) => runs(seed, spec.share, spec.length) }
    case 'mar':
      return logistic(structure, covariate, 0, spec.strength ?? 1, spec.share)
    case 'mnar':
      return logistic(structure, covariate, spec.mnarStrength, spec.strength ?? 1, spec.share)
  }
}

function stateless(probability: ObservationProbability): Mechanism {
  return { tilt: null, bind: () => probability }
}

function runs(seed: number, share: number, length: number): ObservationProbability {
  const random = Random.fromSeed(seed)
  let current = -1
  let probability = 0
  return (_x, _eta, round) => {
    const run = Math.floor(round / length)
    if (run !== current) {
      current = run
      probability = random.split('world', 'run', run).uniform() < share ? 0 : 1
    }
    return probability
  }
}

function logistic(
  structure: Structure,
  covariate: CovariateStructure,
  mnarStrength: number,
  strength: number,
  share: number | undefined,
): Mechanism {
  const { index } = covariate
  const slope = mnarStrength / covariate.etaUnit
  if (slope !== 0) {
    const intercept = share === undefined ? 0 : solveIntercept(structure, covariate, strength, slope, 0, share)
    const logit = (x: Float64Array) => intercept + strength * index(x)
    return { tilt: { slope, logit }, bind: () => (x, eta) => 1 / (1 + Math.exp(-logit(x) - slope * eta)) }
  }
  const clip = share === undefined ? covariate.clip : Math.min(covariate.clip, (1 - share) / 2)
  const intercept = share === undefined ? 0 : solveIntercept(structure, covariate, strength, 0, clip, share)
  return stateless((x) => Math.max(clip, 1 / (1 + Math.exp(-intercept - strength * index(x)))))
}

const SAMPLE = 1 << 14
const FARTHEST = 60

/** The intercept with which `share` of the rounds is missing, over a fixed sample of contexts and eta. */
function solveIntercept(
  structure: Structure,
  covariate: CovariateStructure,
  strength: number,
  slope: number,
  clip: number,
  share: number,
): number {
  const random = Random.fromSeed(0).split('mechanism')
  const x = new Float64Array(Object.keys(structure.problem.context).length)
  const logits = new Float64Array(SAMPLE)
  const drawCovariate = covariateDraw(covariate)
  for (let i = 0; i < SAMPLE; i++) {
    structure.drawContext(random, x)
    const mean = meanAt(covariate, x, covariate.mean(x), 0)
    // Evenly spaced draws of eta in a scattered order: less chance in the share than random ones.
    const eta = drawCovariate(mean, (i * 0.6180339887498949) % 1) - mean
    logits[i] = strength * covariate.index(x) + slope * eta
  }
  let low = -FARTHEST
  let high = FARTHEST
  for (let step = 0; step < 50; step++) {
    const middle = (low + high) / 2
    let observed = 0
    for (let i = 0; i < SAMPLE; i++) observed += Math.max(clip, 1 / (1 + Math.exp(-middle - logits[i]!)))
    if (observed / SAMPLE < 1 - share) low = middle
    else high = middle
  }
  return (low + high) / 2
}
