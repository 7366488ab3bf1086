// Every example of code of one's own keeps the laws of its interface and is used as its first lines say; a broken one is named.

import { createLearner, type ExplorationRule, type Learner, type LearnerOptions, restoreLearner } from '@primo/core'
import { runPolicy } from '@primo/lab'
import { cellsOf, type RunSpec, runCells } from '@primo/lab/node'
import {
  checkCorrection,
  checkEnvironment,
  checkExplorationRule,
  checkImputers,
  checkOracle,
  checkPolicy,
  checkRegressionClass,
} from '@primo/lab/testing'
import { describe, expect, it } from 'vitest'
import { bikes } from './bikes.js'
import { boltzmann } from './boltzmann.js'
import { maillard } from './maillard.js'
import { nearestNeighbours } from './nearest-neighbours.js'

describe('the examples keep the laws', () => {
  it('of an environment and its imputer', () => {
    checkEnvironment(bikes)
    checkImputers(bikes.problem)
  })
  it('of an exploration rule', () => checkExplorationRule(boltzmann))
  it('of a function class', () => checkRegressionClass(nearestNeighbours))
  it('of an oracle', () => checkOracle(nearestNeighbours))
  it('of a correction', () => checkCorrection(nearestNeighbours))
  it('of a policy', () => checkPolicy(maillard))
})

it('names the law that a broken rule breaks', () => {
  const greedy = (sum: number): ExplorationRule => ({
    kind: 'sloppy',
    version: '1',
    compile:
      () =>
      (_scores, _widths, count, out, at = 0) => {
        out.fill(sum / count, at, at + count)
      },
  })
  checkExplorationRule(greedy(1))
  expect(() => checkExplorationRule(greedy(1.1))).toThrow(
    /^exploration rule "sloppy" must give propensities that sum to one, got 1\.1/,
  )
})

it.each<[string, LearnerOptions]>([
  ['boltzmann', { exploration: boltzmann }],
  ['boltzmann, colder', { exploration: { ...boltzmann, options: { temperature: 0.02 } } }],
  ['nearest neighbours', { oracle: nearestNeighbours, schedule: { kind: 'doubling' } }],
  [
    'nearest neighbours as a correction',
    { calibration: { class: { ...nearestNeighbours, options: { k: 50 } } }, schedule: { kind: 'doubling' } },
  ],
])('%s: a learner goes on from its snapshot', (_, options) => {
  const block = bikes.block(1, 0, 300)
  const play = (learner: Learner, from: number, to: number) => {
    for (let t = from; t < to; t++) {
      const hour = 12 * (1 + block.context[2 * t]!)
      const rain = block.context[2 * t + 1] === 1
      const people = block.observed[t] === 1 ? 50 * (1 + block.truth[t]!) : null
      const { id, action } = learner.decide({ context: { hour, rain }, covariates: { people } })
      learner.reward(id, 6 * block.rewards[3 * t + bikes.problem.actions.indexOf(action)]!)
    }
    return learner
  }
  const learner = play(createLearner(bikes.problem, options), 0, 200)
  const again = restoreLearner(bikes.problem, JSON.parse(JSON.stringify(learner.snapshot())), {
    use: [boltzmann, nearestNeighbours],
  })
  expect(JSON.stringify(play(again, 200, 300).snapshot())).toBe(JSON.stringify(play(learner, 200, 300).snapshot()))
})

it('objects run where names do: own worlds, own policies', async () => {
  const spec: RunSpec = {
    scenarios: [bikes],
    policies: ['uniform', 'robust', maillard],
    rounds: 1500,
    repeats: 1,
    seed: 1,
  }
  const regret = new Map<string, number>()
  await runCells(spec, cellsOf(spec), { onRow: ({ row }) => void regret.set(row.policy, row.regret!) })
  expect(regret.get('maillard')!).toBeLessThan(regret.get('uniform')!)
  expect(regret.get('robust')!).toBeLessThan(regret.get('maillard')!)
  await expect(runCells(spec, cellsOf(spec), { workers: 2, onRow: () => {} })).rejects.toThrow(
    'workers must be 1 where scenarios or policies are objects with code, got 2',
  )
  const world = [bikes.block(1, 0, 1500)]
  const { regret: alone } = runPolicy({ spec: maillard, problem: bikes.problem, world, seed: 1, every: 23 })
  expect(alone).toBe(regret.get('maillard'))
})
