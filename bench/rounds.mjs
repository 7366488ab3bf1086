// Rounds per second of the profiles next to a plain LinUCB loop: typed arrays, Sherman-Morrison, update in every round; how the cost
// of a whole run grows with its rounds; the most memory that the process held. One process, one thread, one run; each is warmed up
// on a shorter horizon first. Processor seconds, so that other programs disturb less. Ratios are what to read. `--quick`: 2^17 rounds,
// no growth.

import { createEngine } from '@primo/core/engine'
import { simulate } from '@primo/lab'
import { benchProblem, benchWorld } from './world.mjs'

const DIMENSION = 10
const ACTIONS = 5
const TARGETS = { primo: 8, 'primo-cal': 4, robust: 1.2 }
const REPEATS = 5
const GROWTH = [14, 15, 16, 17, 18, 19, 20, 21]

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

/** Processor seconds. */
function timed(run) {
  const start = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1e6
}

/** Least squares slope of log seconds on log rounds: T^slope. */
function exponent(points) {
  const logs = points.map(([rounds, seconds]) => [Math.log(rounds), Math.log(seconds)])
  const mean = (k) => logs.reduce((sum, point) => sum + point[k], 0) / logs.length
  const [x, y] = [mean(0), mean(1)]
  const product = logs.reduce((sum, point) => sum + (point[0] - x) * (point[1] - y), 0)
  return product / logs.reduce((sum, point) => sum + (point[0] - x) ** 2, 0)
}

const memory = () => process.resourceUsage().maxRSS / 1024

export function benchRounds() {
  const quick = process.argv.includes('--quick')
  const rounds = quick ? 2 ** 17 : 2 ** 20
  const problem = benchProblem(DIMENSION, ACTIONS)
  const run = (profile) => (blocks) => simulate({ engine: createEngine(problem, { profile }), world: blocks, seed: 1 })
  const contestants = {
    'LinUCB loop': (blocks) => linUcb(blocks, 0.3),
    ...Object.fromEntries(Object.keys(TARGETS).map((profile) => [profile, run(profile)])),
  }
  let world = benchWorld(DIMENSION, ACTIONS, rounds, 1)
  const short = world.slice(0, 64)
  for (let warm = 0; warm < 3; warm++) for (const play of Object.values(contestants)) play(short)
  const seconds = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]))
  // Interleaved, so that a slow moment of the machine hits all alike.
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    for (const [name, play] of Object.entries(contestants)) seconds[name].push(timed(() => play(world)))
  }
  const reference = median(seconds['LinUCB loop'])
  console.log(
    `Rounds per processor second, K = ${ACTIONS}, ${DIMENSION}-dimensional context, T = ${rounds}, median of ${REPEATS} (Node ${process.version})`,
  )
  for (const [name, values] of Object.entries(seconds)) {
    const time = median(values)
    const rate = Math.round(rounds / time).toLocaleString('en')
    const target = TARGETS[name] === undefined || quick ? '' : `   (target: ${TARGETS[name]}x)`
    console.log(
      `  ${name.padEnd(12)} ${rate.padStart(12)}   ${(reference / time).toFixed(2)}x the LinUCB loop${target}`,
    )
  }
  console.log(`  ${memory().toFixed(0)} MB at most, the world included${quick ? '' : ' (target: under 400 MB)'}`)
  if (quick) return
  world = benchWorld(DIMENSION, ACTIONS, 2 ** GROWTH.at(-1), 2)
  console.log(`  cost of a run from 2^${GROWTH[0]} to 2^${GROWTH.at(-1)} rounds (target: exponent below 1.05)`)
  for (const name of Object.keys(TARGETS)) {
    const points = GROWTH.map((power) => {
      const blocks = world.slice(0, 2 ** power / 4096)
      return [
        2 ** power,
        median(Array.from({ length: power < 18 ? 3 : 1 }, () => timed(() => contestants[name](blocks)))),
      ]
    })
    console.log(`    ${name.padEnd(12)} T^${exponent(points).toFixed(3)}`)
  }
}
