// Bad input: whatever is sent, the answer is never 5xx and one that the OpenAPI document has, and a refused call has changed nothing. What was accepted can be
// learnt from and read again. In `npm test` a share of the requests; PRIMO_REQUESTS=20000 for the whole. Beyond that the store is compared after
// one refused call in eight.

import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { replayProblem } from '../../dist/index.js'
import { dice } from '../dice.fixture.js'
import { type Document, undocumented } from '../documented.fixture.js'
import type { ProblemRow } from '../ledger/book.js'
import { type Running, running } from '../running.fixture.js'
import { hostileProblems, hostileRequest } from './hostile-requests.fixture.js'

const REQUESTS = Number(process.env.PRIMO_REQUESTS ?? 1500)
const COMPARED = REQUESTS > 20_000 ? 1 / 8 : 1
const FIRST_SEED = Number(process.env.PRIMO_SEED ?? 1)

test(`${REQUESTS} hostile requests: never 5xx, never a change by a refused call`, {
  timeout: 1_200_000 + 50 * REQUESTS,
}, async () => {
  const service = await running()
  for (const [name, definition] of Object.entries(hostileProblems()))
    await service.ok('PUT', `/v1/problems/${name}`, definition)
  const wrong = undocumented(service.service().server.swagger() as unknown as Document)
  const ids: string[] = []
  const counts = { accepted: 0, refused: 0 }
  const compare = dice(FIRST_SEED)
  let before = await everything(service)
  for (let seed = FIRST_SEED; seed < FIRST_SEED + REQUESTS; seed++) {
    const request = hostileRequest(seed, ids)
    const reply = await service.service().server.inject(request as { method: 'GET' })
    const told = () =>
      `seed ${seed}: ${JSON.stringify(request).slice(0, 1500)} -> ${reply.statusCode} ${reply.body.slice(0, 500)}`
    expect(reply.statusCode, told()).toBeLessThan(500)
    const { method, url: path } = request
    const type = String(reply.headers['content-type'])
    expect(wrong({ method, path, status: reply.statusCode, type, text: reply.body }), told()).toBeNull()
    if (reply.statusCode >= 400) {
      counts.refused++
      if (request.method !== 'HEAD') {
        expect(reply.headers['content-type'], told()).toContain('application/problem+json')
        expect(JSON.parse(reply.body), told()).toMatchObject({ status: reply.statusCode, code: expect.any(String) })
      }
      if (compare.chance(COMPARED)) expect(await everything(service), told()).toBe(before)
    } else {
      counts.accepted++
      if (request.method !== 'GET' && request.method !== 'HEAD') before = await settled(service)
      else if (compare.chance(COMPARED)) expect(await everything(service), told()).toBe(before)
      const id = /"decisionId":"(d[^"]+)"/.exec(reply.body)?.[1]
      if (id !== undefined && request.method === 'POST') {
        expect(reply.body, told()).not.toMatch(/"propensity":(null|-)/)
        if (ids.length < 200) ids.push(id)
      }
    }
  }
  // Both kinds must occur, or the test says nothing.
  expect(counts.accepted).toBeGreaterThan(REQUESTS / 20)
  expect(counts.refused).toBeGreaterThan(REQUESTS / 4)
  await service.restart()
  expect(await everything(service)).toBe(before)
  await learnsFromIt(service)
})

/** All problems with their books: a record more or less shows in it. */
async function everything({ service }: Running): Promise<string> {
  return JSON.stringify(await service().store.problems())
}

/** The same once what was accepted is learnt from: that is no change by the call that comes next. */
async function settled({ service }: Running): Promise<string> {
  const isLearning = ({ book, retired }: ProblemRow) => book.ending !== null && !book.frozen && retired === null
  for (let waits = 0; ; waits++) {
    const problems = await service().store.problems()
    if (waits === 400 || !problems.some(isLearning)) return JSON.stringify(problems)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

/** Ends the epoch of every problem that has closed rounds; its fit must succeed and its replay agree. */
async function learnsFromIt({ service, ok, learnt, summary }: Running): Promise<void> {
  const { store } = service()
  let fitted = 0
  for (const { name, book, definition, retired } of await store.problems()) {
    if (retired !== null) continue
    if (book.frozen) await ok('POST', `/v1/problems/${name}/unfreeze`)
    const actions = [...definition.actions, 'one more']
    // A smallest propensity that all of its actions can have may be too large for one more.
    const { minimumPropensity = 0 } = (definition.learning ?? {}) as { readonly minimumPropensity?: number }
    if (minimumPropensity * actions.length > 1) continue
    await ok('PUT', `/v1/problems/${name}`, { ...definition, actions })
    await learnt(name)
    expect((await summary(name)).learning, name).toMatchObject({ failures: 0, lastFailure: null })
    expect((await replayProblem(store, name)).different, name).toEqual([])
    if (book.closed > 0) fitted++
  }
  expect(fitted).toBeGreaterThan(0)
}

test('requests that are hardly HTTP do not end the service', async () => {
  const service = await running()
  await service.ok('PUT', '/v1/problems/p', hostileProblems().plain)
  const { port } = service.service().config
  const line = 'POST /v1/problems/p/decisions HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n'
  const parts = [
    'GARBAGE\r\n\r\n',
    `${line}Content-Type: application/json\r\nContent-Length: 5\r\n\r\n{}`,
    `${line}Content-Type: application/json\r\nContent-Length: -1\r\n\r\n{}`,
    `${line}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n`,
    `${line}Content-Type: application/json\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}`,
    `${line}X: ${'y'.repeat(100_000)}\r\n\r\n`,
    `${line}X\r\n\r\n`,
    'GET /v1/problems/%zz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    'GET http://[ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    '\u0000\u0001\u0002',
  ]
  const d = dice(5)
  const sent = [
    ...parts,
    ...Array.from({ length: 60 }, () =>
      d.one(parts).replace(/./g, (c) => (d.chance(0.01) ? d.one(['\r', ' ', '%', 'é', '0']) : c)),
    ),
  ]
  const replies = await Promise.all(sent.map((text) => raw(port, text)))
  for (const [k, reply] of replies.entries()) expect(reply, JSON.stringify(sent[k])).not.toMatch(/^HTTP\/1\.1 5/)
  expect((await service.summary('p')).decisions).toBe(0)
})

/** What comes back within a moment. */
function raw(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let got = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(text))
    socket.setTimeout(300, () => socket.destroy())
    socket.on('data', (data) => {
      got += data
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(got))
  })
}
