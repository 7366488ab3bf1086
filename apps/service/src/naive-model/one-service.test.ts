// The service on SQLite against the naive model: 40 sequences in `npm test`, PRIMO_SEQUENCES=2000 for the whole.

import { expect, test } from 'vitest'
import { running } from '../running.fixture.js'
import { playSequences } from './play-sequences.fixture.js'

const SEQUENCES = Number(process.env.PRIMO_SEQUENCES ?? 40)

test(`${SEQUENCES} random sequences of calls are answered as the naive model answers`, {
  timeout: 1_200_000,
}, async () => {
  const service = await running()
  expect(await playSequences([service], service.clock, SEQUENCES)).toBeGreaterThanOrEqual(SEQUENCES)
})
