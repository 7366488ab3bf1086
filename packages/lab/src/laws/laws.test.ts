// What comes with Primo keeps the laws that users' code is held to (policies: policies.test.ts), and what breaks a law is named.

import {
  type BuiltInExploration,
  type ClassOptions,
  number,
  type Problem,
  pretrained,
  type RegressionClass,
} from '@primo/core'
import { describe, expect, it } from 'vitest'
import { defineEnvironment } from '../environments/define-environment.js'
import { createEnvironment } from '../environments/scenario.js'
import { scenarioFromName, scenarioNames } from '../environments/scenario-name.js'
import type { OnlinePolicy } from '../policies/online-policy.js'
import {
  checkCorrection,
  checkEnvironment,
  checkExplorationRule,
  checkImputers,
  checkOracle,
  checkPolicy,
  checkRegressionClass,
} from '../testing.js'

const rules: readonly BuiltInExploration[] = [
  { kind: 'inverse-gap-weighting' },
  { kind: 'greedy' },
  { kind: 'epsilon-greedy', epsilon: 0.1 },
  { kind: 'linucb', alpha: 1 },
  { kind: 'lints', spread: 1 },
  { kind: 'probability-matching' },
  { kind: 'default' },
]

const classes: readonly ClassOptions[] = [
  { kind: 'linear' },
  { kind: 'isotonic' },
  { kind: 'lipschitz', bound: 3 },
  { kind: 'convex', bound: 3 },
  { kind: 'spline', segments: 10 },
  { kind: 'kernel', exact: 100, landmarks: 40 },
  { kind: 'trees', rounds: 40 },
  { kind: 'network', steps: 300, hidden: 8 },
  { kind: 'select', ladder: [{ kind: 'linear' }, { kind: 'spline' }] },
]

describe('built in', () => {
  it.each(rules)('rule $kind', (rule) => checkExplorationRule(rule))
  it.each(classes)('class $kind', (own) => checkRegressionClass(own))
  it.each([{ kind: 'linear' }, { kind: 'spline' }] as const)('oracle $kind', (oracle) => checkOracle(oracle))
  it.each(['linear', 'cubic', { kind: 'linear' }] as const)('correction %o', (own) => checkCorrection(own))
  it.each(scenarioNames)('environment $name', ({ name }) => checkEnvironment(createEnvironment(scenarioFromName(name))))
})

describe('names the broken law', () => {
  const mean: RegressionClass<number> = {
    kind: 'mean',
    version: '1',
    fit: ({ targets }) => targets[0]!,
    compile: (model) => () => model,
  }
  it('of a class', () => {
    expect(() => checkRegressionClass(mean)).toThrow(
      /^class "mean" must not depend on the order of rows beyond rounding, got /,
    )
    let calls = 0
    const fickle: RegressionClass<number> = { ...mean, fit: () => calls++ }
    expect(() => checkRegressionClass(fickle)).toThrow('must fit the same model from the same rows')
    expect(() => checkOracle(fickle)).toThrow('oracle "mean" must learn the same')
    expect(() => checkCorrection(fickle)).toThrow('correction "mean" must learn the same')
    const none: RegressionClass<number> = { ...mean, fit: () => 0 }
    expect(() => checkCorrection(none)).toThrow('must come nearer to the truth')
    expect(() => checkOracle(none)).toThrow('must find the best action more often than chance')
  })

  it('of a rule', () => {
    const rule = (weigh: (out: Float64Array, at: number, count: number) => void) => ({
      kind: 'own',
      version: '1',
      compile:
        () =>
        (_s: Float64Array, _w: Float64Array, count: number, out: Float64Array, at = 0) =>
          weigh(out, at, count),
    })
    const alike = (out: Float64Array, at: number, count: number) => out.fill(1 / count, at, at + count)
    expect(() => checkExplorationRule(rule((out, at, count) => alike(out, at, count + 1)))).toThrow('sum to one')
    expect(() =>
      checkExplorationRule(
        rule((out, at, count) => {
          alike(out, at, count)
          out[at + count] = 1
        }),
      ),
    ).toThrow('must write the propensities of its own actions and nothing else')
    let turn = 0
    expect(() =>
      checkExplorationRule(
        rule((out, at, count) => {
          out.fill(0, at, at + count)
          out[at + (turn++ % count)] = 1
        }),
      ),
    ).toThrow('must give the same propensities for the same scores')
  })

  const problem: Problem = {
    context: { x: number({ min: 0, max: 1 }) },
    covariates: { z: { ...number({ min: 0, max: 1 }), imputer: pretrained((x) => 2 * Number(x.x)) } },
    actions: ['a', 'b'],
    reward: { min: 0, max: 1 },
  }
  it('of an imputer', () => {
    expect(() => checkImputers(problem)).toThrow(/^imputer of z must predict values that the covariate can have, got/)
  })

  it('of an environment', () => {
    const world = (of: (u: number, round: number) => object) =>
      defineEnvironment({
        name: 'own',
        problem,
        round: (random, round) => {
          const u = random.uniform()
          return { context: { x: u }, covariates: { z: u }, means: { a: 0.5, b: 0.5 }, ...of(u, round) } as never
        },
      })
    checkEnvironment(world((u) => ({ rewards: { a: u, b: u } })))
    expect(() => checkEnvironment(world((u) => ({ rewards: { a: u, b: 0.9 } })))).toThrow(
      'environment "own" must give rewards around their means for b',
    )
    expect(() => checkEnvironment(world(() => ({ means: { a: 2, b: 0.5 } })))).toThrow('rewards in the range')
    expect(() => checkEnvironment(world(() => ({ context: { x: 0.5 }, covariates: { z: 0.5 } })))).toThrow(
      'must give other rounds for another seed',
    )
    let calls = 0
    expect(() => checkEnvironment(world(() => ({ context: { x: (calls++ % 7) / 7 } })))).toThrow(
      'must give the same rounds whichever block is made first',
    )
    expect(() => checkEnvironment(world(() => ({ context: { x: 3 } })))).toThrow('context.x must be between 0 and 1')
  })

  it('of a policy', () => {
    let rounds = 0
    const forgetful = (decide: (propensities: Float64Array, actions: number) => void): OnlinePolicy => ({
      name: 'own',
      start: ({ actions }) => ({ decide: (_seen, propensities) => decide(propensities, actions), learn: () => {} }),
    })
    checkPolicy(forgetful((p, actions) => p.fill(1 / actions)))
    expect(() => checkPolicy(forgetful((p) => p.fill(0.4)))).toThrow(
      'policy "own" must give propensities that sum to one, got 2',
    )
    expect(() =>
      checkPolicy(
        forgetful((p, actions) => {
          p.fill(0)
          p[Math.floor(rounds++ / 7) % actions] = 1
        }),
      ),
    ).toThrow('policy "own" must play the same for the same seed')
  })
})
