// Two replicas on one PostgreSQL against the naive model: the sequences of model.test.ts, each call sent to a replica drawn with
// the sequence. 20 sequences in `npm test`, PRIMO_SEQUENCES=2000 for the whole.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PostgresServer, startPostgres } from '../../../test/postgres-server.mjs'
import { playSequences } from './model-sequences.js'
import { running, START } from './running.js'

const SEQUENCES = Number(process.env.PRIMO_SEQUENCES ?? 20)

let server: PostgresServer | undefined
let failure: unknown

beforeAll(async () => {
  try {
    server = await startPostgres()
  } catch (error) {
    failure = error
  }
  if (failure !== undefined && process.env.PRIMO_REQUIRE_POSTGRES !== undefined) throw failure
}, 60_000)
afterAll(async () => {
  await server?.stop()
}, 60_000)

test(`${SEQUENCES} random sequences over two replicas are answered as the naive model answers`, {
  timeout: 3_600_000,
}, async (context) => {
  if (server === undefined) return context.skip(`no PostgreSQL server could be started: ${String(failure)}`)
  const store = await server.createDatabase('model_replicas')
  const clock = { now: START }
  // Whoever leads, the other takes over soon after a restart.
  const storeOptions = { leaseLasts: 2, clock: () => clock.now }
  const replicas = [await running({ store, storeOptions }), await running({ store, storeOptions })]
  try {
    expect(await playSequences(replicas, clock, SEQUENCES)).toBeGreaterThanOrEqual(SEQUENCES)
  } finally {
    // Before the server of the database goes.
    for (const replica of replicas) await replica.close()
  }
})
