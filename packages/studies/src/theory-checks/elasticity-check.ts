// Elasticity (method#elasticity, method#theory-checks; erratum E5): the eigenproblem against the closed form, the
// counterexample to the printed definition, and the elasticities of environments A and B at the true reward.

import { referenceData, writeRewardFeatures } from '@primo/lab'
import { Random } from '@primo/numeric'
import { basisElasticity, elasticityOfSample, linearElasticity } from '@primo/theory'
import { between, type Check, type CheckLine, near } from './check.js'
import { CONTEXT_WIDTH, drawEnvironment } from './environment-draws.js'

export const elasticityCheck: Check = {
  title: 'E5: elasticity in closed form, by eigenproblem and by Monte Carlo',
  lines: ({ seed, quick }) => {
    const random = Random.fromSeed(seed).split('elasticity-check')
    const draws = quick ? 100_000 : 400_000
    return [
      closedForm(random.split('closed')),
      ...counterexample(random.split('counterexample'), 40_000),
      ...environment('A', random.split('A'), draws),
      ...environment('B', random.split('B'), draws),
    ]
  },
}

/** |B^2 E(z-g)^2 - B^2 lambda_max| for the class alpha_a(x) + s z, |s| <= B, features (1, x, z). */
function closedForm(random: Random): CheckLine {
  const reference = referenceData('A')
  const slope = reference.constants.lipschitzInCovariate
  const draws = drawEnvironment(reference, 20_000, random)
  const columns = CONTEXT_WIDTH + 2
  const differences = new Float64Array(draws.rows * columns)
  let square = 0
  for (let i = 0; i < draws.rows; i++) {
    const error = draws.covariate[i]! - draws.pretrained[i]!
    square += (error * error) / draws.rows
    differences[i * columns + columns - 1] = error
  }
  const closed = linearElasticity({ slope, meanSquare: square }).printed
  const eigen = basisElasticity({ differences, columns, norm: slope }).printed
  return between({
    what: '|closed form - eigenvalue|, linear in z',
    measured: Math.abs(closed - eigen),
    high: 1e-8,
    quoted: '1e-8',
  })
}

/** D_a(x) = 1{x = a}, x uniform on K = 4 points, the policy plays a = x. */
function counterexample(random: Random, rows: number): CheckLine[] {
  const actions = 4
  const differences = new Float64Array(rows * actions)
  let realised = 0
  for (let i = 0; i < rows; i++) {
    const x = random.integer(actions)
    differences[i * actions + x] = 1
    const played = x
    realised += differences[i * actions + played]! ** 2
  }
  const { printed, maxInside } = elasticityOfSample({ actions, differences })
  const standardError = Math.sqrt(3 / 16 / rows)
  return [
    near({
      what: 'K = 4 counterexample: printed elasticity',
      measured: printed,
      standardError,
      quoted: 0.25,
      tolerance: 0.002,
      as: '0.25 (.252 by Monte Carlo)',
    }),
    near({
      what: 'K = 4 counterexample: realised mean square',
      measured: realised / rows,
      quoted: 1,
      tolerance: 1e-12,
    }),
    near({ what: 'K = 4 counterexample: max inside', measured: maxInside, quoted: 1, tolerance: 1e-12 }),
  ]
}

function environment(name: string, random: Random, rows: number): CheckLine[] {
  const reference = referenceData(name)
  const actions = reference.theta.length
  const draws = drawEnvironment(reference, rows, random)
  const features = new Float64Array(reference.features.length)
  const differences = new Float64Array(rows * actions)
  const missing = new Float64Array(rows)
  const write = (at: number, z: number, row: number, sign: number): void => {
    writeRewardFeatures(draws.context, at, z, features)
    reference.theta.forEach((theta, a) => {
      let sum = 0
      for (let k = 0; k < features.length; k++) sum += theta[k]! * features[k]!
      differences[row * actions + a] = differences[row * actions + a]! + sign * sum
    })
  }
  for (let i = 0; i < rows; i++) {
    write(i * CONTEXT_WIDTH, draws.covariate[i]!, i, 1)
    write(i * CONTEXT_WIDTH, draws.pretrained[i]!, i, -1)
    missing[i] = draws.observed[i] ? 0 : 1
  }
  const { printed, maxInside, missingOnly, standardError } = elasticityOfSample({ actions, differences, missing })
  const { constants } = reference
  const line = (what: string, measured: number, quoted: number): CheckLine =>
    near({
      what: `${name}: ${what} at f*`,
      measured,
      standardError: standardError * Math.SQRT2,
      quoted,
      tolerance: 1e-6,
    })
  return [
    line('E printed', printed, constants.elasticityPrinted),
    line('E max inside', maxInside, constants.elasticityMaxInside),
    line('E missing only', missingOnly, constants.elasticityMissingOnly),
  ]
}
