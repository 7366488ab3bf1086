// A thread that runs worlds: takes a world, a seed and a number of rounds, sends the outcome back.

import { parentPort } from 'node:worker_threads'
import { runWorld } from './run-world.js'
import { worlds } from './worlds.js'

export interface WorldTask {
  /** Place in the list of worlds. */
  readonly world: number
  readonly seed: number
  readonly rounds: number
  /** Without peers; default false. */
  readonly alone?: boolean
}

parentPort?.on('message', ({ world, seed, rounds, alone }: WorldTask) => {
  parentPort!.postMessage(runWorld(worlds[world]!, seed, rounds, alone))
})
