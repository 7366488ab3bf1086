import { Random } from '@primo/numeric'
import { describe, expect, test } from 'vitest'
import type { LogRow } from '../log/log-columns.js'
import { behaviourModel } from './behaviour-model.js'
import { evaluateByBehaviour } from './estimated-behaviour.js'
import { type EvaluationLog, evaluationLog } from './evaluation-log.js'
import { header, means } from './evaluation-world.fixture.js'
import { targetPolicy } from './policy-name.js'

/** A logit of x and z chose the actions; `propensity` says nothing. */
function* rows(count: number, seed: number): Generator<LogRow & { readonly truth: readonly number[] }> {
  const random = Random.fromSeed(seed)
  for (let k = 1; k <= count; k++) {
    const x = 2 * random.uniform() - 1
    const z = 0.5 * x + 2 * (random.uniform() - 0.5)
    const seen = random.uniform() < 0.6
    const odds = [Math.exp(1.2 * x), 1, Math.exp(-0.8 * x + (seen ? 0.5 * z : -0.3))]
    const sum = odds[0]! + odds[1]! + odds[2]!
    const truth = odds.map((one) => one / sum)
    const draw = random.uniform()
    const action = draw < truth[0]! ? 0 : draw < truth[0]! + truth[1]! ? 1 : 2
    yield {
      decisionId: `${k}`,
      action: header.actions[action]!,
      propensity: 1 / 3,
      reward: random.uniform() < means(x, z)[action]! ? 1 : 0,
      rewardStatus: 'closed',
      'context.x': x,
      'covariate.z': seen ? z : null,
      'pretrained.z': 0.5 * x,
      truth,
    }
  }
}

const logOf = async (count: number, seed: number): Promise<EvaluationLog> =>
  evaluationLog(
    header,
    [...rows(count, seed)].map(({ truth: _, ...row }) => row),
  )

describe('estimated propensities', () => {
  test('are near those that chose the actions, calibrated, and sum to 1', async () => {
    const log = await logOf(4000, 1)
    const { propensities, calibration, loss, sharesLoss, clippedShare } = behaviourModel(log, { class: 'linear' })
    const truth = [...rows(4000, 1)].flatMap((row) => row.truth)
    const error = truth.reduce((sum, p, k) => sum + (p - propensities[k]!) ** 2, 0) / truth.length
    expect(Math.sqrt(error)).toBeLessThan(0.04)
    expect(loss).toBeLessThan(sharesLoss)
    expect(clippedShare).toBeLessThan(0.01)
    for (const { predicted, played, count } of calibration) {
      const chance = Math.sqrt((predicted * (1 - predicted)) / count)
      expect(Math.abs(predicted - played)).toBeLessThan(4 * chance + 0.01)
    }
    for (let i = 0; i < 4000; i++) {
      const sum = propensities[3 * i]! + propensities[3 * i + 1]! + propensities[3 * i + 2]!
      expect(sum).toBeCloseTo(1, 12)
    }
  })

  test('give values whose widened intervals hold the truth where uniform propensities are wrong', async () => {
    const log = await logOf(3000, 2)
    const policies = [targetPolicy(log, 'fixed:a')]
    const { evaluation } = evaluateByBehaviour(log, { policies, replicates: 0, estimators: ['ips', 'dr'] })
    for (const { value, asymptotic, standardError } of evaluation.policies[0]!.estimates) {
      expect(asymptotic!.low).toBeLessThan(0.5)
      expect(asymptotic!.high).toBeGreaterThan(0.5)
      expect(asymptotic!.high - value).toBeGreaterThanOrEqual(1.9 * standardError)
    }
  })
})
