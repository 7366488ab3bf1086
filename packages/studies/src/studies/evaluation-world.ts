// A world in which a policy's value is known exactly, for the study of the estimators: x and the noise of z uniform, so that
// means are integrals over a grid. The reward is not linear in what the reward model uses, so the direct estimator is biased.
//   z = 0.6 x + u,  u uniform on [-0.4, 0.4];  seen with probability e(x) = 1/(1 + exp(-0.7 - 1.1 x));  g~(x) = 0.5 x + 0.1
//   mean reward of action a: 0.5 + 0.3 sin(2 z + c_a) + 0.1 x cos(c_a), rewards 0 or 1

import { createEngine, loggedRounds } from '@primo/core/engine'
import type { EvaluationLog } from '@primo/lab'
import { logHeader, problemOfLog } from '@primo/lab'
import type { Random } from '@primo/numeric'

const ACTIONS = 4
const SHIFTS = [0, 1.6, 3.1, 4.7]
/** The smallest propensity of either log. */
export const SMALLEST_PROPENSITY = 0.02

const worldHeader = logHeader({
  actions: ['a', 'b', 'c', 'd'],
  context: { x: { type: 'number', min: -1, max: 1 } },
  covariates: { z: { type: 'number', min: -1.1, max: 1.1 } },
  reward: { min: 0, max: 1 },
})

function meanReward(x: number, z: number, a: number): number {
  const shift = SHIFTS[a]!
  return 0.5 + 0.3 * Math.sin(2 * z + shift) + 0.1 * x * Math.cos(shift)
}

function observationProbability(x: number): number {
  return 1 / (1 + Math.exp(-0.7 - 1.1 * x))
}

function pretrained(x: number): number {
  return 0.5 * x + 0.1
}

/** What the logging policy plays by: propensities from 0.02, or all alike. */
function loggingPropensities(kind: 'skewed' | 'uniform', x: number, out: Float64Array): void {
  if (kind === 'uniform') {
    out.fill(1 / ACTIONS)
    return
  }
  let sum = 0
  for (let a = 0; a < ACTIONS; a++) {
    out[a] = Math.exp(1.6 * Math.cos(SHIFTS[a]! + 1.5 * x))
    sum += out[a]!
  }
  const rest = 1 - ACTIONS * SMALLEST_PROPENSITY
  for (let a = 0; a < ACTIONS; a++) out[a] = SMALLEST_PROPENSITY + (rest * out[a]!) / sum
}

/**
 * The policy in question: it plays by z where it sees it and by its own imputation where not, and explores a little.
 */
function targetOf(x: number, z: number | null, out: Float64Array): void {
  const used = z ?? pretrained(x)
  const best = used > 0.35 ? 3 : used > 0 ? 0 : used > -0.35 ? 1 : 2
  for (let a = 0; a < ACTIONS; a++) out[a] = a === best ? 0.85 : 0.05
}

/** The exact value of the policy, as things are and if z were always seen. */
export function trueValues(): { readonly now: number; readonly always: number } {
  const points = 2000
  const seen = new Float64Array(ACTIONS)
  const blind = new Float64Array(ACTIONS)
  let now = 0
  let always = 0
  for (let i = 0; i < points; i++) {
    const x = -1 + (2 * (i + 0.5)) / points
    targetOf(x, null, blind)
    for (let j = 0; j < points; j++) {
      const z = 0.6 * x + 0.8 * ((j + 0.5) / points - 0.5)
      targetOf(x, z, seen)
      let withZ = 0
      let without = 0
      for (let a = 0; a < ACTIONS; a++) {
        const mean = meanReward(x, z, a)
        withZ += seen[a]! * mean
        without += blind[a]! * mean
      }
      const e = observationProbability(x)
      now += e * withZ + (1 - e) * without
      always += withZ
    }
  }
  return { now: now / points ** 2, always: always / points ** 2 }
}

/** A log of this world and what the policy would have done in its rows. */
export function drawLog(
  kind: 'skewed' | 'uniform',
  rows: number,
  random: Random,
): { readonly log: EvaluationLog; readonly target: Float64Array } {
  const problem = problemOfLog(worldHeader)
  const rounds = loggedRounds(createEngine(problem))
  const action = new Uint16Array(rows)
  const propensity = new Float64Array(rows)
  const reward = new Float64Array(rows)
  const propensities = new Float64Array(rows * ACTIONS)
  const target = new Float64Array(rows * ACTIONS)
  const logging = new Float64Array(ACTIONS)
  const own = new Float64Array(ACTIONS)
  for (let i = 0; i < rows; i++) {
    const x = 2 * random.uniform() - 1
    const z = 0.6 * x + 0.8 * (random.uniform() - 0.5)
    const seen = random.uniform() < observationProbability(x) ? z : null
    loggingPropensities(kind, x, logging)
    let draw = random.uniform()
    let a = 0
    while (a < ACTIONS - 1 && draw >= logging[a]!) draw -= logging[a++]!
    action[i] = a
    propensity[i] = logging[a]!
    reward[i] = random.uniform() < meanReward(x, z, a) ? 1 : 0
    propensities.set(logging, i * ACTIONS)
    targetOf(x, seen, own)
    target.set(own, i * ACTIONS)
    rounds.add({
      context: { x },
      covariates: { z: seen },
      predictions: { z: pretrained(x) },
      action: worldHeader.actions[a]!,
      propensity: logging[a]!,
      reward: reward[i]!,
    })
  }
  const choices = {
    rows,
    actions: ACTIONS,
    action,
    propensity,
    reward,
    propensities,
    rewardRange: { min: 0, max: 1 },
    eligible: null,
  }
  return { target, log: { header: worldHeader, problem, rounds: rounds.table, choices, leftOut: {}, adaptive: false } }
}
