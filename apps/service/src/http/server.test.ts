// What is refused before a route is reached, and what is told to nobody.

import { spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { roles } from '../../dist/index.js'
import { running, smallProblem, temporaryFolder } from '../running.fixture.js'
import { bearer, keys, secrets } from './keys.fixture.js'

describe('limits and headers', async () => {
  const limited = await running({ bodyLimit: 2048, rateLimit: 30, keys })

  test('a body over the limit is 413', async () => {
    const big = { context: { x: 0.5 }, subject: 'x'.repeat(3000) }
    const answer = await limited.call('POST', '/v1/problems/p/decisions', big, bearer(secrets.decide.secret))
    expect(answer).toMatchObject({ status: 413, body: { code: 'too-large' } })
  })

  test('helmet headers are on every answer', async () => {
    for (const url of ['/livez', '/nothing', '/v1/problems']) {
      const { headers } = await limited.service().server.inject({ method: 'GET', url })
      expect(headers).toMatchObject({ 'x-content-type-options': 'nosniff', 'x-frame-options': 'SAMEORIGIN' })
      expect(headers['content-security-policy']).toContain("default-src 'self'")
      expect(headers['x-powered-by']).toBeUndefined()
    }
  })

  test('too many requests are 429 with Retry-After; guessing at keys gives no more of them', async () => {
    const statuses: number[] = []
    for (let k = 0; k < 40; k++) {
      const { statusCode, headers, body } = await limited.service().server.inject({
        method: 'GET',
        url: '/v1/problems',
        headers: bearer(`guess ${k}`),
      })
      statuses.push(statusCode)
      if (statusCode === 429) {
        expect(headers['retry-after']).toBeDefined()
        expect(JSON.parse(body)).toMatchObject({ code: 'rate-limited', status: 429 })
      }
    }
    expect(statuses.at(-1)).toBe(429)
    // Health is asked by what restarts the service.
    for (const path of ['/livez', '/readyz']) expect((await limited.call('GET', path)).status).toBe(200)
    // Somebody with a key has a limit of his own.
    expect((await limited.call('GET', '/v1/problems', undefined, bearer(secrets.read.secret))).status).toBe(200)
  })
})

test('a body that comes too slowly ends with the connection', async () => {
  const { service } = await running({ requestTimeout: 200 })
  const started = performance.now()
  const got = await new Promise<string>((resolve) => {
    let text = ''
    const head =
      'PUT /v1/problems/p HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'
    const socket = connect(service().config.port, '127.0.0.1', () => socket.write(head))
    socket.on('data', (data) => {
      text += data
    })
    socket.on('error', () => undefined)
    socket.on('close', () => resolve(text))
  })
  expect(got).toMatch(/^HTTP\/1\.1 408/)
  expect(performance.now() - started).toBeLessThan(10_000)
})

/** A service as a process of its own, which says where it listens. */
const CHILD = `
import { readConfig, startService } from '${pathToFileURL(join(import.meta.dirname, '../../dist/index.js'))}'
const service = await startService({ ...readConfig({}, process.env), tickEvery: 20 })
console.log('URL ' + service.url)
process.on('SIGTERM', () => service.close().then(() => process.exit(0)))
`

test('logs hold no secret and no context; replies no stack trace', async () => {
  const folder = temporaryFolder()
  writeFileSync(`${folder}/child.mjs`, CHILD)
  const child = spawn(process.execPath, [`${folder}/child.mjs`], {
    env: {
      PRIMO_STORE: `sqlite:${folder}/primo.db`,
      PRIMO_PORT: '0',
      PRIMO_LOG_LEVEL: 'debug',
      PRIMO_KEYS: roles.map((role) => secrets[role].entry).join(','),
    },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  child.stderr.on('data', (data) => {
    text += data
  })
  const url = await new Promise<string>((resolve) =>
    child.stdout.on('data', (data) => {
      text += data
      const found = /URL (\S+)/.exec(text)
      if (found !== null) resolve(found[1]!)
    }),
  )
  const send = (method: string, path: string, secret: string, body?: object) =>
    fetch(`${url}${path}`, {
      method,
      headers: { ...bearer(secret), ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).then((reply) => reply.text())
  const learning = { schedule: { kind: 'fixed', length: 2 } }
  await send('PUT', '/v1/problems/p', secrets.admin.secret, { ...smallProblem(), learning })
  for (let k = 0; k < 4; k++) {
    const reply = await send('POST', '/v1/problems/p/decisions', secrets.decide.secret, {
      context: { x: 0.123456789 },
      subject: 'Ada',
    })
    const { decisionId } = JSON.parse(reply)
    await send('POST', `/v1/problems/p/decisions/${decisionId}/reward`, secrets.reward.secret, { value: 0.987654321 })
  }
  const replies = [
    await send('POST', '/v1/problems/p/decisions', secrets.decide.secret, { context: { x: 77.7777 } }),
    await send('POST', '/v1/problems/p/decisions', 'primo_wrong_key', { context: { x: 0.5 } }),
    await send('GET', '/v1/problems/p/decisions/nobody', secrets.decide.secret),
  ]
  for (const reply of replies) expect(reply).not.toMatch(/ at .*\.js/)
  while (!text.includes('epoch ended')) await new Promise((resolve) => setTimeout(resolve, 20))
  const ended = new Promise((resolve) => child.on('exit', resolve))
  child.kill('SIGTERM')
  expect(await ended).toBe(0)
  expect(text.split('\n').filter((line) => line.includes('"msg":"answered"')).length).toBeGreaterThan(8)
  const hidden = ['primo_wrong_key', '0.123456789', '0.987654321', '77.7777', 'Ada', 'rewardModel']
  for (const word of [...Object.values(secrets).map(({ secret }) => secret), ...hidden])
    expect(text).not.toContain(word)
})

test('what the store cannot keep up with is refused before it piles up, and nothing of it is written', async () => {
  const { service, ok, summary } = await running()
  await ok('PUT', '/v1/problems/p', smallProblem())
  const decisions = Array.from({ length: 1000 }, (_, k) => ({ context: { x: k / 1000 } }))
  const payload = JSON.stringify({ decisions })
  const answers = await Promise.all(
    Array.from({ length: 40 }, () =>
      service().server.inject({
        method: 'POST',
        url: '/v1/problems/p/decisions/batch',
        headers: { 'content-type': 'application/json' },
        payload,
      }),
    ),
  )
  const taken = answers.filter(({ statusCode }) => statusCode === 200)
  const refused = answers.filter(({ statusCode }) => statusCode === 503)
  expect(taken.length + refused.length).toBe(40)
  expect(refused.length).toBeGreaterThan(0)
  for (const { body, headers } of refused) {
    expect(JSON.parse(body)).toMatchObject({ code: 'overloaded' })
    expect(headers['retry-after']).toBe('1')
  }
  expect((await summary('p')).decisions).toBe(1000 * taken.length)
})
