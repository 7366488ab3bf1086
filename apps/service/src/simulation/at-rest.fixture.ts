// When all calls are answered, no fault is left and every replica runs: the store holds what was acknowledged, once, and
// every replica decides every problem as the store has it.

import type { ProblemDefinition } from '@primo/contract'
import { givenRequest } from '../codec/codec.js'
import type { ProblemRow } from '../ledger/book.js'
import { entryChecksum } from '../ledger/checksums.js'
import type { LogEntry } from '../ledger/facts.js'
import type { StoredProblem } from '../ledger/raw-store.js'
import { ServiceError } from '../ledger/service-error.js'
import { wholeProblem } from '../ledger/store-damaged.js'
import { call, type Game } from './play.fixture.js'
import type { Replica } from './replica.fixture.js'
import { QUICK } from './world.fixture.js'

/** Milliseconds in which replicas hear of everything and fits are done. */
const REST = 1000 + 8 * QUICK
const PATIENCE = 60_000

export async function checkAtRest(game: Game): Promise<void> {
  const { world, network, promises, replicas } = game
  const { tables } = network.database
  const rows = () => [...tables().problems.values()].map(wholeProblem)
  const waits = () => rows().some(({ retired, book }) => retired === null && book.ending !== null)
  for (const end = world.now() + PATIENCE; ; ) {
    const waited = waits()
    await world.pause(REST)
    if (!waited && !waits()) break
    if (world.now() > end) return world.fail(`nobody learns: ${JSON.stringify(rows().map(({ book }) => book))}`)
  }
  // A key that a replica has just heard of is looked up by its streams within a second.
  await world.pause(REST)
  for (const replica of replicas) promises.checkStreams(replica!)
  for (const [k, replica] of replicas.entries()) await checkReplica(game, replica!, k)
  promises.checkStoredKeys(tables().keys)
  const logs = [...tables().log.values(), ...tables().buried]
  for (const stored of tables().problems.values()) checkProblem(game, stored, tables().log.get(stored.id) ?? [])
  for (const log of logs) checkDecisions(game, log)
  const records = logs.flat().map(({ kind, body }) => ({ kind, ...JSON.parse(body) }))
  for (const { problem, id } of promises.decisions)
    if (!records.some((record) => record.kind === 'decision' && record.id === id))
      world.fail(`decision ${id} of "${problem}" was acknowledged and is gone`)
  for (const id of promises.rewards) {
    const count = records.filter(({ rewardId }) => rewardId === id).length
    if (count !== 1) world.fail(`reward ${id} was acknowledged and is there ${count} times`)
  }
}

/** It decides everything as the store has it. */
async function checkReplica(game: Game, replica: Replica, k: number): Promise<void> {
  const { world, network, promises } = game
  const { host, keys, process } = replica
  const { problems, keys: stored } = network.database.tables()
  const damage = host.store.damage()
  if (damage.length > 0) world.fail(`${process.name} refuses a healthy problem: ${JSON.stringify(damage)}`)
  promises.checkKeys(replica, true)
  const list = JSON.stringify(keys.list())
  if (list !== JSON.stringify([...stored.values()])) world.fail(`${process.name} has other keys: ${list}`)
  for (const wanted of [...problems.values()].map(wholeProblem)) {
    const { name, retired } = wanted
    if (retired !== null) continue
    const got = await host.problem(name)
    if (versionOf(got.row) !== versionOf(wanted))
      world.fail(`${process.name} has "${name}" as ${versionOf(got.row)}, the store as ${versionOf(wanted)}`)
    const request = givenRequest({ context: { x: 0.5 } })
    const [decided] = await call(game, `decide ${name} at rest`, () => host.decide(name, [request]), k)
    if (decided instanceof ServiceError) world.fail(`${process.name} does not decide "${name}": ${decided.message}`)
  }
}

const versionOf = ({ id, version, revision, book }: ProblemRow) => `${id}/${version}/${revision}/${book.policy}`

/** The book agrees with the log, and the log has every number once. */
function checkProblem({ world }: Game, stored: StoredProblem, log: readonly LogEntry[]): void {
  const { name, book, sums } = wholeProblem(stored)
  if (log.some(({ seq }, k) => seq !== k + 1) || book.seq !== log.length)
    world.fail(`the log of "${name}" has records ${log.map(({ seq }) => seq)}, its book ends with ${book.seq}`)
  if (log.reduce((sum, entry) => (sum + entryChecksum(entry)) | 0, 0) !== sums.log)
    world.fail(`the sum of the log of "${name}" is another`)
}

/** Each event is decided once, and each decision fits the definition that the log has before it. */
function checkDecisions({ world }: Game, log: readonly LogEntry[]): void {
  let current: ProblemDefinition | null = null
  const events = new Set<string>()
  for (const { kind, body, seq } of log) {
    const record = JSON.parse(body)
    if (kind === 'problem') current = record.definition
    if (kind !== 'decision') continue
    const { eventId, reply } = record
    if (eventId !== null && events.has(eventId)) world.fail(`event ${eventId} was decided twice`)
    events.add(eventId)
    const { actions, guards } = current!
    const fits = guards!.kill === true ? reply.action === guards!.baseline : actions.includes(reply.action)
    const all = reply.ranking.length === actions.length
    if (!fits || !all) world.fail(`record ${seq} was decided by another definition: ${JSON.stringify(reply)}`)
  }
}
