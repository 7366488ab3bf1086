// What holds in every environment: declared ranges, a stream that is a function of the seed, values that survive a table
// in the user's units, and a floor below which nobody gets who does not see what is missing.

import { checkProblem } from '@primo/core'
import { encodingOf, scaleNumber, unscaleNumber } from '@primo/core/engine'
import { describe, expect, it } from 'vitest'
import { summarise } from '../statistics/summarise.js'
import { covariateDraw } from './covariate-law.js'
import { createEnvironment } from './scenario.js'
import { scenarioFromName, scenarioNames } from './scenario-name.js'
import { type KnownEnvironment, largest } from './structure.js'
import { differences } from './world-blocks.fixture.js'

const SCENARIOS = [
  ...scenarioNames.map(({ name }) => name),
  'dosing?grading=graded&extra=0.4&noise=0.3',
  'pricing?mnarStrength=1&noise=900&staleAt=100',
  'A?extra=0.6&noise=1.5&bias=3&mnarStrength=2&staleAt=50&staleOver=100',
  'bandit?actions=3&gap=0.4&sigma=0.5&delayMean=5',
  'family?dimension=1&actions=2&covariateMean=rough&draw=4',
  'family?dimension=12&actions=7&reward=quadratic&covariateMean=rough&correlation=0.6&heteroscedastic=1&draw=5',
  'family?reward=nonlinear&misspecifiedReward=2&misspecifiedImputer=0.4&rareShare=0.03&draw=6',
]

const COUNT = 2000

describe.each(SCENARIOS)('%s', (name) => {
  const environment = createEnvironment(scenarioFromName(name))
  const { problem } = environment
  const encoding = encodingOf(problem)
  const block = environment.block(12, 2, COUNT)
  const { reward } = problem
  const range = reward.mean ?? reward

  it('is a sound problem and is called by its name', () => {
    expect(checkProblem(problem)).toBe(problem)
    expect(environment.name).toBe(name)
    const known = new Set([...Object.keys(problem.context), ...Object.keys(problem.covariates)])
    for (const product of environment.interactions) for (const feature of product) expect(known).toContain(feature)
  })

  it('has columns of the right shape', () => {
    expect(block.count).toBe(COUNT)
    expect(block.context.length).toBe(COUNT * encoding.contextWidth)
    expect(block.truth.length).toBe(COUNT * encoding.covariateWidth)
    expect(block.pretrained.length).toBe(block.truth.length)
    expect(block.observed.length).toBe(COUNT * encoding.covariates.length)
    expect(block.means!.length).toBe(COUNT * problem.actions.length)
    expect(block.rewards.length).toBe(block.means!.length)
    expect(block.floor!.length).toBe(COUNT)
  })

  it('keeps contexts, covariates and predictions in their ranges, and they survive the users units bit by bit', () => {
    for (const { feature, at, width } of encoding.context) {
      for (let row = 0; row < COUNT; row++) {
        const values = block.context.subarray(
          row * encoding.contextWidth + at,
          row * encoding.contextWidth + at + width,
        )
        if (feature.type === 'number') expectSurvives(feature, values[0]!)
        else {
          const sum = values.reduce((total, value) => total + value, 0)
          if (values.some((value) => value !== 0 && value !== 1)) throw new Error(`${values} is not 0 or 1`)
          if (feature.type === 'category' && sum !== 1) throw new Error(`${values} is not one-hot`)
        }
      }
    }
    for (const { feature } of encoding.covariates) {
      if (feature.type !== 'number') throw new Error('a number')
      for (const value of [...block.truth, ...block.pretrained]) expectSurvives(feature, value)
    }
  })

  it('keeps mean rewards in [0, 1] and rewards in the accepted range, around their means', () => {
    const [least, most] = [reward.min, reward.max].map((value) => (value - range.min) / (range.max - range.min))
    for (const value of block.means!) if (!(value >= 0 && value <= 1)) throw new Error(`mean ${value}`)
    for (const value of block.rewards) {
      if (!(value >= least! - 1e-12 && value <= most! + 1e-12)) throw new Error(`reward ${value}`)
      const again = (value * (range.max - range.min) + range.min - range.min) / (range.max - range.min)
      if (again !== value) throw new Error(`reward ${value} comes back as ${again}`)
    }
    problem.actions.forEach((action, a) => {
      const off = Array.from({ length: COUNT }, (_, row) => {
        const at = row * problem.actions.length + a
        return block.rewards[at]! - block.means![at]!
      })
      const { mean, standardError } = summarise(off)
      // About 80 comparisons of 13 streams at 3.5 standard errors: a false alarm in 4% of fresh seeds.
      expect(Math.abs(mean), action).toBeLessThanOrEqual(3.5 * standardError)
    })
  })

  it('gives the same rounds whichever block is made first, other rounds for another seed, and a start for fewer', () => {
    const forwards = [0, 1, 2].map((index) => environment.block(9, index, 500))
    const backwards = [2, 1, 0].map((index) => environment.block(9, index, 500)).reverse()
    forwards.forEach((one, index) => {
      expect(differences(one, backwards[index]!)).toEqual([])
    })
    expect(differences(environment.block(10, 0, 500), forwards[0]!)).toContain('rewards')
    const start = forwards[0]!.rewards.subarray(0, 100 * problem.actions.length)
    expect(environment.block(9, 0, 100).rewards).toEqual(start)
    expect(differences(createEnvironment(scenarioFromName(name)).block(9, 1, 500), forwards[1]!)).toEqual([])
  })

  it('has a floor that no policy beats which does not see what is missing', () => {
    const { floor } = block
    floor!.forEach((value, row) => {
      if (!(value >= 0) || (block.observed[row] === 1 && value !== 0)) throw new Error(`floor ${value} in row ${row}`)
    })
    if (environment.structure.covariate === null) return
    for (const [policy, excess] of Object.entries(excesses(environment))) {
      const { mean, standardError } = summarise(excess)
      expect(mean, policy).toBeGreaterThanOrEqual(-3 * standardError)
    }
  })
})

function expectSurvives(feature: { type: 'number'; min: number; max: number }, inside: number): void {
  const user = unscaleNumber(feature, inside)
  if (!(user >= feature.min && user <= feature.max)) throw new Error(`${user} is outside its range`)
  if (scaleNumber(feature, user) !== inside) throw new Error(`${inside} comes back as ${scaleNumber(feature, user)}`)
}

/** Regret minus floor, row by row where z is missing, of policies that know f* but not z. */
function excesses(environment: KnownEnvironment): Readonly<Record<string, number[]>> {
  const { structure, problem } = environment
  const given = environment.conditional
  const scores = new Float64Array(problem.actions.length)
  const [spec] = Object.values(problem.covariates)
  const step = spec?.type === 'number' ? (spec.max - spec.min) / 40 : 0
  const shifts = [-8, -4, -2, -1, 0, 1, 2, 4, 8]
  const policies: Record<string, number[]> = { pretrained: [], 'best given the context': [] }
  for (const shift of shifts) policies[`mean ${shift}`] = []
  for (let index = 0; index < 2; index++) {
    environment.rows(3, index, 4096, (row) => {
      if (row.observed) return
      given(row, 'missing', scores)
      const floorMean = row.means[largest(scores)]!
      const add = (policy: string) => policies[policy]!.push(floorMean - row.means[largest(scores)]!)
      given(row, 'context', scores)
      add('best given the context')
      structure.rewardMeans(row.x, row.pretrained, scores, row.round)
      add('pretrained')
      for (const shift of shifts) {
        structure.rewardMeans(row.x, row.mean + shift * step, scores, row.round)
        add(`mean ${shift}`)
      }
    })
  }
  return policies
}

it('integrates over a skewed law that observation depends on as finely as needed', () => {
  const environment = createEnvironment(scenarioFromName('pricing?mnarStrength=1.5'))
  const { structure } = environment
  const covariate = structure.covariate!
  const drawCovariate = covariateDraw(covariate)
  const scores = new Float64Array(4)
  const sum = new Float64Array(4)
  let naive = 0
  environment.rows(3, 0, 1000, (row) => {
    if (row.observed) return
    sum.fill(0)
    for (let j = 0; j < 2000; j++) {
      const z = drawCovariate(row.mean, (j + 0.5) / 2000)
      structure.rewardMeans(row.x, z, scores, row.round)
      const missing = 1 / (1 + Math.exp(covariate.index(row.x) + (1.5 * (z - row.mean)) / 1000))
      for (let a = 0; a < 4; a++) sum[a]! += missing * scores[a]!
    }
    naive += (Math.max(...row.means) - row.means[largest(sum)]!) / 29
  })
  const floor = environment.block(3, 0, 1000).floor!.reduce((total, value) => total + value, 0)
  expect(Math.abs(floor / naive - 1)).toBeLessThan(0.02)
})

it('makes a rare action the best one in the stated share of rounds', () => {
  const environment = createEnvironment(scenarioFromName('family?rareShare=0.03&draw=2'))
  let best = 0
  environment.rows(1, 0, 4096, ({ means }) => {
    if (largest(means) === means.length - 1) best++
  })
  expect(Math.abs(best / 4096 - 0.03)).toBeLessThan(0.012)
})

it('correlates contexts as stated', () => {
  const { context } = createEnvironment(scenarioFromName('family?correlation=0.5&dimension=3')).block(1, 0, 4096)
  let [xx, yy, xy] = [0, 0, 0]
  for (let row = 0; row < 4096; row++) {
    const x = context[row * 3]!
    const y = context[row * 3 + 2]!
    xx += x * x
    yy += y * y
    xy += x * y
  }
  expect(Math.abs(xy / Math.sqrt(xx * yy) - 0.5)).toBeLessThan(0.05)
})
