import { Random } from '@primo/numeric'
import { describe, expect, test } from 'vitest'
import type { LogRow } from '../log/log-columns.js'
import { behaviourInfluence } from './behaviour-influence.js'
import { behaviourModel, type FittedBehaviour } from './behaviour-model.js'
import { evaluateByBehaviour } from './estimated-behaviour.js'
import { type EvaluateOptions, evaluatePolicy } from './evaluate-policy.js'
import { type EvaluationLog, evaluationLog } from './evaluation-log.js'
import { header, means } from './evaluation-world.fixture.js'
import type { LoggedChoices } from './logged-choices.js'
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
    const { propensities, model } = behaviourModel(log, { class: 'linear' })
    const { calibration, loss, sharesLoss, clippedShare } = model
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

  test('are 0 for actions that could not be played', async () => {
    const all = [...rows(600, 3)].map(({ truth: _, ...row }, k) =>
      k % 2 === 0 && row.action !== 'c' ? { ...row, eligible: ['a', 'b'] } : row,
    )
    const log = await evaluationLog(header, all)
    for (const kind of ['linear', 'trees'] as const) {
      const { propensities } = behaviourModel(log, { class: kind })
      all.forEach(({ eligible }, i) => {
        expect(propensities[3 * i + 2] === 0).toBe(eligible !== undefined)
        expect(propensities[3 * i]! + propensities[3 * i + 1]! + propensities[3 * i + 2]!).toBeCloseTo(1, 12)
      })
    }
  })

  test('are those of trees where steps chose the actions', async () => {
    const random = Random.fromSeed(5)
    const steps = (x: number) => (Math.abs(x) < 0.5 ? 0.8 : 0.2)
    const log = await evaluationLog(
      header,
      [...rows(2000, 4)].map(({ truth: _, ...row }) => {
        const first = random.uniform() < steps(row['context.x'] as number)
        return { ...row, action: first ? 'a' : random.uniform() < 0.5 ? 'b' : 'c' }
      }),
    )
    const { behaviour } = evaluateByBehaviour(log, {
      policies: [targetPolicy(log, 'uniform')],
      replicates: 0,
      estimators: ['ips'],
    })
    expect(behaviour.class).toBe('trees')
    expect(behaviour.rivals).not.toContain('linear')
    const { quantiles } = behaviour.overlap.find(({ action }) => action === 'a')!
    const at = (share: number) => quantiles.find((one) => one.share === share)!.propensity
    expect(at(0.2)).toBeCloseTo(0.2, 1)
    expect(at(0.8)).toBeCloseTo(0.8, 1)
  })

  test('that are the shares of the actions leave ips with the spread within actions', () => {
    const random = Random.fromSeed(6)
    const count = 500
    const action = Uint16Array.from({ length: count }, () => random.integer(3))
    const reward = Float64Array.from(action, (a) => (random.uniform() < 0.2 + 0.3 * a ? 1 : 0))
    const shares = [0, 1, 2].map((a) => action.filter((one) => one === a).length / count)
    const choices: LoggedChoices = {
      rows: count,
      actions: 3,
      action,
      reward,
      propensity: Float64Array.from(action, (a) => shares[a]!),
      propensities: null,
      rewardRange: { min: 0, max: 1 },
      eligible: null,
    }
    const fitted = {
      model: { class: 'linear' },
      propensities: Float64Array.from({ length: 3 * count }, (_, k) => shares[k % 3]!),
      columns: { rows: new Float64Array(count).fill(1), width: 1 },
    } as unknown as FittedBehaviour
    const target = Float64Array.from({ length: 3 * count }, (_, k) => [0.7, 0.3, 0][k % 3]!)
    const evaluate = (adjust?: EvaluateOptions['adjust']) =>
      evaluatePolicy('p', choices, target, {
        estimators: ['ips'],
        replicates: 0,
        ...(adjust === undefined ? {} : { adjust }),
      }).evaluation.estimates[0]!
    const plain = evaluate()
    const adjusted = evaluate(behaviourInfluence(choices, fitted))
    // sum of w^2 (r - mean of its action)^2: by strata, where the shares are known.
    const means = [0, 1, 2].map((a) => {
      const own = [...reward].filter((_, i) => action[i] === a)
      return own.reduce((sum, r) => sum + r, 0) / own.length
    })
    const square = reward.reduce(
      (sum, r, i) => sum + ((target[3 * i + action[i]!]! / shares[action[i]!]!) * (r - means[action[i]!]!)) ** 2,
      0,
    )
    expect(adjusted.value).toBeCloseTo(plain.value, 12)
    expect(adjusted.standardError).toBeCloseTo(Math.sqrt(square / (count - 1) / (count - 2)), 9)
    expect(adjusted.standardError).toBeLessThan(plain.standardError)
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
