// Reports while the service is away, against the real one: killed, and started again.

import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createClient } from './client.js'
import { createOutbox, type Report } from './outbox.js'
import { problem, startedService } from './started-service.fixture.js'

const request = { context: { x: 0.5 }, covariates: { z: null } }
const NOWHERE = 'http://127.0.0.1:9'

describe('a service that is killed and started again', async () => {
  const service = await startedService()
  const client = createClient({ url: service.url, backoff: 20 })
  await client.define('p', problem)
  const decide = () => client.decide('p', request, { default: 'a', deadline: 10_000 })

  test('gets every reward, one by one or in batches, and each counts once', async () => {
    await client.define('q', { ...problem, activation: 'explicit' })
    const inOrder = await client.decide('q', request, { default: 'a', deadline: 10_000 })
    const decided = await Promise.all(Array.from({ length: 80 }, decide))
    expect(decided.map(({ from }) => from)).not.toContain('default')
    const batcher = createClient({ url: service.url, backoff: 20, batch: true })
    const reward = ({ eventId }: { readonly eventId: string }, k: number) =>
      (k % 2 === 0 ? client : batcher).reward('p', eventId, 1)
    const first = decided.slice(0, 40).map(reward)
    await first[0]
    const killed = service.kill()
    const rest = decided.slice(40).map(reward)
    await killed
    const activated = client.activate('q', inOrder.eventId)
    const rewarded = client.reward('q', inOrder.eventId, 1)
    await service.startAgain()
    const told = await Promise.all([...first, ...rest])
    expect(told.filter(({ status }) => status !== 'accepted' && status !== 'duplicate')).toEqual([])
    expect(await Promise.all([activated, rewarded])).toMatchObject([{ status: 'accepted' }, { status: 'accepted' }])
    expect([await client.settled(), await batcher.settled()]).toEqual([0, 0])
    const explained = await Promise.all(decided.map(({ eventId }) => client.explain('p', eventId)))
    expect(explained.filter((one) => one.reward !== 1 || one.rewards.length !== 1)).toEqual([])
  })

  test('hears nothing of the reward of a played default, and answers another program quietly', async () => {
    await service.kill()
    const decided = await client.decide('p', request, { default: 'b', deadline: 200 })
    expect(decided).toMatchObject({ from: 'default', action: 'b' })
    expect(await client.reward('p', decided.eventId, 1)).toEqual({ decisionId: decided.eventId, status: 'inactive' })
    expect(await client.reveal('p', decided.eventId, { z: 0.3 })).toMatchObject({ status: 'inactive' })
    await service.startAgain()
    expect(await client.settled()).toBe(0)
    const other = createClient({ url: service.url })
    expect(await other.reward('p', decided.eventId, 1)).toMatchObject({ status: 'inactive' })
    expect(await other.reveal('p', decided.eventId, { z: 0.3 })).toMatchObject({ status: 'inactive' })
    const refused = await client.decide('p', { context: { x: 7 } }, { default: 'a', deadline: 5000 })
    expect(await client.reward('p', refused.eventId, 1)).toMatchObject({ status: 'inactive' })
  })
})

describe('a service that stays away', () => {
  test('is waited for within limits', async () => {
    const lost: [string, string][] = []
    const onLost = ({ decision }: Report, { message }: Error) => void lost.push([decision, message])
    const client = createClient({ url: NOWHERE, backoff: 5, reports: { keepFor: 200, keepAtMost: 2, onLost } })
    const given = [client.reward('p', '1', 1), client.reward('p', '2', 1)]
    await expect(client.reward('p', '3', 1)).rejects.toThrow('2 reports wait for the service, no more are kept')
    for (const one of given) await expect(one).rejects.toMatchObject({ code: 'unreachable' })
    expect(lost.map(([decision]) => decision)).toEqual(['3', '1', '2'])
    expect(await client.settled()).toBe(0)
  })

  test('is tried by one report at a time', async () => {
    let tries = 0
    const away = createServer((_, response) => {
      tries++
      response.writeHead(503, { 'content-type': 'application/problem+json' })
      response.end(JSON.stringify({ code: 'overloaded', detail: 'later', status: 503 }))
    })
    await new Promise<void>((resolve) => away.listen(0, '127.0.0.1', resolve))
    const url = `http://127.0.0.1:${(away.address() as AddressInfo).port}`
    const client = createClient({ url, backoff: 50, reports: { keepFor: 600 } })
    for (let k = 0; k < 200; k++) void client.reward('p', String(k), 1)
    expect(await client.settled(2000)).toBe(0)
    // Eight at first; then waits of at least 25, 50, 100, 200 and 400 ms.
    expect(tries).toBeLessThanOrEqual(8 + 6)
    expect(tries).toBeGreaterThan(8)
    away.closeAllConnections()
    away.close()
  })

  test('does not keep a program alive, unless it asks to wait', async () => {
    const run = async (program: string) => {
      const index = join(import.meta.dirname, '../dist/index.js')
      const whole = `import { createClient } from ${JSON.stringify(index)}
        const client = createClient({ url: '${NOWHERE}' })
        void client.reward('p', 'e', 1)
        await client.decide('p', { context: {} }, { default: 'a', deadline: 50 })
        ${program}`
      const begun = Date.now()
      const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', whole], {
        timeout: 60_000,
      })
      return { stdout, took: Date.now() - begun }
    }
    // A reward and a void.
    expect((await run("console.log('the end')")).stdout).toBe('the end\n')
    const waited = await run('console.log(await client.settled(1500))')
    expect(waited.stdout).toBe('2\n')
    expect(waited.took).toBeGreaterThan(1500)
  })
})

test('a spool that is slow does not let more in, and uploads in it are left to others', async () => {
  const report = (id: string, call: Report['call'] = 'reward'): Report => ({
    id,
    call,
    problem: 'p',
    decision: id,
    body: {},
    since: Date.now(),
  })
  const sent: string[] = []
  const outbox = createOutbox<void>({
    spool: {
      kept: async () => [report('upload', 'upload')],
      add: () => new Promise((resolve) => setTimeout(resolve, 20)),
      remove: async () => undefined,
    },
    keepAtMost: 2,
    width: 1,
    backoff: 1,
    send: async ({ id }) => void sent.push(id),
  })
  const taken = await Promise.allSettled(['1', '2', '3', '4'].map((id) => outbox.add(report(id))))
  expect(taken.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected'])
  expect(await outbox.settled()).toBe(0)
  expect(sent).toEqual(['1', '2'])
})

test('calls share connections', async () => {
  let connections = 0
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end('{"decisionId":"d","status":"accepted"}')
  })
  server.on('connection', () => connections++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const client = createClient({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
  for (let k = 0; k < 30; k++) await client.reward('p', String(k), 1)
  expect(connections).toBeLessThan(4)
  server.closeAllConnections()
  server.close()
})
