// Seeds of the simulation: some of everything, and some of each scenario in which a fault was found. `npm run simulate-faults` plays
// as many as it is asked for; PRIMO_SIMULATE says how many and from which on.

import { expect, test } from 'vitest'
import { type Kind, play, type Scenario } from './play.fixture.js'

const [SEEDS = 200, FROM = 1] = (process.env.PRIMO_SIMULATE ?? '').split(' ').filter(Boolean).map(Number)
const SAY_EVERY = 10_000
const ONE_DAY = 86_400_000

/** Throws with the seed and the schedule of the first that fails. */
async function playAll(from: number, count: number, scenario?: Scenario): Promise<void> {
  let said = performance.now()
  const began = said
  for (let seed = from; seed < from + count; seed++) {
    const { failures, trace } = await play(seed, scenario)
    if (failures.length > 0) throw new Error(`seed ${seed}: ${failures.join('\n')}\nschedule:\n${trace.join('\n')}`)
    if (performance.now() - said < SAY_EVERY && seed + 1 < from + count) continue
    said = performance.now()
    const played = seed + 1 - from
    if (count > SEEDS || count === SEEDS)
      console.log(`${played} seeds from ${from} on, ${Math.round((1000 * played) / (said - began))} per second`)
    // Other work of the test runner.
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const small = { replicas: 2, problems: ['p'], callers: 2, breaks: 0, deaths: 0, careless: false }
const kinds = (...given: Kind[]) => given

/** In each of them something was wrong once. */
const scenarios = {
  'a replica that starts beside a busy one refuses nothing': { ...small, calls: 8, deaths: 3, kinds: kinds('decide') },
  'a revoked key stays revoked': {
    ...small,
    calls: 6,
    kinds: kinds('addKey', 'rotateKey', 'revokeKey', 'useKey', 'watch'),
  },
  'a problem that was purged and defined again is another one': {
    ...small,
    calls: 8,
    kinds: kinds('decide', 'define', 'purge', 'purge'),
  },
  'a change is heard though the store was away for a moment': {
    ...small,
    calls: 5,
    breaks: 0.2,
    kinds: kinds('decide', 'freeze', 'unfreeze'),
  },
} satisfies Record<string, Scenario>

test(`${SEEDS} seeds of everything`, { timeout: ONE_DAY }, () => playAll(FROM, SEEDS))

test.each(Object.entries(scenarios))('%s', (_, scenario) => playAll(1, 100, scenario))

test.each([
  ['a replica that starts beside a busy one refuses nothing', /record \d+ is gone/],
  ['a revoked key stays revoked', /answers key key-\d+, which was revoked|was revoked, counts again/],
] as const)('the fault is found in a store that has it: %s', async (name, wrong) => {
  await expect(playAll(1, 300, { ...scenarios[name], careless: true })).rejects.toThrow(wrong)
})

test('a seed gives the same schedule again', async () => {
  const scenario = scenarios['a problem that was purged and defined again is another one']
  const traces = [await play(7, scenario), await play(7, scenario)].map(({ trace }) => trace)
  expect(traces[0]).toEqual(traces[1])
  expect(traces[0]!.length).toBeGreaterThan(50)
})
