// Rounds per second of the profiles next to a plain LinUCB loop: typed arrays, Sherman-Morrison, update in every round.
// All in one process and one run; each is warmed up on a shorter horizon first. Ratios are what to read.

import { createEngine } from '@primo/core'
import { simulate } from '@primo/lab'
import { benchProblem, benchWorld } from './world.mjs'

const DIMENSION = 10
const ACTIONS = 5
const ROUNDS = 2 ** 17
const REPEATS = 5

function linUcb(world, alpha) {
  const d = DIMENSION + 2
  const inverse = Array.from({ length: ACTIONS }, () => {
    const matrix = new Float64Array(d * d)
    for (let i = 0; i < d; i++) matrix[i * d + i] = 1
    return matrix
  })
  const target = Array.from({ length: ACTIONS }, () => new Float64Array(d))
  const theta = Array.from({ length: ACTIONS }, () => new Float64Array(d))
  const phi = new Float64Array(d)
  const product = new Float64Array(d)
  let regret = 0
  for (const block of world) {
    for (let row = 0; row < block.noise.length; row++) {
      phi[0] = 1
      for (let k = 0; k < DIMENSION; k++) phi[1 + k] = block.context[row * DIMENSION + k]
      phi[d - 1] = block.observed[row] === 1 ? block.truth[row] : block.pretrained[row]
      let best = 0
      let top = -Infinity
      for (let a = 0; a < ACTIONS; a++) {
        const matrix = inverse[a]
        const weights = theta[a]
        let mean = 0
        let variance = 0
        for (let i = 0; i < d; i++) {
          let sum = 0
          for (let j = 0; j < d; j++) sum += matrix[i * d + j] * phi[j]
          variance += sum * phi[i]
          mean += weights[i] * phi[i]
        }
        const score = mean + alpha * Math.sqrt(variance)
        if (score > top) {
          top = score
          best = a
        }
      }
      const reward = block.means[row * ACTIONS + best] + block.noise[row]
      const matrix = inverse[best]
      let denominator = 1
      for (let i = 0; i < d; i++) {
        let sum = 0
        for (let j = 0; j < d; j++) sum += matrix[i * d + j] * phi[j]
        product[i] = sum
        denominator += sum * phi[i]
      }
      for (let i = 0; i < d; i++) {
        const scaled = product[i] / denominator
        for (let j = 0; j < d; j++) matrix[i * d + j] -= scaled * product[j]
      }
      const sums = target[best]
      for (let i = 0; i < d; i++) sums[i] += reward * phi[i]
      for (let i = 0; i < d; i++) {
        let sum = 0
        for (let j = 0; j < d; j++) sum += matrix[i * d + j] * sums[j]
        theta[best][i] = sum
      }
      let optimum = -Infinity
      for (let a = 0; a < ACTIONS; a++) optimum = Math.max(optimum, block.means[row * ACTIONS + a])
      regret += optimum - block.means[row * ACTIONS + best]
    }
  }
  return regret
}

function median(values) {
  return values.sort((a, b) => a - b)[Math.floor(values.length / 2)]
}

export function benchRounds() {
  const problem = benchProblem(DIMENSION, ACTIONS)
  const world = benchWorld(DIMENSION, ACTIONS, ROUNDS, 1)
  const short = world.slice(0, 4)
  const contestants = {
    'LinUCB loop': (blocks) => linUcb(blocks, 0.3),
    primo: (blocks) => simulate({ engine: createEngine(problem, { profile: 'primo' }), world: blocks, seed: 1 }),
    'primo-cal': (blocks) =>
      simulate({ engine: createEngine(problem, { profile: 'primo-cal' }), world: blocks, seed: 1 }),
    robust: (blocks) => simulate({ engine: createEngine(problem, { profile: 'robust' }), world: blocks, seed: 1 }),
  }
  for (let warm = 0; warm < 3; warm++) for (const run of Object.values(contestants)) run(short)
  const seconds = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]))
  // Interleaved, so that a slow moment of the machine hits all alike.
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    for (const [name, run] of Object.entries(contestants)) {
      const start = performance.now()
      run(world)
      seconds[name].push((performance.now() - start) / 1000)
    }
  }
  const reference = median(seconds['LinUCB loop'])
  console.log(
    `Rounds per second, K = ${ACTIONS}, ${DIMENSION}-dimensional context, T = ${ROUNDS}, median of ${REPEATS}`,
  )
  for (const [name, values] of Object.entries(seconds)) {
    const time = median(values)
    const rate = Math.round(ROUNDS / time).toLocaleString('en')
    console.log(`  ${name.padEnd(12)} ${rate.padStart(12)}   ${(reference / time).toFixed(2)}x the LinUCB loop`)
  }
}
