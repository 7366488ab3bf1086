// One seed: replicas, callers and faults are drawn, the calls are made, and at the end everything must be as it was acknowledged.

import type { ProblemDefinition } from '@primo/contract'
import { PrimoError } from '@primo/numeric'
import { givenRequest } from '../codec/codec.js'
import { ServiceError } from '../ledger/service-error.js'
import { checkAtRest } from './at-rest.fixture.js'
import { createDatabase } from './database.fixture.js'
import { createPromises, type Promises } from './promises.fixture.js'
import { EPOCH, type Replica, startReplica } from './replica.fixture.js'
import type { Network } from './store.fixture.js'
import { createWorld, type World, withVirtualTime } from './world.fixture.js'

/** Limits what a seed may draw. */
export interface Scenario {
  readonly replicas: number
  readonly problems: readonly string[]
  readonly callers: number
  readonly calls: number
  /** How likely a statement or a message finds its connection broken. */
  readonly breaks: number
  /** How often a process or the database dies. */
  readonly deaths: number
  readonly careless: boolean
  readonly kinds: readonly Kind[]
}

export type Kind = keyof typeof CALLS

export interface Played {
  readonly failures: readonly string[]
  readonly trace: readonly string[]
  readonly tasks: number
}

/** All that callers of a seed share. */
export interface Game {
  readonly world: World
  readonly network: Network
  readonly scenario: Scenario
  readonly promises: Promises
  /** null: it is dead or starts. */
  readonly replicas: (Replica | null)[]
  /** Numbers for events, rewards, keys and definitions. */
  readonly next: () => number
}

/** What callers may be told while others change things. */
const TOLD = [
  'overloaded',
  'unknown-problem',
  'problem-retired',
  'problem-changed',
  'problem-active',
  'store-unavailable',
  'key-conflict',
  'unknown-key',
  'unknown-decision',
  'invalid-request',
]

export function drawScenario(seed: number): Scenario {
  const { chance, below, one } = createWorld(seed ^ 0x5bd1e995)
  return {
    replicas: chance(0.15) ? 3 : 2,
    problems: chance(0.2) ? ['p', 'q'] : ['p'],
    callers: chance(0.8) ? 2 : 3,
    calls: 2 + below(5),
    breaks: chance(0.5) ? 0 : 0.04,
    deaths: Math.max(0, below(4) - 1),
    careless: false,
    // Some kinds only: with all of them each would come once.
    kinds: Array.from({ length: 2 + below(4) }, () => one(Object.keys(CALLS) as Kind[])),
  }
}

export async function play(seed: number, scenario = drawScenario(seed)): Promise<Played> {
  const world = createWorld(seed)
  const { breaks, careless } = scenario
  const network: Network = { world, database: createDatabase(), breaks, careless, listeners: new Map() }
  let numbers = 0
  const game: Game = {
    world,
    network,
    scenario,
    promises: createPromises(network),
    replicas: Array.from({ length: scenario.replicas }, () => null),
    next: () => ++numbers,
  }
  await withVirtualTime(world, () => world.run(whole(game)))
  const { failures, trace, tasks } = world
  return { failures, trace, tasks: tasks() }
}

async function whole(game: Game): Promise<void> {
  const { world, network, scenario, replicas } = game
  const started = replicas.map((_, k) => keepAlive(game, k, world.below(2) * world.below(400)))
  await started[0]
  for (const problem of scenario.problems)
    if (world.chance(0.8)) await CALLS.define(game, problem).catch(() => undefined)
  const callers = Array.from({ length: scenario.callers }, () => caller(game))
  await Promise.all([...callers, faults(game)])
  network.breaks = 0
  world.calm()
  await Promise.all(started)
  while (replicas.includes(null)) await world.pause(100)
  await checkAtRest(game)
}

/** Starts a replica, again where it fails. */
async function keepAlive(game: Game, k: number, after: number): Promise<void> {
  const { world, network, replicas, next } = game
  await world.pause(after)
  for (;;) {
    const started = await startReplica(network, `replica ${k}, start ${next()}`).catch((error: unknown) => {
      judge(game, error)
      return null
    })
    replicas[k] = started
    if (started !== null) return
    await world.pause(100)
  }
}

async function faults(game: Game): Promise<void> {
  const { world, network, scenario, replicas } = game
  for (let death = 0; death < scenario.deaths; death++) {
    await world.pause(world.below(400))
    const k = world.below(replicas.length)
    if (world.chance(0.2)) {
      world.note('the database crashes')
      network.database.crash()
    } else if (replicas[k] != null) {
      world.note(`${replicas[k].process.name} dies`)
      world.kill(replicas[k].process)
      replicas[k] = null
      await keepAlive(game, k, world.below(300))
    }
  }
}

async function caller(game: Game): Promise<void> {
  const { world, scenario } = game
  for (let k = 0; k < scenario.calls; k++) {
    if (world.chance(0.3)) await world.pause(world.below(200))
    await CALLS[world.one(scenario.kinds)](game, world.one(scenario.problems)).catch((error: unknown) =>
      judge(game, error),
    )
  }
}

class Lost extends Error {}

/** Anything but what a caller may be told is a failure. */
function judge({ world }: Game, error: unknown): void {
  if (error instanceof Lost) return
  const known = error instanceof ServiceError || error instanceof PrimoError
  if (known && TOLD.includes(error.code)) return
  world.fail(error instanceof Error ? (error.stack ?? error.message) : String(error))
}

/** A call to a replica over the network, which may lose it or the answer. */
export function call<T>(game: Game, what: string, act: (replica: Replica) => Promise<T>, k?: number): Promise<T> {
  const { world, network, replicas } = game
  const replica = k === undefined ? world.one(replicas) : replicas[k]
  return new Promise((resolve, reject) => {
    if (replica == null) return world.message('', null, () => reject(new Lost()))
    const { process } = replica
    const cut = () => void world.message('is told of a broken connection', null, () => reject(new Lost()))
    process.connections.add(cut)
    const answer = (settle: () => void) => {
      process.connections.delete(cut)
      if (world.chance(network.breaks)) cut()
      else world.message(`has an answer to ${what}`, null, settle)
    }
    world.message(`gets ${what}`, process, () =>
      act(replica).then(
        (value) => answer(() => resolve(value)),
        (error: unknown) => answer(() => reject(error)),
      ),
    )
  })
}

/** No two are alike: decisions show by which one they were made. */
function definition({ world, next }: Game): ProblemDefinition {
  const number = next()
  const actions = ['a', 'b', `only-${number}`]
  return {
    context: { x: { type: 'number', min: 0, max: 1 } },
    covariates: { z: { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } } },
    actions: world.chance(0.5) ? actions : actions.slice(0, 2),
    reward: { min: 0, max: 1 },
    learning: { seed: number, schedule: { kind: 'fixed', length: EPOCH, counted: 'closed' } },
    guards: { baseline: world.one(['a', 'b']), kill: world.chance(0.5) },
  } as ProblemDefinition
}

const operate = (operation: 'freeze' | 'unfreeze' | 'retire') => (game: Game, problem: string) =>
  call(game, `${operation} ${problem}`, ({ host }) => host.settle({ kind: 'operate', problem, operation }))

export const CALLS = {
  decide: async (game: Game, problem: string): Promise<void> => {
    const { world, promises, next } = game
    const event = promises.event(world.chance(0.4) ? null : next())
    const request = givenRequest({ context: { x: (event % 7) / 7 }, eventId: `e${event}` })
    const decided = await call(game, `decide ${problem} e${event}`, ({ host }) => host.decide(problem, [request]))
    if (decided[0] instanceof ServiceError) throw decided[0]
    promises.decided(problem, JSON.parse(String(decided[0])).decisionId)
  },
  reward: async (game: Game) => {
    const given = game.promises.decision()
    if (given === null) return CALLS.decide(game, 'p')
    const { problem, id } = given
    const rewardId = `r${game.next()}`
    const command = { kind: 'reward', problem, ref: id, value: 1, rewardId } as const
    const outcome = await call(game, `a reward of ${problem}`, ({ host }) => host.settle(command))
    if ('status' in outcome && outcome.status === 'accepted') game.promises.rewarded(rewardId)
  },
  define: async (game: Game, problem: string) => {
    const given = definition(game)
    const renew = game.world.chance(0.7)
    await call(game, `define ${problem}`, ({ host }) => host.define(problem, given, renew))
  },
  freeze: operate('freeze'),
  unfreeze: operate('unfreeze'),
  purge: async (game: Game, problem: string) => {
    if (!game.world.chance(0.3)) return
    await operate('retire')(game, problem)
    await call(game, `purge ${problem}`, ({ host }) => host.purge(problem))
  },
  candidate: async (game: Game, problem: string) => {
    const learning = { ...definition(game).learning }
    await call(game, `candidate of ${problem}`, ({ host }) => host.candidates.set(problem, { learning }, null))
  },
  addKey: async (game: Game): Promise<void> => {
    const name = `key-${game.next()}`
    const made = await call(game, `make ${name}`, ({ keys }) =>
      keys.add({ name, role: 'admin', problems: null, expires: null }),
    )
    game.promises.secret(name, made.secret)
  },
  rotateKey: async (game: Game) => {
    const name = game.promises.key()
    if (name === null) return CALLS.addKey(game)
    const made = await call(game, `rotate ${name}`, ({ keys }) => keys.rotate(name, 0))
    game.promises.secret(name, made.secret)
  },
  revokeKey: async (game: Game) => {
    const name = game.promises.key()
    if (name === null) return CALLS.addKey(game)
    await call(game, `revoke ${name}`, async (replica) => {
      await replica.keys.revoke(name)
      game.promises.revoked(name, replica)
    })
  },
  watch: async (game: Game): Promise<void> => {
    const name = game.promises.key()
    if (name === null) return CALLS.addKey(game)
    await call(game, `a stream with ${name}`, async (replica) => game.promises.watched(name, replica))
  },
  useKey: async (game: Game) => void (await call(game, 'keys', async (replica) => game.promises.checkKeys(replica))),
}
