// Dosing: which weekly dose of an anticoagulant to start a patient on. What a patient needs is s^2 mg a week with
//   s = 6.7 - .02 age + .012 weight + .5 smoker - 1.1 alleles + logistic noise of scale .3;
// `low` is right below 23 mg, `high` from 38 mg on, `medium` between. The covariate is the number of risk alleles
// (0, 1 or 2) of the gene of the drug's target, binomial with the frequency of the patient's ancestry; fewer than half of
// the patients were tested. The pre-trained model comes from European patients: it pulls every ancestry towards them, and
// believes that heavier patients have fewer alleles. Made up in the manner of warfarin; nobody should be treated by it.

import { boolean, category, number } from '@primo/core'
import { biased } from './imputers.js'
import { buildEnvironment, type KnownEnvironment, type Structure } from './structure.js'

export interface DosingOptions {
  /** 'exact' (default): reward 1 for the right dose, else 0; 'graded': a neighbouring dose counts one half. */
  readonly grading?: 'exact' | 'graded'
}

const ANCESTRIES = ['African', 'Asian', 'European', 'other']
const ANCESTRY_SHARE = [0.2, 0.2, 0.5, 0.1]
const ALLELE_FREQUENCY = [0.05, 0.9, 0.4, 0.6]
const EUROPEAN = 2
const NOISE_SCALE = 0.3
// Medium from 23 mg a week on, high from 38.
const THRESHOLD_ODDS = [Math.exp(-Math.sqrt(23) / NOISE_SCALE), Math.exp(-Math.sqrt(38) / NOISE_SCALE)] as const

export function dosingStructure(options: DosingOptions = {}): Structure {
  const graded = options.grading === 'graded'
  return {
    name: 'dosing',
    problem: {
      context: {
        age: number({ min: 20, max: 90 }),
        weight: number({ min: 40, max: 130 }),
        smoker: boolean(),
        ancestry: category(ANCESTRIES),
      },
      covariates: { riskAlleles: { ...number({ min: 0, max: 2 }), imputer: { kind: 'column' } } },
      actions: ['low', 'medium', 'high'],
      reward: { min: 0, max: 1 },
    },
    interactions: [
      ['riskAlleles', 'riskAlleles'],
      ['riskAlleles', 'age'],
      ['riskAlleles', 'weight'],
      ['riskAlleles', 'smoker'],
    ],
    drawContext: (random, x) => {
      x[0] = Math.round(20 + 35 * (random.uniform() + random.uniform()))
      x[1] = Math.round(40 + 30 * (random.uniform() + random.uniform() + random.uniform()))
      x[2] = random.uniform() < 0.25 ? 1 : 0
      x[3] = level(random.uniform())
    },
    covariate: {
      mean: (x) => 2 * ALLELE_FREQUENCY[x[3]!]!,
      // Another mix of patients: whoever comes now is nearer to the middle whatever the ancestry says.
      moved: (x) => 1 - 0.3 * (2 * ALLELE_FREQUENCY[x[3]!]! - 1),
      law: {
        kind: 'discrete',
        values: [0, 1, 2],
        writeShares: (mean, shares) => {
          const p = mean / 2
          shares[0] = (1 - p) * (1 - p)
          shares[1] = 2 * p * (1 - p)
          shares[2] = p * p
        },
      },
      inputUnit: 1,
      bias: (x, mean) => 0.85 * (2 * ALLELE_FREQUENCY[EUROPEAN]! - mean) - 0.02 * (x[1]! - 85),
      index: (x) => -0.3 + 0.03 * (x[0]! - 55) + (x[3] === EUROPEAN ? 0.6 : -0.4),
      etaUnit: 1,
      clip: 0.05,
      missingness: { kind: 'mar' },
      imputer: biased(1),
    },
    rewardMeans: (x, z, out) => {
      writeDoseShares(x, z, out)
      if (graded) grade(out)
    },
    realise: (x, z, _means, draw, out) => {
      writeDoseShares(x, z, out)
      const needed = draw < out[0]! ? 0 : draw < out[0]! + out[1]! ? 1 : 2
      for (let a = 0; a < 3; a++) out[a] = a === needed ? 1 : 0
      if (graded) grade(out)
    },
    delay: null,
  }
}

export function dosingEnvironment(options: DosingOptions = {}): KnownEnvironment {
  return buildEnvironment(dosingStructure(options))
}

function level(draw: number): number {
  let below = 0
  for (let k = 0; k < ANCESTRY_SHARE.length - 1; k++) {
    below += ANCESTRY_SHARE[k]!
    if (draw < below) return k
  }
  return ANCESTRY_SHARE.length - 1
}

/** Probabilities that low, medium and high are what the patient needs. */
function writeDoseShares(x: Float64Array, z: number, out: Float64Array): void {
  const s = 6.7 - 0.02 * x[0]! + 0.012 * x[1]! + 0.5 * x[2]! - 1.1 * z
  const odds = Math.exp(s / NOISE_SCALE)
  const belowFirst = 1 / (1 + odds * THRESHOLD_ODDS[0])
  const belowSecond = 1 / (1 + odds * THRESHOLD_ODDS[1])
  out[0] = belowFirst
  out[1] = belowSecond - belowFirst
  out[2] = 1 - belowSecond
}

/** From shares of the right dose to a reward that counts a neighbour one half. */
function grade(out: Float64Array): void {
  const low = out[0]!
  const medium = out[1]!
  const high = out[2]!
  out[0] = low + medium / 2
  out[1] = medium + (low + high) / 2
  out[2] = high + medium / 2
}
