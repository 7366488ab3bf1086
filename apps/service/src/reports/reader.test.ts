// Long reads beside decisions: in a thread of their own, as far as their client reads, limited by key, ended with the client.

import { type ClientRequest, type IncomingMessage, request as send } from 'node:http'
import { logBytes } from '@primo/lab/log'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { newKey, parseKeys } from '../../dist/http/keys.js'
import { exportHeader, exportRows } from '../../dist/reports/export-log.js'
import { openDatabase } from '../../dist/store/sqlite/database.js'
import { type Running, running, smallProblem } from '../running.fixture.js'

const [first, second] = [newKey('admin'), newKey('read')]
let service: Running
const asFirst = { authorization: `Bearer ${first.secret}` }

/** More than sockets hold, so that an export that nobody reads is not done. */
beforeAll(async () => {
  service = await running({ keys: parseKeys(`${first.entry} ${second.entry}`) })
  const definition = smallProblem({
    context: {
      x: { type: 'number', min: 0, max: 1 },
      ...Object.fromEntries(
        ['a', 'b', 'c', 'd', 'e'].map((name) => [name, { type: 'category', levels: ['none'], other: true }]),
      ),
    } as ReturnType<typeof smallProblem>['context'],
  })
  await service.call('PUT', '/v1/problems/p', definition, asFirst)
  const text = 'long '.repeat(200)
  const context = { x: 0.5, a: text, b: text, c: text, d: text, e: text }
  for (let k = 0; k < 6; k++) {
    const decisions = Array.from({ length: 600 }, () => ({ context }))
    const made = await service.call<{ results: { decisionId: string }[] }>(
      'POST',
      '/v1/problems/p/decisions/batch',
      { decisions },
      asFirst,
    )
    const rewards = made.body.results.map(({ decisionId }, j) => ({ id: decisionId, value: (j % 10) / 10 }))
    expect((await service.call('POST', '/v1/problems/p/rewards/batch', { rewards }, asFirst)).status).toBe(200)
  }
})

/** A call on a connection of its own. Its answer is not read unless the test does. */
async function begin(
  secret: string,
  path: string,
  body?: unknown,
): Promise<{ call: ClientRequest; reply: IncomingMessage }> {
  const call = send(`${service.service().url}/v1/problems/p/${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    agent: false,
  })
  onTestFinished(() => void call.destroy())
  call.on('error', () => undefined)
  call.end(body === undefined ? undefined : JSON.stringify(body))
  const reply = await new Promise<IncomingMessage>((resolve) => call.once('response', resolve))
  return { call, reply }
}

test.each(['jsonl', 'csv', 'parquet'] as const)(
  'an export as %s is the log, and the deciding thread reads none of it',
  async (format) => {
    const { store } = service.service()
    const row = (await store.problem('p'))!
    const expected: Uint8Array[] = []
    const decisions = store.allDecisions(row.id, row.version, 0)
    for await (const piece of logBytes(exportHeader(row), exportRows(row, decisions), format)) expected.push(piece)
    const readDecisions = Object.getOwnPropertyDescriptor(store, 'readDecisions')!
    onTestFinished(() => void Object.defineProperty(store, 'readDecisions', readDecisions))
    Object.defineProperty(store, 'readDecisions', {
      value: () => {
        throw new Error('read by the thread that decides')
      },
      configurable: true,
    })
    const reply = await fetch(`${service.service().url}/v1/problems/p/log?format=${format}`, { headers: asFirst })
    expect(Buffer.compare(Buffer.from(await reply.arrayBuffer()), Buffer.concat(expected))).toBe(0)
  },
)

test('a key has so many exports at once; another key has its own, and one that is abandoned makes room', async () => {
  const open = await Promise.all(Array.from({ length: 4 }, () => begin(first.secret, 'log')))
  expect(open.map(({ reply }) => reply.statusCode)).toEqual([200, 200, 200, 200])
  const refused = await service.call('GET', '/v1/problems/p/log', undefined, asFirst)
  expect(refused).toMatchObject({ status: 429, body: { code: 'too-many-reads' } })
  expect(refused.body.detail).toBe('at most 4 exports run at once for one key, and 4 do')
  expect((await begin(second.secret, 'log')).reply.statusCode).toBe(200)
  open[0]!.call.destroy()
  await expect.poll(async () => (await begin(first.secret, 'log')).reply.statusCode, { timeout: 10_000 }).toBe(200)
})

/** An evaluation that runs: one that was refused would be answered at once. */
async function beginLong(body: unknown): Promise<ClientRequest> {
  const call = send(`${service.service().url}/v1/problems/p/evaluations`, {
    method: 'POST',
    headers: { ...asFirst, 'content-type': 'application/json' },
  })
  call.on('error', () => undefined)
  call.end(JSON.stringify(body))
  const answered = new Promise<IncomingMessage>((resolve) => call.once('response', resolve))
  const reply = await Promise.race([answered, new Promise<null>((resolve) => setTimeout(() => resolve(null), 1000))])
  expect(reply).toBeNull()
  return call
}

test('an evaluation ends with its caller', async () => {
  // Minutes of work.
  const long = { policies: ['primo', 'primo-cal', 'robust'], replicates: 2000 }
  const call = await beginLong(long)
  const short = { policies: ['uniform'], replicates: 0, rows: 100 }
  const evaluate = async () => (await service.call('POST', '/v1/problems/p/evaluations', short, asFirst)).status
  expect(await evaluate()).toBe(429)
  call.destroy()
  await expect.poll(evaluate, { timeout: 20_000 }).toBe(200)
})

test('a record that is not what was written is said to be damaged', async () => {
  const db = openDatabase(`${service.folder}/primo.db`)
  db.exec(
    `update log set body = replace(body, 'long', 'lang') where seq = (select min(seq) from log where kind = 'decision')`,
  )
  db.close()
  for (const format of ['jsonl', 'csv', 'parquet'])
    expect(await service.call('GET', `/v1/problems/p/log?format=${format}`, undefined, asFirst)).toMatchObject({
      body: { code: 'store-damaged' },
    })
})
