// A replica in the simulation: the real host and key ring on the simulated store. Fits take virtual time and learn nothing.

import type { EpochState } from '@primo/core/engine'
import { initialState } from '@primo/core/engine'
import { type Host, startHost } from '../host/host.js'
import { type KeyRing, openKeyRing } from '../http/key-ring.js'
import type { LearnReply, LearnRequest, LookReply, LookRequest } from '../learning/learner-thread.js'
import { type Network, openSimulatedStore } from './store.fixture.js'
import type { Process, World } from './world.fixture.js'

/** Closed rounds in an epoch. */
export const EPOCH = 3

export interface Replica {
  readonly process: Process
  readonly host: Host
  readonly keys: KeyRing
}

const nothing = () => undefined
const events = { decided: nothing, replaced: nothing, fitted: nothing, fitFailed: nothing, changed: nothing }

/** Rejects where it cannot reach the store; the process is dead then. */
export function startReplica(network: Network, name: string): Promise<Replica> {
  const { world } = network
  const process: Process = { name, alive: true, connections: new Set() }
  return world.inside(process, async () => {
    try {
      const store = await openSimulatedStore(network, process)
      const keys = await openKeyRing(store, [], world.now)
      const host = await startHost({
        store,
        events,
        clock: world.now,
        tickEvery: 900,
        retryAfter: 300,
        nextTurn: () => new Promise((resolve) => setTimeout(resolve, 0)),
        fit: (request) => fit(world, request),
      })
      return { process, host, keys }
    } catch (error) {
      world.kill(process)
      throw error
    }
  })
}

async function fit(world: World, request: LearnRequest | LookRequest): Promise<LearnReply | LookReply> {
  await new Promise((resolve) => setTimeout(resolve, world.below(200)))
  if (world.chance(0.1)) return { error: 'a fit that fails' }
  const before = 'candidate' in request ? null : request.state
  const state: EpochState = before === null ? initialState(1) : JSON.parse(before)
  const version = 'candidate' in request ? request.policy : state.version + 1
  const epoch = state.epoch + 1
  const learnt = {
    version,
    cut: request.cut,
    state: JSON.stringify({ ...state, version, epoch }),
    report: 'null',
    software: '0',
    next: { epoch, quota: epoch * EPOCH, counted: 'closed' as const },
  }
  if (!('candidate' in request)) return { ...learnt, reading: 0, fitting: 0 }
  const gain = { low: 0.1, high: 0.2 }
  // Decisions from before the candidate say nothing of it.
  const better = request.cut > request.candidate.since && world.chance(0.7)
  return { rounds: 1, gain, learnt: better ? learnt : null, givenUp: null }
}
