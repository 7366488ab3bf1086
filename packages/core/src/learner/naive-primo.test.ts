// A second implementation of Alg.1 (PRIMO), Alg.2 (Cal) and Alg.3 (PRIMO-Cal), written from docs/method.md
// with plain arrays (its pieces: naive-primo.fixture.ts). It shares with the library only the draws and the random order
// that splits the rows of a calibration.

import { drawKey, drawOf, Random, seedKey } from '@primo/numeric'
import { describe, expect, test } from 'vitest'
import { clip, dot, ones } from '../../../numeric/src/algebra/naive-algebra.fixture.js'
import {
  type CalibrationOptions,
  createLearner,
  type LearnerOptions,
  number,
  type Problem,
  pretrained,
} from '../index.js'
import {
  calibrate,
  choose,
  features,
  fitRewards,
  logistic,
  type NaiveCalibration,
  type Row,
  weigh,
} from './naive-primo.fixture.js'

const SEED = 17

// --- the world: in the user's units outside, in inside units for the naive implementation ---

const actions = ['a', 'b', 'c']
const slopes = [-0.3, 0.1, 0.5]

interface Person {
  readonly age: number
  readonly income: number
  readonly dose: number
  readonly observed: boolean
  readonly noise: number
}

const scaled = (value: number, min: number, max: number) => (2 * value - min - max) / (max - min)
const model = (age: number, income: number) => 4 + 0.05 * (age - 40) - 0.2 * income
const meanReward = ({ age, dose }: Person, a: number) =>
  0.5 + slopes[a]! * scaled(dose, 0, 10) + 0.1 * scaled(age, 20, 60)

function people(count: number): Person[] {
  const random = Random.fromSeed(23)
  return Array.from({ length: count }, () => {
    const age = 20 + 40 * random.uniform()
    const income = 3 * random.uniform() - 1
    const truth = 6 + 0.05 * (age - 40) + 0.8 * (income - 0.5)
    return {
      age,
      income,
      dose: truth + 1.5 * (random.uniform() - 0.5),
      observed: random.uniform() < logistic(0.4 + 1.2 * scaled(income, -1, 2)),
      noise: 0.4 * (random.uniform() - 0.5),
    }
  })
}

const problem: Problem = {
  context: { age: number({ min: 20, max: 60 }), income: number({ min: -1, max: 2 }) },
  covariates: {
    dose: { ...number({ min: 0, max: 10 }), imputer: pretrained((x) => model(Number(x.age), Number(x.income))) },
  },
  actions,
  reward: { min: -1, max: 2, mean: { min: -0.5, max: 1.5 } },
}

interface Made {
  readonly action: string
  readonly propensities: readonly number[]
  readonly dose: number
}

function byLibrary(crowd: readonly Person[], options: LearnerOptions): { made: Made[]; bound: number } {
  const learner = createLearner(problem, { seed: SEED, ...options })
  const made = crowd.map((person): Made => {
    const { age, income, dose, observed, noise } = person
    const decision = learner.decide({ context: { age, income }, covariates: { dose: observed ? dose : null } })
    learner.reward(decision.id, meanReward(person, actions.indexOf(decision.action)) + noise)
    return {
      action: decision.action,
      propensities: actions.map((action) => decision.propensities[action]!),
      dose: decision.covariates.dose!.value as number,
    }
  })
  const fits = learner.epochs().flatMap(({ covariates }) => covariates[0]!.calibration?.folds ?? [])
  return { made, bound: fits.filter(({ columns }) => columns[0]!.multiplier > 0).length }
}

function byHand(crowd: readonly Person[], products: boolean, calibration: NaiveCalibration | null): Made[] {
  const K = actions.length
  const dimension = K * features([0, 0], 0, products).length
  const key = drawKey(seedKey(SEED))
  let theta: number[][] | null = null
  let beta: number[] | null = null
  let gamma = 0
  let epoch = 1
  let rows: Row[] = []
  return crowd.map((person, index) => {
    const t = index + 1
    if (t > 2 ** epoch) {
      theta = fitRewards(rows, K, products)
      const random = new Random(seedKey(SEED)).split('epoch', epoch).split('calibration', 'dose')
      beta = calibration && calibrate(rows, calibration, random)
      gamma = 10 * Math.sqrt((K * rows.length) / dimension)
      epoch++
      rows = []
    }
    const { age, income, dose, observed, noise } = person
    const x = [scaled(age, 20, 60), scaled(income, -1, 2)]
    const predicted = scaled(model(age, income), 0, 10)
    const z = scaled(dose, 0, 10)
    const imputed = observed ? z : beta ? clip(predicted + dot(beta, calibration!.basis(x)), -1, 1) : predicted
    const phi = features(x, imputed, products)
    const p = weigh(theta ? theta.map((row) => clip(dot(row, phi), 0, 1)) : ones(K).map(() => 0), gamma)
    const action = choose(p, drawOf(key, String(t)))
    const reward = (meanReward(person, action) + noise + 0.5) / 2
    rows.push({ x, pretrained: predicted, z, observed, imputed, action, reward })
    return { action: actions[action]!, propensities: p, dose: 5 + 5 * imputed }
  })
}

const linear = (x: readonly number[]) => [1, ...x]
const basis = (x: readonly number[]) => [
  1,
  ...x.flatMap((v) => [v, v * v - 1 / 3, Math.sin(Math.PI * v), Math.cos(Math.PI * v)]),
  x[0]! * x[1]!,
]
const printed: NaiveCalibration = {
  basis: linear,
  split: 'half',
  weighted: true,
  model: 'logit',
  loss: 'squared',
  minimumRows: 8,
  radius: undefined,
}
const cal = (calibration: CalibrationOptions, products: 'all' | 'none' = 'none'): LearnerOptions => ({
  profile: 'primo-cal',
  calibration,
  oracle: { interactions: products },
})

describe('agrees with a naive second implementation, action by action', () => {
  const crowd = people(530)
  const cases: [string, LearnerOptions, boolean, NaiveCalibration | null, 'binds' | 'free'][] = [
    ['PRIMO (Alg.1)', { profile: 'primo' }, false, null, 'free'],
    [
      'PRIMO with products of covariate and context',
      { profile: 'primo', oracle: { interactions: 'all' } },
      true,
      null,
      'free',
    ],
    ['PRIMO-Cal (Alg.3)', { profile: 'primo-cal' }, false, printed, 'free'],
    ['PRIMO-Cal from the first known row on', cal({ minimumRows: 1 }), false, { ...printed, minimumRows: 1 }, 'free'],
    ['PRIMO-Cal in a ball that binds', cal({ delta0: 1 }, 'all'), true, { ...printed, radius: 1 / 5 }, 'binds'],
    ['PRIMO-Cal in a tiny ball', cal({ delta0: 0.01 }), false, { ...printed, radius: 0.01 / 5 }, 'binds'],
    ['PRIMO-Cal with delta0 = 0', cal({ delta0: 0 }), false, { ...printed, basis: () => [0], weighted: false }, 'free'],
    [
      'PRIMO-Cal with e-hat by likelihood',
      cal({ observation: { loss: 'likelihood' } }),
      false,
      { ...printed, loss: 'likelihood' },
      'free',
    ],
    [
      'PRIMO-Cal with a constant e-hat',
      cal({ observation: { model: 'constant' } }),
      false,
      { ...printed, model: 'constant' },
      'free',
    ],
    [
      'PRIMO-Cal, cross-fitted, unweighted, with the basis class',
      cal({ class: 'basis', split: 'swap', weights: 'none' }),
      false,
      { ...printed, basis, split: 'swap', weighted: false },
      'free',
    ],
    ['PRIMO-Cal with a bias only', cal({ class: 'bias' }), false, { ...printed, basis: () => [1] }, 'free'],
  ]
  test.each(cases)('%s', (_, options, products, calibration, ball) => {
    const { made, bound } = byLibrary(crowd, options)
    const expected = byHand(crowd, products, calibration)
    expect(made.map(({ action }) => action)).toEqual(expected.map(({ action }) => action))
    // The library stops the squared-loss fit of e-hat at a relative change of 1e-8 (method#observation-model); all else is to rounding.
    const tolerance =
      calibration?.weighted && calibration.model === 'logit' && calibration.loss === 'squared' ? 1e-5 : 1e-9
    made.forEach(({ propensities, dose }, t) => {
      propensities.forEach((p, a) => {
        expect(Math.abs(p - expected[t]!.propensities[a]!)).toBeLessThan(tolerance)
      })
      expect(Math.abs(dose - expected[t]!.dose)).toBeLessThan(tolerance)
    })
    expect(bound > 0).toBe(ball === 'binds')
  })

  test('and the cases differ from each other, so that agreement says something', () => {
    const runs = cases.map(([, options]) => JSON.stringify(byLibrary(crowd, options).made))
    // delta0 = 0 is PRIMO.
    expect(new Set(runs).size).toBe(cases.length - 1)
  })
})
