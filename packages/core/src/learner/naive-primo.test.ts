// A second implementation of Alg.1 (PRIMO), Alg.2 (Cal) and Alg.3 (PRIMO-Cal), written from SPEC A1-A3, A6, A7 and C1.1
// with plain arrays, Gaussian elimination and bisection. It shares with the library only the draws and the random order
// that splits the rows of a calibration.

import { describe, expect, test } from 'vitest'
import {
  type CalibrationOptions,
  createLearner,
  type LearnerOptions,
  number,
  type Problem,
  pretrained,
} from '../index.js'
import { drawKey, drawOf } from '../random/draw.js'
import { seedKey } from '../random/key.js'
import { Random } from '../random/random.js'

const SEED = 17
const FLOOR = 0.05

// --- plain linear algebra ---

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)
const clip = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value))

function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const n = right.length
  const rows = matrix.map((row, i) => [...row, right[i]!])
  for (let k = 0; k < n; k++) {
    const pivot = rows
      .slice(k)
      .reduce((best, row, i) => (Math.abs(row[k]!) > Math.abs(rows[best]![k]!) ? k + i : best), k)
    ;[rows[k], rows[pivot]] = [rows[pivot]!, rows[k]!]
    for (let i = k + 1; i < n; i++) {
      const factor = rows[i]![k]! / rows[k]![k]!
      for (let j = k; j <= n; j++) rows[i]![j]! -= factor * rows[k]![j]!
    }
  }
  const solution = new Array<number>(n).fill(0)
  for (let i = n - 1; i >= 0; i--) {
    const known = solution.reduce((sum, value, j) => (j > i ? sum + rows[i]![j]! * value : sum), 0)
    solution[i] = (rows[i]![n]! - known) / rows[i]![i]!
  }
  return solution
}

/** sum w v v' + ridge I. */
function outer(
  vectors: readonly (readonly number[])[],
  weights: readonly number[],
  ridge: number,
  p: number,
): number[][] {
  return Array.from({ length: p }, (_, i) =>
    Array.from({ length: p }, (_, j) =>
      vectors.reduce((sum, v, k) => sum + weights[k]! * v[i]! * v[j]!, i === j ? ridge : 0),
    ),
  )
}

/** sum w y v. */
function cross(
  vectors: readonly (readonly number[])[],
  weights: readonly number[],
  targets: readonly number[],
  p: number,
) {
  return Array.from({ length: p }, (_, i) => vectors.reduce((sum, v, k) => sum + weights[k]! * targets[k]! * v[i]!, 0))
}

const ones = (count: number) => new Array<number>(count).fill(1)

// --- the pieces of the paper; everything is in inside units, numbers scaled to [-1, 1] and rewards to [0, 1] ---

/** SPEC A1. */
function weigh(scores: readonly number[], gamma: number): number[] {
  const K = scores.length
  const best = scores.indexOf(Math.max(...scores))
  const p = scores.map((score) => 1 / (K + gamma * (scores[best]! - score)))
  p[best] = 1 - p.reduce((sum, value, a) => (a === best ? sum : sum + value), 0)
  return p
}

function choose(p: readonly number[], draw: number): number {
  let below = 0
  for (let a = 0; a < p.length; a++) {
    below += p[a]!
    if (draw < below) return a
  }
  return p.length - 1
}

interface Row {
  readonly x: readonly number[]
  readonly pretrained: number
  readonly z: number
  readonly observed: boolean
  readonly imputed: number
  readonly action: number
  readonly reward: number
}

/** phi(x, z): 1, x, z and, where asked for, the products of z with every x. */
function features(x: readonly number[], z: number, products: boolean): number[] {
  return [1, ...x, z, ...(products ? x.map((value) => z * value) : [])]
}

/** SPEC A3 with ridge 0.05 toward the pooled mean. */
function fitRewards(rows: readonly Row[], K: number, products: boolean): number[][] {
  const mean = rows.reduce((sum, { reward }) => sum + reward, 0) / rows.length
  return Array.from({ length: K }, (_, a) => {
    const own = rows.filter(({ action }) => action === a)
    const phi = own.map(({ x, imputed }) => features(x, imputed, products))
    const p = features(rows[0]!.x, 0, products).length
    const right = cross(
      phi,
      ones(own.length),
      own.map(({ reward }) => reward - mean),
      p,
    )
    const theta = solve(outer(phi, ones(own.length), 0.05, p), right)
    theta[0]! += mean
    return theta
  })
}

const logistic = (t: number) => 1 / (1 + Math.exp(-t))

/**
 * e-hat on D1: squared loss sum (b - s(w'(1, x)))^2 + 0.05 |w|^2 by Gauss-Newton with step halving from two starts, or
 * likelihood with ridge 0.5 by Newton; a constant when there are fewer than 5 of a kind.
 */
function fitObserved(rows: readonly Row[], model: 'constant' | 'logit', loss: 'squared' | 'likelihood') {
  const b: number[] = rows.map(({ observed }) => Number(observed))
  const count = b.reduce((sum, value) => sum + value, 0)
  const share = (count + 0.5) / (rows.length + 1)
  if (model === 'constant' || Math.min(count, rows.length - count) < 5) return () => clip(share, FLOOR, 1)
  const phi = rows.map(({ x }) => [1, ...x])
  const p = phi[0]!.length
  const ridge = loss === 'squared' ? 0.05 : 0.5
  const objective = (w: readonly number[]) =>
    phi.reduce(
      (sum, v, i) => {
        const e = logistic(dot(w, v))
        return sum + (loss === 'squared' ? (b[i]! - e) ** 2 : -Math.log(b[i] === 1 ? e : 1 - e))
      },
      (loss === 'squared' ? ridge : ridge / 2) * dot(w, w),
    )
  const descend = (start: number[]) => {
    let w = start
    for (let step = 0; step < 400; step++) {
      const e = phi.map((v) => logistic(dot(w, v)))
      const slope = e.map((value) => value * (1 - value))
      const weights = loss === 'squared' ? slope.map((s) => s * s) : slope
      const residual = e.map((value, i) => (b[i]! - value) * (loss === 'squared' ? slope[i]! : 1))
      const gradient = cross(phi, ones(rows.length), residual, p).map((value, i) => value - ridge * w[i]!)
      const direction = solve(outer(phi, weights, ridge, p), gradient)
      const now = objective(w)
      let scale = 1
      const moved = () => w.map((value, i) => value + scale * direction[i]!)
      while (scale > 1e-6 && objective(moved()) > now) scale /= 2
      if (Math.max(...direction.map(Math.abs)) < 1e-9 || scale <= 1e-6) break
      w = moved()
    }
    return w
  }
  const constant = [Math.log(share / (1 - share)), ...ones(p - 1).map(() => 0)]
  const [w] = [descend(ones(p).map(() => 0)), descend(constant)].sort((a, c) => objective(a) - objective(c))
  return (x: readonly number[]) => clip(logistic(dot(w!, [1, ...x])), FLOOR, 1)
}

/** SPEC C1.1 by bisection on the multiplier: (A + mu S) beta = c with beta'S beta <= radius^2. */
function inBall(A: number[][], c: readonly number[], S: readonly number[][], radius: number | undefined): number[] {
  const at = (mu: number) =>
    solve(
      A.map((row, i) => row.map((value, j) => value + mu * S[i]![j]!)),
      c,
    )
  const size = (beta: readonly number[]) =>
    Math.sqrt(
      dot(
        beta,
        S.map((row) => dot(row, beta)),
      ),
    )
  if (radius === undefined || size(at(0)) <= radius) return at(0)
  let [low, high] = [0, 1]
  while (size(at(high)) > radius) high *= 2
  for (let step = 0; step < 200; step++) {
    const mu = (low + high) / 2
    if (size(at(mu)) > radius) low = mu
    else high = mu
  }
  return at(high)
}

interface NaiveCalibration {
  readonly basis: (x: readonly number[]) => number[]
  readonly split: 'half' | 'swap'
  readonly weighted: boolean
  readonly model: 'constant' | 'logit'
  readonly loss: 'squared' | 'likelihood'
  readonly minimumRows: number
  /** In inside units. */
  readonly radius: number | undefined
}

/** SPEC A6: the correction's coefficients, or null where g~ stays as it is. */
function calibrate(rows: readonly Row[], settings: NaiveCalibration, random: Random): number[] | null {
  if (rows.filter(({ observed }) => observed).length < settings.minimumRows) return null
  const order = [...random.permutation(rows.length)]
  const half = Math.floor(rows.length / 2)
  const inFirst = new Set(order.slice(0, half))
  const halves = [rows.filter((_, i) => inFirst.has(i)), rows.filter((_, i) => !inFirst.has(i))] as const
  const all = rows.map(({ x }) => settings.basis(x))
  const p = all[0]!.length
  const S = outer(
    all,
    ones(all.length).map((one) => one / all.length),
    0,
    p,
  )
  const pairs = settings.split === 'half' ? [halves] : [halves, [halves[1], halves[0]] as const]
  const fits = pairs.flatMap(([first, second]) => {
    const e = settings.weighted ? fitObserved(first, settings.model, settings.loss) : () => 1
    const known = second.filter(({ observed }) => observed)
    if (known.length === 0) return []
    const B = known.map(({ x }) => settings.basis(x))
    const w = known.map(({ x }) => 1 / e(x))
    const y = known.map(({ z, pretrained: predicted }) => z - predicted)
    return [inBall(outer(B, w, 1, p), cross(B, w, y, p), S, settings.radius)]
  })
  if (fits.length === 0) return null
  return fits[0]!.map((_, k) => fits.reduce((sum, beta) => sum + beta[k]!, 0) / fits.length)
}

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
    // The library stops the squared-loss fit of e-hat at a relative change of 1e-8 (SPEC C2); all else is to rounding.
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
