// Replies of decisions: as short as the caller asks, and no larger than a limit that is known before anything is decided.

import type { DecisionBatchReply, DecisionExplained, DecisionReply } from '@primo/contract'
import { expect, test } from 'vitest'
import { running, smallProblem } from '../running.fixture.js'

const awkward = ['a"],"b', 'b,"ranking":[', '}{', 'c\\', 'plain']

test('the ranking is shortened or left out; the log and a repeated event keep all of it', async () => {
  const service = await running()
  await service.ok('PUT', '/v1/problems/p', smallProblem({ actions: awkward }))
  const body = (k: number) => ({ eventId: `e${k}`, context: { x: 0.5 } })
  for (const [k, most] of [0, 1, 3, 5, 1000].entries()) {
    const path = `/v1/problems/p/decisions`
    const short = await service.ok<DecisionReply>('POST', `${path}?ranking=${most}`, body(k))
    const whole = await service.ok<DecisionReply>('POST', path, body(k))
    expect(whole.ranking.map(({ action }) => action).sort()).toEqual([...awkward].sort())
    expect(short).toEqual({ ...whole, ranking: whole.ranking.slice(0, most) })
    const batch = { decisions: [body(k), { context: {} }, { context: { x: 1 } }] }
    const { results } = await service.ok<DecisionBatchReply>('POST', `${path}/batch?ranking=${most}`, batch)
    expect(results[0]).toEqual(short)
    expect(results[1]).toMatchObject({ error: { code: 'missing-feature' } })
    expect((results[2] as DecisionReply).ranking).toHaveLength(Math.min(most, awkward.length))
    expect((await service.ok<DecisionExplained>('GET', `${path}/e${k}`)).reply).toEqual(whole)
  }
  for (const wrong of ['-1', '1.5', 'all', '', '10000'])
    expect((await service.call('POST', `/v1/problems/p/decisions?ranking=${wrong}`, body(0))).status).toBe(400)
})

test('a batch that asks for too much is refused before anything is decided, and told how many fit', async () => {
  const service = await running()
  const actions = Array.from({ length: 1000 }, (_, k) => `${k} `.padEnd(200, 'long '))
  await service.ok('PUT', '/v1/problems/p', smallProblem({ actions }))
  const batch = (count: number) => ({ decisions: Array.from({ length: count }, () => ({ context: { x: 0.5 } })) })
  const refused = await service.call('POST', '/v1/problems/p/decisions/batch?ranking=0', batch(1000))
  expect(refused).toMatchObject({ status: 413, body: { code: 'too-large' } })
  expect(refused.body.detail).toMatch(/^1000 decisions make up to \d+ MB of records, more than the limit of 32 MB/)
  expect((await service.summary('p')).decisions).toBe(0)
  const most = Number(/send at most (\d+) at a time$/.exec(refused.body.detail)![1])
  const fits = await service.call<DecisionBatchReply>('POST', '/v1/problems/p/decisions/batch', batch(most))
  expect(fits.status).toBe(200)
  expect(Buffer.byteLength(fits.text)).toBeLessThan(32e6)
  expect(Buffer.byteLength(fits.text)).toBeGreaterThan(24e6)
  expect((await service.call('POST', '/v1/problems/p/decisions/batch', batch(most + 1))).status).toBe(413)
})
