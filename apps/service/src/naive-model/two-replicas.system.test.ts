// Two replicas on one PostgreSQL against the naive model: the sequences of one-service.test.ts, each call sent to a replica drawn with
// the sequence. 8 sequences in `npm test`, PRIMO_SEQUENCES=2000 for the whole.

import { expect, test } from 'vitest'
import { postgresInTests } from '../../../../test/postgres-in-tests.mjs'
import { running, START } from '../running.fixture.js'
import { playSequences } from './play-sequences.fixture.js'

const SEQUENCES = Number(process.env.PRIMO_SEQUENCES ?? 8)

const newDatabase = postgresInTests()

test(`${SEQUENCES} random sequences over two replicas are answered as the naive model answers`, {
  timeout: 3_600_000,
}, async (context) => {
  const store = await newDatabase(context, 'model_replicas')
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
