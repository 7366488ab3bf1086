// Streams of events and exports end with their key, with a client that reads nothing, and leave room for other keys.

import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import type { NewKeyReply } from '@primo/contract'
import { expect, onTestFinished, test } from 'vitest'
import type { ServiceOptions } from '../../dist/index.js'
import { running, smallProblem } from '../running.fixture.js'
import { bearer } from './keys.fixture.js'

const PATHS = ['/v1/problems/p/events', '/v1/events?problems=p', '/v1/problems/p/policy/events']

async function started(options: ServiceOptions = {}) {
  const service = await running(options)
  const { secret } = await service.ok<NewKeyReply>('POST', '/v1/keys', { name: 'ada', role: 'admin' })
  const admin = <T>(method: string, path: string, body?: unknown) => service.call<T>(method, path, body, bearer(secret))
  await admin('PUT', '/v1/problems/p', smallProblem())
  const make = async (name: string, more: object = {}) =>
    (await admin<NewKeyReply>('POST', '/v1/keys', { name, role: 'admin', ...more })).body.secret
  const open = async (path: string, key: string) => {
    const reply = await fetch(`${service.service().url}${path}`, { headers: bearer(key) })
    onTestFinished(() => reply.body?.cancel().catch(() => undefined))
    return reply
  }
  return { ...service, admin, make, open }
}

/** Reads the rest of a stream; returns its text. */
async function rest(reply: Response): Promise<string> {
  let text = ''
  for await (const piece of reply.body!.pipeThrough(new TextDecoderStream())) text += piece
  return text
}

test.each(PATHS)('%s ends when its key is revoked, expires or is rotated', { timeout: 20_000 }, async (path) => {
  const { admin, make, open, clock } = await started()
  const expires = clock.now + 60_000
  const keys = { gone: {}, turned: {}, late: { expires } }
  const streams = await Promise.all(
    Object.entries(keys).map(async ([name, more]) => open(path, await make(name, more))),
  )
  const [stays, ...ending] = [await open(path, await make('stays')), ...streams]
  await admin('DELETE', '/v1/keys/gone')
  await admin('POST', '/v1/keys/turned/rotate', {})
  clock.now = expires
  await admin('PUT', '/v1/problems/p', smallProblem({ guards: { floor: 0.1 } }))
  for (const reply of ending) {
    const text = await rest(reply)
    // The news of the change came after the key.
    expect(text.match(/"floor"|event: policy/g)).toBe(null)
  }
  const reader = stays!.body!.getReader()
  expect((await reader.read()).done).toBe(false)
  await reader.cancel()
})

/** Sends a request and never reads the answer. */
async function neverReads(url: string, path: string, key: string): Promise<Socket> {
  const { hostname, port } = new URL(url)
  const socket = connect({ host: hostname, port: Number(port) })
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  socket.pause()
  socket.write(`GET ${path} HTTP/1.1\r\nhost: ${hostname}\r\nauthorization: Bearer ${key}\r\n\r\n`)
  return socket
}

test('exports that nobody reads make room', { timeout: 60_000 }, async () => {
  const { admin, make, open, service } = await started({ stalledAfter: 300 })
  await admin('PUT', '/v1/problems/long', smallProblem({ actions: Array.from({ length: 300 }, (_, k) => `a${k}`) }))
  // More than the buffers of both ends hold.
  const decisions = Array.from({ length: 500 }, () => ({ context: { x: 0.5 } }))
  for (let k = 0; k < 8; k++) {
    expect((await admin('POST', '/v1/problems/long/decisions/batch', { decisions })).status).toBe(200)
  }
  const key = await make('slow')
  const path = '/v1/problems/long/log'
  for (let k = 0; k < 4; k++) await neverReads(service().url, path, key)
  const refused = async () => (await admin('GET', '/v1/problems')) && (await open(path, key)).status === 429
  await expect.poll(refused, { timeout: 10_000 }).toBe(true)
  await expect.poll(refused, { timeout: 20_000, interval: 100 }).toBe(false)
})

test('one key cannot take all streams', { timeout: 60_000 }, async () => {
  const { make, open } = await started()
  const [greedy, other] = [await make('greedy'), await make('other')]
  const statuses: number[] = []
  for (let k = 0; k < 200; k++) statuses.push((await open(PATHS[0]!, greedy)).status)
  expect(statuses.filter((status) => status === 200)).toHaveLength(100)
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
  expect((await open(PATHS[0]!, other)).status).toBe(200)
})
