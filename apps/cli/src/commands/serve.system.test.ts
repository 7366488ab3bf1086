// The command ends with a code and a sentence where it cannot serve, and stops as it says.

import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { postgresInTests } from '../../../../test/postgres-in-tests.mjs'

const newDatabase = postgresInTests()
const smallProblem = {
  context: { x: { type: 'number', min: 0, max: 1 } },
  covariates: { z: { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } } },
  actions: ['a', 'b'],
  reward: { min: 0, max: 1 },
}
const bin = join(import.meta.dirname, '../../bin/primo.js')

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'primo-serve-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function serve(more: readonly string[]) {
  const child = spawn(process.execPath, [bin, 'serve', ...more])
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (data) => {
    said += data
  })
  child.stderr.on('data', (data) => {
    said += data
  })
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  return { said: () => said, ended, child }
}

test('a port that is in use', { timeout: 60_000 }, async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  const { said, ended } = serve(['--store', `sqlite:${folder()}/p.db`, '--port', String(port)])
  expect(await ended).toBe(2)
  expect(said()).toContain(`--port must be free, got ${port}`)
})

test('a SQLite store that another process has open', { timeout: 60_000 }, async () => {
  const store = `sqlite:${folder()}/p.db`
  const first = serve(['--store', store, '--port', '0', '--json'])
  await expect.poll(first.said, { timeout: 30_000 }).toContain('"url"')
  const second = serve(['--store', store, '--port', '0'])
  expect(await second.ended).toBe(2)
  expect(second.said()).toContain('a SQLite store takes one process at a time')
})

test('several workers need PostgreSQL', { timeout: 60_000 }, async () => {
  const { said, ended } = serve(['--store', `sqlite:${folder()}/p.db`, '--port', '0', '--workers', '2'])
  expect(await ended).toBe(2)
  expect(said()).toContain('workers must be 1 with a SQLite store')
})

test('workers share a port and a store; one that dies is replaced', { timeout: 60_000 }, async (context) => {
  const store = await newDatabase(context, 'workers')
  const { said, ended, child } = serve([
    ...['--store', store, '--port', '0', '--json', '--log-level', 'silent', '--workers', '2'],
  ])
  await expect.poll(said, { timeout: 60_000 }).toContain('"url"')
  const { url } = JSON.parse(said()) as { url: string }
  // A connection each, so that they come to both.
  const send = async (method: string, path: string, body?: object) =>
    fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json', connection: 'close' },
      // A connection on its way to a worker that dies is not answered.
      signal: AbortSignal.timeout(5000),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  expect((await send('PUT', '/v1/problems/p', smallProblem)).status).toBe(201)
  const decide = async (eventId: string) => {
    const reply = await send('POST', '/v1/problems/p/decisions', { context: { x: 0.5 }, eventId })
    return ((await reply.json()) as { decisionId: string }).decisionId
  }
  const ids = await Promise.all(Array.from({ length: 12 }, (_, k) => decide(`e${k % 6}`)))
  expect(new Set(ids).size).toBe(6)
  const processOf = async () =>
    /^process_start_time_seconds (.*)$/m.exec(await (await send('GET', '/metrics')).text())![1]!
  const told = async () => new Set(await Promise.all(Array.from({ length: 8 }, processOf))).size
  expect(await told()).toBe(2)
  const [one] = execFileSync('pgrep', ['-P', String(child.pid)], { encoding: 'utf8' }).split('\n')
  process.kill(Number(one), 'SIGKILL')
  await expect.poll(told, { timeout: 30_000 }).toBe(2)
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
})

/** Serves a small problem. */
async function serving(...more: readonly string[]) {
  const { said, ended, child } = serve([
    ...['--store', `sqlite:${folder()}/p.db`, '--port', '0', '--json', '--log-level', 'silent', ...more],
  ])
  await expect.poll(said, { timeout: 60_000 }).toContain('"url"')
  const { url } = JSON.parse(said()) as { url: string }
  const send = (method: string, path: string, body: object) =>
    fetch(`${url}${path}`, { method, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })
  const defined = await send('PUT', '/v1/problems/p', smallProblem)
  expect(defined.ok, await defined.text()).toBe(true)
  const stop = async () => {
    const from = performance.now()
    child.kill('SIGTERM')
    return { code: await ended, milliseconds: performance.now() - from }
  }
  return { url, send, stop }
}

/** A decision whose body is half sent: a call under way. */
async function halfSent(url: string) {
  const { port } = new URL(url)
  const body = '{"context":{"x":0.5}}'
  const socket = connect(Number(port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let answer = ''
  socket.on('data', (data) => {
    answer += data
  })
  const ended = new Promise<string>((resolve) => socket.on('close', () => resolve(answer)))
  socket.on('error', () => undefined)
  socket.write(
    `POST /v1/problems/p/decisions HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body.slice(0, 9)}`,
  )
  // Long enough to arrive.
  await new Promise((resolve) => setTimeout(resolve, 300))
  return { finish: () => socket.write(body.slice(9)), ended }
}

test('idle, it stops within a second, whoever holds a connection or watches', { timeout: 120_000 }, async () => {
  const { url, stop } = await serving('--grace', '60000')
  const held = connect(Number(new URL(url).port), '127.0.0.1')
  onTestFinished(() => void held.destroy())
  const watching = await fetch(`${url}/v1/problems/p/events`)
  expect(watching.status).toBe(200)
  const { code, milliseconds } = await stop()
  expect(code).toBe(0)
  expect(milliseconds).toBeLessThan(1000)
})

test('a call under way is answered, others hear that it is stopping', { timeout: 120_000 }, async () => {
  const { url, send, stop } = await serving('--grace', '60000')
  const call = await halfSent(url)
  const stopped = stop()
  await expect.poll(async () => (await fetch(`${url}/readyz`)).status, { timeout: 30_000 }).toBe(503)
  const other = await send('POST', '/v1/problems/p/decisions', { context: { x: 0.5 } })
  expect(other.headers.get('content-type')).toContain('application/problem+json')
  expect(other.headers.get('connection')).toBe('close')
  expect(await other.json()).toMatchObject({ status: 503, code: 'shutting-down' })
  call.finish()
  expect(await call.ended).toMatch(/^HTTP\/1\.1 200[\s\S]*"action"/)
  expect((await stopped).code).toBe(0)
})

test('a call that does not end is cut when the grace is over', { timeout: 120_000 }, async () => {
  const { url, stop } = await serving('--grace', '700')
  const call = await halfSent(url)
  const { code, milliseconds } = await stop()
  expect([code, await call.ended]).toEqual([0, ''])
  expect(milliseconds).toBeGreaterThan(690)
  expect(milliseconds).toBeLessThan(700 + 1000)
})

test('busy clients: every call is answered or refused, and the service is gone within the grace', {
  timeout: 120_000,
}, async () => {
  const { send, stop } = await serving('--grace', '5000')
  const answers: number[] = []
  const client = async () => {
    for (;;) {
      const reply = await send('POST', '/v1/problems/p/decisions', { context: { x: 0.5 } }).catch(() => null)
      if (reply === null) return
      answers.push(reply.status)
      if (!reply.ok) return
      await reply.text()
    }
  }
  const clients = Array.from({ length: 16 }, client)
  await expect.poll(() => answers.length, { timeout: 60_000 }).toBeGreaterThan(200)
  const { code, milliseconds } = await stop()
  await Promise.all(clients)
  expect(code).toBe(0)
  expect(milliseconds).toBeLessThan(5000)
  expect(answers.every((status) => status === 200 || status === 503)).toBe(true)
})
