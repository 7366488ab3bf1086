// Runs the shadow baselines of a problem in a thread: each policy on the same rounds, with the same delays and the same share of baseline
// play as the live service, and its regret round by round.

import { parentPort, workerData } from 'node:worker_threads'
import { createEnvironment, runPolicy, worldOf } from '@primo/lab'
import { BLOCK_ROUNDS } from '@primo/numeric'
import { type ShadowBaseline, type ShadowBaselineRun, type ShadowWork, shadowBaselines } from './shadow-baselines.js'

const { scenario, seed, rounds, holdout } = workerData as ShadowWork
const environment = createEnvironment(scenario)
const { problem } = environment
const world = [...worldOf(environment, seed, rounds)]
const { always, missing, best } = stream()

const regret = {} as Record<ShadowBaseline, Float64Array>
const floor = new Float64Array(rounds)
for (const name of Object.keys(shadowBaselines) as ShadowBaseline[]) {
  const { checkpoints } = runPolicy({ spec: shadowBaselines[name], problem, world, seed, every: 1 })
  const own = new Float64Array(rounds)
  checkpoints.forEach((mark, i) => {
    own[i] = (1 - holdout.share) * mark.regret + holdout.share * always[i]!
    floor[i] = mark.floor ?? floor[i]!
  })
  regret[name] = own
}
const run: ShadowBaselineRun = { rounds, regret, floor, missing, best }
parentPort!.postMessage(run)

/** Up to each round, the regret of always playing the holdout's action and how often the covariate was missing; and the root mean square of
 * z* - E[z* | x] on missing values, which no prediction from the context can beat. */
function stream(): { always: Float64Array; missing: Uint32Array; best: number } {
  const always = new Float64Array(rounds)
  const missing = new Uint32Array(rounds)
  const action = problem.actions.indexOf(holdout.action)
  let lost = 0
  let count = 0
  let squares = 0
  for (let index = 0; index * BLOCK_ROUNDS < rounds; index++) {
    environment.rows(seed, index, Math.min(BLOCK_ROUNDS, rounds - index * BLOCK_ROUNDS), (row) => {
      lost += Math.max(...row.means) - row.means[action]!
      if (!row.observed) {
        squares += (row.z - row.mean) ** 2
        count++
      }
      always[row.round] = lost
      missing[row.round] = count
    })
  }
  return { always, missing, best: Math.sqrt(squares / count) }
}
