// A world for logs without propensities: x, y uniform on [-1, 1], z = x/2 + u with u uniform on [-1, 1], seen with
// probability 0.6 + 0.3 x. What played is a logit of x, y, z and whether z was seen, or steps of them: each is in one
// class of behaviour models.

import { createLearner } from '@primo/core'
import { createEngine, loggedRounds } from '@primo/core/engine'
import { type EvaluationLog, logHeader, problemOfLog, type TargetPolicy, targetPropensities } from '@primo/lab'
import { Random } from '@primo/numeric'

const header = logHeader({
  actions: ['a', 'b', 'c'],
  context: { x: { type: 'number', min: -1, max: 1 }, y: { type: 'number', min: -1, max: 1 } },
  covariates: { z: { type: 'number', min: -1.5, max: 1.5 } },
  reward: { min: 0, max: 1 },
})
const problem = problemOfLog(header)

export const behaviours = {
  logit: (x: number, y: number, z: number | null) => {
    const odds = [Math.exp(1.2 * x), 1, Math.exp(0.6 * y - 0.8 * x + (z === null ? -0.3 : 0.5 * z))]
    const sum = odds[0]! + odds[1]! + odds[2]!
    return odds.map((one) => one / sum)
  },
  steps: (x: number, y: number, z: number | null) => {
    if (x > 0.2) return y > 0 ? [0.6, 0.2, 0.2] : [0.25, 0.5, 0.25]
    if (z === null) return [0.3, 0.3, 0.4]
    return z > 0 ? [0.15, 0.15, 0.7] : [0.35, 0.45, 0.2]
  },
} as const

/** Who played. */
export type Behaviour = keyof typeof behaviours

/** No class of reward models that is fitted has the third. */
function meanRewards(x: number, y: number, z: number): readonly number[] {
  return [0.5 + 0.3 * z, 0.5 - 0.3 * z, 0.45 + 0.1 * x + 0.2 * y * y]
}

/** A log without propensities (they all say 1/3), and the true mean rewards of its rows. */
export function drawBehaviourLog(kind: Behaviour, rows: number, random: Random) {
  const rounds = loggedRounds(createEngine(problem))
  const action = new Uint16Array(rows)
  const reward = new Float64Array(rows)
  const means = new Float64Array(rows * 3)
  for (let i = 0; i < rows; i++) {
    const [x, y] = [2 * random.uniform() - 1, 2 * random.uniform() - 1]
    const z = 0.5 * x + 2 * random.uniform() - 1
    const seen = random.uniform() < 0.6 + 0.3 * x ? z : null
    const p = behaviours[kind](x, y, seen)
    const draw = random.uniform()
    const a = draw < p[0]! ? 0 : draw < p[0]! + p[1]! ? 1 : 2
    const own = meanRewards(x, y, z)
    means.set(own, 3 * i)
    action[i] = a
    reward[i] = random.uniform() < own[a]! ? 1 : 0
    rounds.add({
      context: { x, y },
      covariates: { z: seen },
      predictions: { z: 0.5 * x },
      action: header.actions[a]!,
      propensity: 1 / 3,
      reward: reward[i]!,
    })
  }
  const choices = {
    rows,
    actions: 3,
    action,
    reward,
    propensity: new Float64Array(rows).fill(1 / 3),
    propensities: null,
    rewardRange: { min: 0, max: 1 },
    eligible: null,
  }
  const log: EvaluationLog = { header, problem, rounds: rounds.table, choices, leftOut: {}, adaptive: false }
  return { log, means }
}

const VALUE_ROWS = 20_000

/** One action, all alike, and a learner that was saved after 400 rounds of its own; each with its value. */
export function behaviourPolicies(): readonly { readonly policy: TargetPolicy; readonly value: number }[] {
  const random = Random.fromSeed(1).split('behaviour policies')
  const learner = createLearner(problem, { profile: 'primo', seed: 1 })
  for (let k = 0; k < 400; k++) {
    const [x, y] = [2 * random.uniform() - 1, 2 * random.uniform() - 1]
    const z = 0.5 * x + 2 * random.uniform() - 1
    const { id, action } = learner.decide({ context: { x, y }, covariates: { z }, predictions: { z: 0.5 * x } })
    const mean = meanRewards(x, y, z)[header.actions.indexOf(action)]!
    learner.reward(id, random.uniform() < mean ? 1 : 0)
  }
  const third = 0.45 + 0.2 / 3
  const alike = (0.5 + 0.5 + third) / 3
  const saved: TargetPolicy = { kind: 'snapshot', name: 'saved learner', snapshot: learner.snapshot() }
  return [
    { policy: { kind: 'fixed', name: 'fixed:a', action: 'a' }, value: 0.5 },
    { policy: { kind: 'fixed', name: 'fixed:c', action: 'c' }, value: third },
    { policy: { kind: 'uniform', name: 'uniform' }, value: alike },
    { policy: saved, value: alike + gainOver(saved, random.split('value')) },
  ]
}

/** What a policy brings more than uniform play, in many rows. */
function gainOver(policy: TargetPolicy, random: Random): number {
  const { log, means } = drawBehaviourLog('logit', VALUE_ROWS, random)
  const target = targetPropensities(log, policy, { parts: [], seed: 0 })
  return target.reduce((sum, p, k) => sum + (p - 1 / 3) * means[k]!, 0) / VALUE_ROWS
}
