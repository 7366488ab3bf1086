import { expect, test } from 'vitest'
import { play } from './play.fixture.js'

test('seeds', { timeout: 1e9 }, async () => {
  const from = Number(process.env.PRIMO_SEED ?? 1)
  const count = Number(process.env.PRIMO_SEEDS ?? 300)
  const found = new Map<string, number[]>()
  const began = performance.now()
  let tasks = 0
  for (let seed = from; seed < from + count; seed++) {
    const played = await play(seed)
    tasks += played.tasks
    if (played.failures.length > 0) {
      const head = played.failures[0]!.replace(/\d+/g, '#').slice(0, 150)
      found.set(head, [...(found.get(head) ?? []), seed])
      if (process.env.PRIMO_TRACE) console.log(played.trace.join('\n'), played.failures)
    }
    if (seed % 50 === 0) await new Promise((r) => setImmediate(r))
  }
  console.log(count / ((performance.now() - began) / 1000), 'seeds/s', tasks / count)
  for (const [head, seeds] of found) console.log(seeds.length, seeds.slice(0, 5).join(' '), head)
  expect(found.size).toBe(0)
})
