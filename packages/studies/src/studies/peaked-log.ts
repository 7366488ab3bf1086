// A log of a policy that plays one of four actions nearly always, and the policy that plays the best one: weights up
// to some hundreds. The reward model is wrong on purpose.

import type { LoggedChoices } from '@primo/lab'
import { Random } from '@primo/numeric'

const ACTIONS = 4
const PEAK = 5
const SMALLEST = 0.003 / ACTIONS

function meanRewards(x: number, y: number): readonly number[] {
  return [0.5 + 0.3 * x, 0.5 - 0.2 * x + 0.2 * y * y, 0.4 + 0.3 * y, 0.5 - 0.3 * y]
}

function logged(x: number, y: number): readonly number[] {
  const odds = [x, -x, y, -y].map((score) => Math.exp(PEAK * score))
  const total = odds.reduce((sum, value) => sum + value, 0)
  return odds.map((value) => SMALLEST + ((1 - ACTIONS * SMALLEST) * value) / total)
}

function wanted(means: readonly number[]): readonly number[] {
  const best = means.indexOf(Math.max(...means))
  return means.map((_, a) => (a === best ? 0.85 : 0.05))
}

export function peakedValue(draws = 400_000): number {
  const random = Random.fromSeed(1).split('peaked value')
  let sum = 0
  for (let i = 0; i < draws; i++) {
    const means = meanRewards(2 * random.uniform() - 1, 2 * random.uniform() - 1)
    wanted(means).forEach((p, a) => {
      sum += p * means[a]!
    })
  }
  return sum / draws
}

export function drawPeakedLog(rows: number, random: Random) {
  const action = new Uint16Array(rows)
  const propensity = new Float64Array(rows)
  const reward = new Float64Array(rows)
  const target = new Float64Array(rows * ACTIONS)
  const rewards = new Float64Array(rows * ACTIONS)
  for (let i = 0; i < rows; i++) {
    const [x, y] = [2 * random.uniform() - 1, 2 * random.uniform() - 1]
    const means = meanRewards(x, y)
    const p = logged(x, y)
    let left = random.uniform()
    let a = 0
    while (a < ACTIONS - 1 && left >= p[a]!) left -= p[a++]!
    action[i] = a
    propensity[i] = p[a]!
    reward[i] = random.uniform() < means[a]! ? 1 : 0
    target.set(wanted(means), i * ACTIONS)
    rewards.set([0.45 + 0.15 * x, 0.45 - 0.15 * x, 0.45, 0.45], i * ACTIONS)
  }
  const choices: LoggedChoices = {
    rows,
    actions: ACTIONS,
    action,
    propensity,
    reward,
    rewardRange: { min: 0, max: 1 },
    propensities: null,
    eligible: null,
  }
  return { choices, target, rewards }
}
