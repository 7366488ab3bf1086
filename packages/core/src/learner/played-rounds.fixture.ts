// A small problem and rounds played on it, for tests.

import { Random } from '@primo/numeric'
import { expect } from 'vitest'
import {
  createLearner,
  type Decision,
  type DecisionRequest,
  type Learner,
  type LearnerOptions,
  number,
  type Problem,
  pretrained,
} from '../index.js'

export const unit = number({ min: 0, max: 1 })
export const middle = pretrained(() => 0.5)
export const simple: Problem = {
  context: { x: unit },
  covariates: { z: { ...unit, imputer: middle } },
  actions: ['a', 'b', 'c'],
  reward: { min: 0, max: 1 },
}

interface Run {
  readonly problem: Problem
  readonly rounds: number
  readonly request: (random: Random, round: number) => DecisionRequest
  readonly options?: LearnerOptions
}

/** Plays `rounds` rounds in which the last action is best; checks every decision and returns them with the learner. */
export function play({ problem, rounds, request, options = { profile: 'primo-cal' } }: Run): {
  learner: Learner
  decisions: Decision[]
} {
  const learner = createLearner(problem, { seed: 4, ...options })
  const random = Random.fromSeed(9)
  const { actions } = problem
  const decisions = Array.from({ length: rounds }, (_, round) => {
    const decision = learner.decide(request(random, round))
    const total = Object.values(decision.propensities).reduce((sum, p) => sum + p, 0)
    expect(total).toBeCloseTo(1, 12)
    expect(Object.values(decision.propensities).every((p) => p > 0)).toBe(true)
    const rank = (actions.indexOf(decision.action) + 1) / actions.length
    learner.reward(decision.id, 0.8 * rank + 0.2 * random.uniform())
    return decision
  })
  return { learner, decisions }
}

/** Share of the last action in the last quarter of the rounds. */
export function shareOfBest({ actions }: Problem, decisions: readonly Decision[]): number {
  const late = decisions.slice(Math.floor(decisions.length * 0.75))
  return late.filter(({ action }) => action === actions.at(-1)).length / late.length
}

export const random01 = (random: Random) => ({ context: { x: random.uniform() }, covariates: { z: random.uniform() } })
