// Worlds that change while they are played: effects change at once, turn slowly or in cycles, units of the covariate
// change, the pre-trained model breaks or is replaced, other contexts come, rewards are recorded as 0 for a while.

import { number, type Problem } from '@primo/core'
import type { Environment } from '@primo/lab'
import type { Random } from '@primo/numeric'
import { type DrawRound, drawnEnvironment } from './world.js'

const FEATURES = 5
const ACTIONS = 3
const PROBLEM: Problem = {
  context: Object.fromEntries(Array.from({ length: FEATURES }, (_, k) => [`x${k}`, number({ min: -1, max: 1 })])),
  covariates: { z0: { ...number({ min: -2, max: 2 }), imputer: { kind: 'column' } } },
  actions: Array.from({ length: ACTIONS }, (_, a) => `a${a}`),
  reward: { min: -0.2, max: 1.2, mean: { min: 0, max: 1 } },
}

/** What moves, as functions of the share of the run that is over. */
interface Motion {
  /** Weight of the second set of effects; the first has the rest. */
  readonly mix?: (share: number) => number
  /** Angle by which the effects are turned from the first set to the second. */
  readonly angle?: (share: number) => number
  readonly unit?: (share: number) => number
  readonly model?: (share: number, mean: number, z: number, random: Random) => number
  readonly shift?: (share: number, round: number) => number
  readonly outage?: (round: number, rounds: number) => boolean
  readonly bernoulli?: boolean
}

export interface MovingWorld {
  readonly name: string
  readonly environment: (rounds: number) => Environment
}

const mediocre = (_share: number, mean: number) => 0.5 * mean + 0.2

function moving(name: string, motion: Motion): MovingWorld {
  return {
    name,
    environment: (rounds) => drawnEnvironment(name, PROBLEM, (parameters) => bind(motion, rounds, parameters)),
  }
}

function bind(motion: Motion, rounds: number, parameters: Random): DrawRound {
  const { model = mediocre, bernoulli = false } = motion
  const effects = Array.from({ length: 2 }, () =>
    Float64Array.from({ length: ACTIONS * (FEATURES + 1) }, () => parameters.normal()),
  ) as [Float64Array, Float64Array]
  return (random, round, { x, z, seen, prediction, means, rewards }) => {
    const share = round / rounds
    const shift = motion.shift?.(share, round) ?? 0
    for (let k = 0; k < FEATURES; k++) x[k] = Math.max(-1, Math.min(1, 2 * random.uniform() - 1 + shift))
    const mean = 0.5 * Math.sin(3 * x[0]!) + 0.3 * x[1]!
    const value = mean + 0.4 * (2 * random.uniform() - 1)
    const unit = motion.unit?.(share) ?? 1
    z[0] = (unit * value) / 2
    seen[0] = random.uniform() < 0.5 ? 0 : 1
    prediction[0] = Math.max(-1, Math.min(1, (unit * model(share, mean, value, random)) / 2))
    const angle = motion.angle?.(share)
    const second = angle === undefined ? (motion.mix?.(share) ?? 0) : Math.sin(angle)
    const first = angle === undefined ? 1 - second : Math.cos(angle)
    for (let a = 0; a < ACTIONS; a++) {
      let score = 0
      for (let k = 0; k <= FEATURES; k++) {
        const at = a * (FEATURES + 1) + k
        const effect = first * effects[0][at]! + second * effects[1][at]!
        score += effect * (k < FEATURES ? x[k]! / Math.sqrt(FEATURES) : value)
      }
      means[a] = Math.max(0, Math.min(1, 0.5 + 0.2 * score))
      rewards[a] = bernoulli ? (random.uniform() < means[a]! ? 1 : 0) : means[a]! + 0.2 * (2 * random.uniform() - 1)
      if (motion.outage?.(round, rounds)) rewards[a] = 0
    }
  }
}

const after = (change: number) => (share: number) => (share < change ? 0 : 1)

export const movingWorlds: readonly MovingWorld[] = [
  moving('nothing moves', {}),
  moving('change at T/2', { mix: after(1 / 2) }),
  moving('change at 3T/4', { mix: after(3 / 4) }),
  moving('change at T/2, 0/1 rewards', { mix: after(1 / 2), bernoulli: true }),
  moving('slow turn', { angle: (share) => (share * Math.PI) / 2 }),
  moving('four cycles', { angle: (share) => 8 * Math.PI * share }),
  moving('units of z change', { unit: (share) => (share < 1 / 2 ? 1 : 2) }),
  moving('model wrong from T/2', { model: (share, mean) => (share < 1 / 2 ? mean : -mean) }),
  moving('model replaced at T/2', {
    model: (share, mean, z, random) => (share < 1 / 2 ? 0.5 * mean + 0.2 : 0.8 * z + 0.1 * random.normal()),
  }),
  moving('traffic mix', { shift: (share) => (share < 1 / 2 ? -0.3 : 0.3) }),
  moving('rewards recorded as 0', {
    outage: (round, rounds) => round >= rounds / 2 && round < rounds / 2 + rounds / 20,
  }),
]
