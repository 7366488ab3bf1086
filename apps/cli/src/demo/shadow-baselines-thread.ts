// Runs the shadow baselines of a problem in a thread: each policy on the same rounds, with its regret round by round.

import { parentPort, workerData } from 'node:worker_threads'
import {
  createEnvironment,
  type EpochRow,
  policyByName,
  runPolicy,
  type ScenarioSpec,
  settingOf,
  worldOf,
} from '@primo/lab'
import { BLOCK_ROUNDS } from '@primo/numeric'
import { type ShadowBaselineRun, shadowBaselineNames } from './shadow-baselines.js'

interface Work {
  readonly scenario: ScenarioSpec
  readonly seed: number
  readonly rounds: number
}

const { scenario, seed, rounds } = workerData as Work
const environment = createEnvironment(scenario)
const setting = settingOf(environment)
const world = [...worldOf(environment, seed, rounds)]

const regret: Record<string, Float64Array> = {}
const floor = new Float64Array(rounds)
let epochs: readonly EpochRow[] = []
for (const name of shadowBaselineNames) {
  const row = runPolicy({ spec: policyByName(name, setting), problem: environment.problem, world, seed, every: 1 })
  regret[name] = Float64Array.from(row.checkpoints, (mark) => mark.regret)
  if (name !== 'primo-cal') continue
  row.checkpoints.forEach((mark, i) => {
    floor[i] = mark.floor ?? 0
  })
  epochs = row.epochs
}
const run: ShadowBaselineRun = {
  rounds,
  regret,
  floor,
  errors: epochs.flatMap(({ epoch, rounds: end, imputationError, pretrainedError }) =>
    imputationError === null || pretrainedError === null
      ? []
      : [{ epoch, rounds: end, pretrained: pretrainedError, calibrated: imputationError }],
  ),
  best: bestError(),
}
parentPort!.postMessage(run, [
  floor.buffer as ArrayBuffer,
  ...shadowBaselineNames.map((name) => regret[name]!.buffer as ArrayBuffer),
])

/** Root mean square of z* - E[z* | x] on missing values: what no prediction from the context can beat. */
function bestError(): number {
  let sum = 0
  let count = 0
  for (let index = 0; index * BLOCK_ROUNDS < rounds; index++) {
    environment.rows(seed, index, Math.min(BLOCK_ROUNDS, rounds - index * BLOCK_ROUNDS), (row) => {
      if (row.observed) return
      sum += (row.z - row.mean) ** 2
      count++
    })
  }
  return Math.sqrt(sum / count)
}
