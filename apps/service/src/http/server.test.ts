// Who may do what, and what the doors refuse before a route is reached.

import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newKey, type Role, readConfig, roles, startService } from '../../dist/index.js'
import { type Answer, running, smallProblem, temporaryFolder } from '../running.fixture.js'

type Route = readonly [method: string, path: string, role: Role | null, body?: unknown]
/** Every route with the role it needs; null: none. Kept complete by the test of the OpenAPI document below. */
const ROUTES: readonly Route[] = [
  ['GET', '/v1/problems', 'read'],
  ['PUT', '/v1/problems/{problem}', 'admin', smallProblem()],
  ['GET', '/v1/problems/{problem}', 'read'],
  ['DELETE', '/v1/problems/{problem}', 'admin'],
  ['POST', '/v1/problems/{problem}/decisions', 'decide', { context: { x: 0.5 } }],
  ['POST', '/v1/problems/{problem}/decisions/batch', 'decide', { decisions: [{ context: { x: 0.5 } }] }],
  ['GET', '/v1/problems/{problem}/decisions/{id}', 'read'],
  ['POST', '/v1/problems/{problem}/decisions/{id}/reward', 'reward', { value: 1 }],
  ['POST', '/v1/problems/{problem}/rewards/batch', 'reward', { rewards: [{ id: 'nobody', value: 1 }] }],
  ['POST', '/v1/problems/{problem}/decisions/{id}/reveal', 'reward', { covariates: { z: 1 } }],
  ['POST', '/v1/problems/{problem}/decisions/{id}/activate', 'decide', {}],
  ['POST', '/v1/problems/{problem}/decisions/{id}/void', 'decide', {}],
  ['GET', '/v1/problems/{problem}/epochs', 'read'],
  ['GET', '/v1/problems/{problem}/calibration', 'read'],
  ['GET', '/v1/problems/{problem}/elasticity', 'read'],
  ['GET', '/v1/problems/{problem}/summary', 'read'],
  ['GET', '/v1/problems/{problem}/history', 'read'],
  ['POST', '/v1/problems/{problem}/evaluations', 'read', { policies: ['uniform'] }],
  ['POST', '/v1/problems/{problem}/freeze', 'admin', {}],
  ['POST', '/v1/problems/{problem}/unfreeze', 'admin', {}],
  ['POST', '/v1/problems/{problem}/rollback', 'admin', { version: 0 }],
  ['GET', '/v1/problems/{problem}/log', 'read'],
  ['GET', '/v1/problems/{problem}/events', 'read'],
  ['GET', '/livez', null],
  ['GET', '/readyz', null],
  ['GET', '/metrics', null],
]

const secrets = Object.fromEntries(roles.map((role) => [role, newKey(role)])) as Record<Role, ReturnType<typeof newKey>>
const { keys } = readConfig({ keys: roles.map((role) => secrets[role].entry).join(' ') })
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

describe('keys by role', async () => {
  const { call, service } = await running({ keys })
  await call('PUT', '/v1/problems/p', smallProblem(), bearer(secrets.admin.secret))
  // Events of a problem that exists never end; that the door lets one in shows in the 404.
  const ask = ([method, path, , body]: Route, headers: Record<string, string>): Promise<Answer> =>
    call(
      method,
      path
        .replace('{problem}', path.endsWith('/events') || method === 'DELETE' ? 'nowhere' : 'p')
        .replace('{id}', 'nobody'),
      body,
      headers,
    )

  const guarded = ROUTES.filter(([, , role]) => role !== null).map(
    (route) => [`${route[0]} ${route[1]}`, route] as const,
  )
  test.each(guarded)('%s needs its role', async (_, route) => {
    const role = route[2]!
    const before = JSON.stringify(await service().store.problems())
    const wrong = [
      {},
      bearer('primo_admin_guessed'),
      bearer(secrets[role].entry),
      { authorization: secrets[role].secret },
    ]
    for (const headers of wrong)
      expect(await ask(route, headers as Record<string, string>)).toMatchObject({
        status: 401,
        body: { code: 'unauthorized' },
      })
    for (const other of roles) {
      if (other === role || other === 'admin') continue
      expect(await ask(route, bearer(secrets[other].secret))).toMatchObject({
        status: 403,
        body: { code: 'forbidden' },
      })
    }
    expect(JSON.stringify(await service().store.problems())).toBe(before)
    for (const allowed of new Set([role, 'admin' as const]))
      expect([401, 403]).not.toContain((await ask(route, bearer(secrets[allowed].secret))).status)
  })

  test('health needs no key and tells nothing of contexts', async () => {
    for (const route of ROUTES.filter(([, , role]) => role === null)) expect((await ask(route, {})).status).toBe(200)
  })

  test('HEAD needs the same role as GET', async () => {
    expect((await call('HEAD', '/v1/problems/p')).status).toBe(401)
    expect((await call('HEAD', '/v1/problems/p', undefined, bearer(secrets.decide.secret))).status).toBe(403)
  })

  test('keys are compared in constant time, by their hashes', () => {
    const source = readFileSync(join(import.meta.dirname, 'keys.ts'), 'utf8')
    expect(source).toMatch(/timingSafeEqual\(presented, Buffer\.from\(hash, 'hex'\)\)/)
    expect(JSON.stringify(keys)).not.toContain(secrets.admin.secret)
  })
})

describe('the OpenAPI document', async () => {
  const { call, ok } = await running()
  const document = await ok('GET', '/openapi.json')

  test('has every route of the table above, and no other', () => {
    const documented = Object.entries(document.paths as Record<string, object>).flatMap(([path, methods]) =>
      Object.keys(methods).map(
        (method) => `${method.toUpperCase()} ${path === '/v1/problems/' ? '/v1/problems' : path}`,
      ),
    )
    expect(documented.sort()).toEqual(ROUTES.map(([method, path]) => `${method} ${path}`).sort())
  })

  test('is OpenAPI 3.1: every path parameter declared, every body a schema, every reference found', () => {
    expect(document.openapi).toMatch(/^3\.1\.\d+$/)
    expect(document.info).toMatchObject({ title: expect.any(String), version: expect.any(String) })
    for (const [path, methods] of Object.entries(document.paths as Record<string, Record<string, Operation>>)) {
      const named = [...path.matchAll(/\{([^}]+)\}/g)].map(([, name]) => name)
      for (const [method, { parameters = [], requestBody, responses }] of Object.entries(methods)) {
        const where = `${method} ${path}`
        const inPath = parameters.filter((parameter) => parameter.in === 'path')
        expect(inPath.map(({ name }) => name).sort(), where).toEqual(named.sort())
        for (const parameter of inPath)
          expect(parameter, where).toMatchObject({ required: true, schema: expect.any(Object) })
        if (['post', 'put'].includes(method))
          expect(requestBody?.content['application/json']?.schema, where).toMatchObject({ type: 'object' })
        expect(Object.keys(responses).length, where).toBeGreaterThan(0)
        for (const [status, response] of Object.entries(responses)) {
          expect(status, where).toMatch(/^([1-5]\d\d|default)$/)
          expect(response.description, where).toEqual(expect.any(String))
        }
      }
    }
    for (const [, reference] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const found = reference!.split('/').reduce<unknown>((at, key) => (at as Record<string, unknown>)?.[key], document)
      expect(found, reference).toBeDefined()
    }
    // What JSON Schema of OpenAPI 3.0 had and 3.1 has not.
    expect(JSON.stringify(document)).not.toMatch(/"nullable":/)
  })

  test('has a reference page', async () => {
    expect((await call('GET', '/docs/')).text).toContain('<html')
  })
})

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[]
  readonly requestBody?: { readonly content: Record<string, { readonly schema: object }> }
  readonly responses: Record<string, { readonly description: string }>
}

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
    // Somebody with a key has a limit of his own.
    expect((await limited.call('GET', '/v1/problems', undefined, bearer(secrets.read.secret))).status).toBe(200)
  })
})

describe('where it listens', () => {
  test.each(['0.0.0.0', '::', '192.168.1.5', 'example.org'])('%s without keys is refused', async (host) => {
    expect(() => readConfig({ host })).toThrow(/keys must be given/)
    const store = `sqlite:${temporaryFolder()}/never.db`
    await expect(startService({ host, store, logLevel: 'silent' })).rejects.toThrow(/keys must be given/)
  })

  test('keys of another form are refused without showing them', () => {
    expect(() => readConfig({ keys: 'admin:my-plain-secret' })).toThrow(/ROLE:SHA256/)
    expect(() => readConfig({ keys: 'admin:my-plain-secret' })).not.toThrow(/my-plain-secret/)
  })
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
