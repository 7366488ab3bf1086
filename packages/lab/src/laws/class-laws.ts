// Laws of a function class, by itself and in its two roles: as a reward model, and as a correction of a pre-trained model.

import {
  type CalibrationOptions,
  createLearner,
  type Learner,
  type LearnerOptions,
  type LearningOptions,
  number,
  type Problem,
  restoreLearner,
} from '@primo/core'
import { createEngine, type RegressionModel, type RegressionRows } from '@primo/core/engine'
import { Random } from '@primo/numeric'
import { keep, keepEqual } from './law.js'

const ROWS = 300
/** Sums in another order differ by rounding. */
const ROUNDING = 1e-9

type CorrectionOption = NonNullable<CalibrationOptions['class']>
type ClassOption = Extract<CorrectionOption, object>
type OracleOption = NonNullable<LearningOptions['oracle']>

const problem: Problem = {
  context: { x: number({ min: 0, max: 1 }), y: number({ min: -2, max: 2 }) },
  covariates: { z: { ...number({ min: 0, max: 10 }), imputer: { kind: 'column' } } },
  actions: ['a', 'b', 'c'],
  reward: { min: 0, max: 1 },
}

/** Runs the laws of a function class on yours; throws an error whose sentence names the first law that is broken. */
export function checkRegressionClass(own: ClassOption): void {
  const who = `class "${own.kind}"`
  const { regression } = createEngine(problem, { calibration: { class: own } }).calibration!
  const fit = (rows: RegressionRows) => regression!.fit(rows, Random.fromSeed(7))
  for (const columns of [1, 3]) {
    const rows = randomTable(31, ROWS, columns)
    const probe = randomTable(32, 50, columns)
    const predict = (model: RegressionModel) => {
      const out = new Float64Array(probe.count)
      regression!.compile(model).table(probe.inputs, probe.count, out)
      return out
    }
    const before = structuredClone(rows)
    const model = fit(rows)
    const table = predict(model)
    keep(
      who,
      'give finite predictions',
      table.every(Number.isFinite),
      table.find((value) => !Number.isFinite(value)),
    )
    keepEqual(who, 'leave the inputs that it is given alone', rows.inputs, before.inputs)
    keepEqual(who, 'leave the targets that it is given alone', rows.targets, before.targets)
    const [one, two] = [JSON.stringify(model), JSON.stringify(fit(rows))]
    keep(who, 'fit the same model from the same rows and randomness', one === two, 'two models')
    keepEqual(who, 'predict the same after its model was written as JSON and read', predict(JSON.parse(one)), table)
    const { row } = regression!.compile(model)
    const rowByRow = Float64Array.from(table, (_, i) => row(probe.inputs, i * columns))
    keepEqual(who, 'predict a row wherever it begins (at)', rowByRow, table)
    const shuffled = chosen(rows, Random.fromSeed(5).permutation(rows.count))
    keepEqual(who, 'not depend on the order of rows beyond rounding', predict(fit(shuffled)), table, ROUNDING)
    const weights = Float64Array.from({ length: rows.count }, (_, i) => i % 3)
    const repeated = [...weights].flatMap((weight, i) => Array.from({ length: weight }, () => i))
    keepEqual(
      who,
      'treat a doubled weight as a repeated row and a weight of 0 as an absent one',
      predict(fit({ ...rows, weights })),
      predict(fit(chosen(rows, repeated))),
      ROUNDING,
    )
    const mean = rows.targets.reduce((sum, y) => sum + y / rows.count, 0)
    const loss = (of: (i: number) => number) => probe.targets.reduce((sum, y, i) => sum + (y - of(i)) ** 2, 0)
    const [found, worst] = [loss((i) => table[i]!), loss(() => mean)]
    keep(who, `predict better than the mean target (loss ${worst})`, found < worst, found)
  }
}

/** Runs the laws of a reward model on a function class of yours, in whole learners. */
export function checkOracle(oracle: OracleOption): void {
  const who = `oracle "${oracle.kind ?? 'linear'}"`
  checkLearner(who, { oracle })
  const learner = play(createLearner(problem, { oracle, profile: 'primo', seed: 3 }), 0, 1200)
  const late = [...learner.best.slice(-400)]
  const right = late.filter(Boolean).length / late.length
  keep(who, 'find the best action more often than chance where rewards are linear', right > 1 / 3, right)
}

/** Runs the laws of a correction on a function class of yours, in whole learners. */
export function checkCorrection(own: CorrectionOption): void {
  const who = `correction "${typeof own === 'object' ? own.kind : own}"`
  const calibration = { class: own, weights: 'none', split: 'swap' } as const
  checkLearner(who, { calibration })
  const { learner } = play(createLearner(problem, { profile: 'primo-cal', calibration, seed: 3 }), 0, 600)
  const errors = { before: 0, after: 0 }
  for (let t = 600; t < 700; t++) {
    const { request, z } = roundOf(t)
    const decision = learner.decide({ ...request, covariates: { z: null } })
    const { value } = decision.covariates.z as { value: number }
    keep(who, 'keep corrected values inside the range of the covariate', value >= 0 && value <= 10, value)
    errors.before += Math.abs(request.predictions.z - z)
    errors.after += Math.abs(value - z)
  }
  keep(
    who,
    `come nearer to the truth than a model that is always off by 2 (${errors.before})`,
    errors.after < errors.before,
    errors.after,
  )
  const kept = play(
    createLearner(problem, { profile: 'primo-cal', calibration: { ...calibration, delta0: 0 }, seed: 3 }),
    0,
    200,
  )
  const { request } = roundOf(200)
  const { value } = kept.learner.decide({ ...request, covariates: { z: null } }).covariates.z as { value: number }
  const off = Math.abs(value - request.predictions.z)
  keep(who, 'leave predictions alone where the ball has radius 0', off < 1e-9, off)
}

/** What holds of every learner, with this code in it. */
function checkLearner(who: string, options: LearnerOptions): void {
  for (const profile of ['primo-cal', 'robust'] as const) {
    const all = { ...options, profile, seed: 3 }
    const make = () => createLearner(problem, all) as Learner
    const once = play(make(), 0, 300).learner
    const saved = JSON.stringify(once.snapshot())
    keep(
      who,
      'learn the same from the same rounds',
      JSON.stringify(play(make(), 0, 300).learner.snapshot()) === saved,
      'two snapshots',
    )
    const use = [options.oracle, options.calibration === false ? undefined : options.calibration?.class].filter(
      (one) => typeof (one as { compile?: unknown } | undefined)?.compile === 'function',
    )
    const restored = restoreLearner(problem, JSON.parse(saved), {
      use: use as NonNullable<LearnerOptions['use']>,
    }) as Learner
    const [went, goes] = [play(once, 300, 400).learner, play(restored, 300, 400).learner].map((one) =>
      JSON.stringify(one.snapshot()),
    )
    keep(who, 'go on from a snapshot as if nothing had happened', went === goes, 'another snapshot')
  }
}

/** Round t: z is 5 + 4 (x - y / 4) up to noise, the model predicts 2 too much, and each action is best somewhere. */
function roundOf(t: number) {
  const random = Random.fromSeed(23).split(t)
  const [x, y] = [random.uniform(), 4 * random.uniform() - 2]
  const z = Math.min(7.9, Math.max(0, 3 + 4 * x - y + random.uniform()))
  const means = [0.2 + 0.06 * z, 0.8 - 0.06 * z, 0.5]
  const request = { context: { x, y }, covariates: { z: random.uniform() < 0.7 ? z : null }, predictions: { z: z + 2 } }
  return { request, z, means, noise: 0.2 * (random.uniform() - 0.5) }
}

function play(learner: Learner, from: number, to: number): { readonly learner: Learner; readonly best: boolean[] } {
  const best: boolean[] = []
  for (let t = from; t < to; t++) {
    const { request, means, noise } = roundOf(t)
    const { id, action } = learner.decide(request)
    const played = means[problem.actions.indexOf(action)]!
    best.push(played === Math.max(...means))
    learner.reward(id, Math.min(1, Math.max(0, played + noise)))
  }
  return { learner, best }
}

function randomTable(seed: number, count: number, columns: number): RegressionRows {
  const random = Random.fromSeed(seed)
  const inputs = Float64Array.from({ length: count * columns }, () => 2 * random.uniform() - 1)
  const targets = Float64Array.from(
    { length: count },
    (_, i) => inputs[i * columns]! + 0.5 * (inputs[i * columns + 1] ?? 0) + 0.2 * random.normal(),
  )
  return { columns, count, inputs, targets, weights: null }
}

function chosen({ columns, inputs, targets }: RegressionRows, rows: ArrayLike<number>): RegressionRows {
  const count = rows.length
  return {
    columns,
    count,
    inputs: Float64Array.from(
      { length: count * columns },
      (_, i) => inputs[rows[Math.floor(i / columns)]! * columns + (i % columns)]!,
    ),
    targets: Float64Array.from({ length: count }, (_, i) => targets[rows[i]!]!),
    weights: null,
  }
}
