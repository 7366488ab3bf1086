// Strangers whose covariate is a category of four levels, drawn with probabilities that depend on the context; each
// level moves the mean of each action by an effect of its own. The model gives a probability to every level.

import { category, number } from '@primo/core'
import type { Random } from '@primo/numeric'
import { drawnEnvironment, type Stranger } from './world.js'

const LEVELS = 4
const FEATURES = 3
const ACTIONS = 3
const PROBLEM = {
  context: Object.fromEntries(Array.from({ length: FEATURES }, (_, k) => [`x${k}`, number({ min: -1, max: 1 })])),
  covariates: { z: { ...category(['p', 'q', 'r', 's']), imputer: { kind: 'column' } as const } },
  actions: Array.from({ length: ACTIONS }, (_, a) => `a${a}`),
  reward: { min: 0, max: 1 },
}

/** Writes the model's probabilities, from the true ones and the level. */
type Model = (shares: Float64Array, level: number, random: Random, out: Float64Array) => void

function categoryWorld(family: string, name: string, model: Model): Stranger {
  const environment = () =>
    drawnEnvironment(name, PROBLEM, (parameters) => {
      const theta = Float64Array.from({ length: ACTIONS * FEATURES }, () => parameters.normal())
      const effect = Float64Array.from({ length: ACTIONS * LEVELS }, () => parameters.normal())
      const shares = new Float64Array(LEVELS)
      return (random, _round, { x, z, seen, prediction, means, rewards }) => {
        for (let k = 0; k < FEATURES; k++) x[k] = 2 * random.uniform() - 1
        writeShares(x, shares)
        const level = drawLevel(shares, random.uniform())
        z[level] = 1
        seen[0] = random.uniform() < 0.5 ? 0 : 1
        model(shares, level, random, prediction)
        for (let a = 0; a < ACTIONS; a++) {
          let score = effect[a * LEVELS + level]!
          for (let k = 0; k < FEATURES; k++) score += 0.5 * theta[a * FEATURES + k]! * x[k]!
          means[a] = Math.min(1, Math.max(0, 0.5 + 0.12 * score))
          rewards[a] = random.uniform() < means[a]! ? 1 : 0
        }
      }
    })
  return { family, name, environment }
}

function writeShares(x: Float64Array, shares: Float64Array): void {
  let sum = 0
  for (let level = 0; level < LEVELS; level++) {
    shares[level] = Math.exp(2 * Math.sin(level + 2 * x[level % FEATURES]!))
    sum += shares[level]!
  }
  for (let level = 0; level < LEVELS; level++) shares[level] = shares[level]! / sum
}

function drawLevel(shares: Float64Array, draw: number): number {
  let below = 0
  for (let level = 0; level < LEVELS - 1; level++) {
    below += shares[level]!
    if (draw < below) return level
  }
  return LEVELS - 1
}

export const categoryWorlds: readonly Stranger[] = [
  categoryWorld('pre-trained model', 'category, excellent model', (shares, _level, _random, out) => out.set(shares)),
  categoryWorld('pre-trained model', 'category, levels mixed up', (shares, _level, _random, out) => {
    for (let level = 0; level < LEVELS; level++) out[level] = shares[(level + 1) % LEVELS]!
  }),
  categoryWorld('model saw the truth', 'category, one in five wrong', (_shares, level, random, out) => {
    out[random.uniform() < 0.8 ? level : random.integer(LEVELS)] = 1
  }),
]
