// The decision kernel (scores, inverse gap weighting, draw) for K = 10 and 20 features next to the bare score loop, and
// whether it allocates: heap growth over a million decisions, without garbage collection in between where possible.

import { inverseGapWeighting } from '@primo/core/engine'
import { categorical, drawKey, drawOfRound, linearScores, seedKey } from '@primo/numeric'

const ACTIONS = 10
const FEATURES = 20
const ROWS = 1024
const DECISIONS = 1_000_000
const REPEATS = 7

export function benchKernel() {
  const theta = Float64Array.from({ length: ACTIONS * FEATURES }, (_, i) => Math.sin(i))
  const rows = Array.from({ length: ROWS }, (_, r) =>
    Float64Array.from({ length: FEATURES }, (_, k) => Math.cos(r * FEATURES + k)),
  )
  const scores = new Float64Array(ACTIONS)
  const propensities = new Float64Array(ACTIONS)
  const key = drawKey(seedKey(7))

  const bare = () => {
    let sum = 0
    for (let i = 0; i < DECISIONS; i++) {
      linearScores(theta, ACTIONS, rows[i % ROWS], FEATURES, scores)
      sum += scores[0]
    }
    return sum
  }
  const full = () => {
    let sum = 0
    for (let i = 0; i < DECISIONS; i++) {
      linearScores(theta, ACTIONS, rows[i % ROWS], FEATURES, scores)
      inverseGapWeighting(scores, ACTIONS, 50, propensities)
      sum += categorical(propensities, ACTIONS, drawOfRound(key, i))
    }
    return sum
  }
  bare()
  full()
  const times = { bare: [], full: [] }
  let growth = Infinity
  for (let repeat = 0; repeat < REPEATS; repeat++) {
    let start = performance.now()
    bare()
    times.bare.push(performance.now() - start)
    const before = process.memoryUsage().heapUsed
    start = performance.now()
    full()
    times.full.push(performance.now() - start)
    growth = Math.min(growth, process.memoryUsage().heapUsed - before)
  }
  const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)]
  const perDecision = (ms) => ((ms * 1e6) / DECISIONS).toFixed(0)
  console.log(
    `Decision kernel, K = ${ACTIONS}, ${FEATURES} features, median of ${REPEATS} x ${DECISIONS.toLocaleString('en')} decisions`,
  )
  console.log(`  bare score loop          ${perDecision(median(times.bare)).padStart(5)} ns`)
  console.log(
    `  scores, weights and draw ${perDecision(median(times.full)).padStart(5)} ns   ${(median(times.full) / median(times.bare)).toFixed(2)}x the bare loop`,
  )
  console.log(`  heap growth              ${(Math.max(0, growth) / DECISIONS).toFixed(3)} bytes per decision`)
}
