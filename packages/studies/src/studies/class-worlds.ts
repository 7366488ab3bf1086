// Worlds of the study of classes, two actions each. Four to lock in on the worse one: contexts that say nothing, a gamble beside nothing, a
// gamble by context beside a sure thing, a step. And two with a covariate that is missing half of the time: steps
// that cross, which trees are made for, and lines.

import { number, type Problem } from '@primo/core'
import type { Environment } from '@primo/lab'
import type { Random } from '@primo/numeric'
import { drawnEnvironment } from '../strangers/world.js'

function problemOf(features: number, reward: Problem['reward'], covariates: Problem['covariates'] = {}): Problem {
  const context = Array.from({ length: features }, (_, k) => [`x${k}`, number({ min: -1, max: 1 })] as const)
  return { context: Object.fromEntries(context), covariates, actions: ['first', 'second'], reward }
}

const UNIT = { min: 0, max: 1 }

function fill(random: Random, x: Float64Array): void {
  for (let k = 0; k < x.length; k++) x[k] = 2 * random.uniform() - 1
}

function coin(random: Random, chance: number): number {
  return random.uniform() < chance ? 1 : 0
}

/** Rewards 0 and 1 with these chances; `sure`: the first action always pays its chance. */
function chances(name: string, features: number, of: (x: Float64Array) => readonly [number, number], sure = false) {
  return drawnEnvironment(name, problemOf(features, UNIT), () => (random, _round, { x, means, rewards }) => {
    fill(random, x)
    of(x).forEach((chance, a) => {
      means[a] = chance
      rewards[a] = sure && a === 0 ? chance : coin(random, chance)
    })
  })
}

const gamble = drawnEnvironment(
  'nothing, or a gamble by context',
  problemOf(2, { min: -0.05, max: 0.95 }),
  () =>
    (random, _round, { x, means, rewards }) => {
      fill(random, x)
      const chance = 0.12 + 0.11 * x[0]!
      means[1] = chance - 0.05
      rewards[1] = coin(random, chance) - 0.05
    },
)

export const twoActionWorlds: readonly Environment[] = [
  chances('contexts that say nothing', 3, () => [0.4, 0.55]),
  gamble,
  chances('a sure half, or a gamble by context', 4, (x) => [0.5, 0.5 + 0.3 * x[0]!], true),
  chances('a step', 3, (x) => [0.5, x[0]! > 0.3 ? 0.8 : 0.35]),
]

/** z = .6 x_1 + noise, shown half of the time, predicted without the noise; the second action pays 1 with chance `mean`, the first with one half. */
function half(name: string, mean: (x: Float64Array, z: number) => number): Environment {
  const z = { ...number({ min: -1, max: 1 }), imputer: { kind: 'column' } as const }
  return drawnEnvironment(name, problemOf(4, UNIT, { z }), () => (random, _round, out) => {
    const { x, means, rewards } = out
    fill(random, x)
    out.prediction[0] = 0.6 * x[1]!
    out.z[0] = out.prediction[0] + 0.4 * (2 * random.uniform() - 1)
    out.seen[0] = coin(random, 0.5)
    means[0] = 0.5
    means[1] = mean(x, out.z[0])
    for (let a = 0; a < 2; a++) rewards[a] = coin(random, means[a]!)
  })
}

export const drawnTables: readonly Environment[] = [
  half('steps', (x, z) => 0.5 + (x[0]! > 0 === x[2]! > 0 ? 0.3 : -0.3) + (z > 0 ? 0.1 : -0.1)),
  half('lines', (x, z) => 0.5 + 0.15 * x[0]! - 0.1 * x[2]! + 0.2 * z),
]
