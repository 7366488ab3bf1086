// Who may speak to the service, by what a browser says of a request. apps/dashboard has the same with a real browser.

import { describe, expect, test } from 'vitest'
import { running, smallProblem } from '../running.fixture.js'
import { bearer, keys, secrets } from './keys.fixture.js'

const JSON_TYPE = { 'content-type': 'application/json' }

describe('without keys', async () => {
  const { call, ok, service } = await running({ allowHost: ['primo.lan', 'localhost:3000'] })
  await ok('PUT', '/v1/problems/p', smallProblem())

  test.each(['rebound.example', 'rebound.example:8642', '127.0.0.1.rebound.example', '10.0.0.7', 'localhost.'])(
    'the name "%s" is refused, whatever is asked',
    async (host) => {
      for (const path of ['/v1/problems', '/v1/problems/p/log', '/', '/metrics', '/nothing'])
        expect(await call('GET', path, undefined, { host })).toMatchObject({
          status: 403,
          body: { code: 'foreign-request', detail: expect.stringContaining('--allow-host') },
        })
      expect((await call('PUT', '/v1/problems/q', smallProblem(), { host })).status).toBe(403)
    },
  )

  test.each(['localhost', 'LOCALHOST:8642', '127.0.0.1:1', '127.8.8.8', '[::1]:8642', 'primo.lan', 'primo.lan:8642'])(
    'the name "%s" is known',
    async (host) => {
      expect((await call('GET', '/v1/problems', undefined, { host })).status).toBe(200)
    },
  )

  test.each<[string, Record<string, string>]>([
    ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }],
    ['another port', { origin: 'http://localhost:5000', 'sec-fetch-site': 'same-site' }],
    ['nowhere', { origin: 'null' }],
    ['a site, without Origin', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }],
    ['a neighbour, without Origin', { 'sec-fetch-site': 'same-site' }],
    ['a link to data', { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }],
  ])('a page of %s changes and reads nothing', async (_, headers) => {
    const before = JSON.stringify(await service().store.problems())
    const calls: [string, string, unknown?][] = [
      ['POST', '/v1/problems/p/freeze', {}],
      ['PUT', '/v1/problems/q', smallProblem()],
      ['DELETE', '/v1/problems/p'],
      ['GET', '/v1/problems/p/log'],
      ['GET', '/v1/problems/p/events'],
      ['OPTIONS', '/v1/problems/p/freeze'],
    ]
    for (const [method, path, body] of calls)
      expect(await call(method, path, body, headers)).toMatchObject({ status: 403, body: { code: 'foreign-request' } })
    expect(JSON.stringify(await service().store.problems())).toBe(before)
  })

  test('a link to the page may be followed', async () => {
    const followed = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }
    expect((await call('GET', '/page/settings', undefined, followed)).status).toBe(200)
  })

  test('its own page may call, and so may a page that is named, which is told so', async () => {
    const own = { host: '127.0.0.1:8642', origin: 'http://127.0.0.1:8642', 'sec-fetch-site': 'same-origin' }
    expect((await call('POST', '/v1/problems/p/unfreeze', {}, own)).status).toBe(200)
    const named = { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site' }
    const { server } = service()
    const asked = await server.inject({ method: 'OPTIONS', url: '/v1/problems/p/unfreeze', headers: named })
    expect(asked.statusCode).toBe(204)
    expect(asked.headers['access-control-allow-headers']).toBe('authorization, content-type, if-none-match')
    expect(asked.headers['access-control-expose-headers']).toBe('etag, retry-after')
    const reply = await server.inject({ method: 'GET', url: '/v1/problems', headers: named })
    expect(reply.headers).toMatchObject({ 'access-control-allow-origin': named.origin, vary: 'origin' })
    expect((await server.inject({ url: '/v1/problems' })).headers['access-control-allow-origin']).toBeUndefined()
  })

  test.each([undefined, '', 'text/plain', 'application/x-www-form-urlencoded', 'text/plain; application/json'])(
    'POST and PUT must say that they are JSON, with or without a body; %s is refused',
    async (type) => {
      const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
      const { server } = service()
      const calls: { method: 'POST' | 'PUT'; url: string }[] = [
        { method: 'POST', url: '/v1/problems/p/freeze' },
        { method: 'PUT', url: '/v1/problems/q' },
      ]
      for (const one of calls) {
        for (const payload of [{}, { payload: JSON.stringify(smallProblem()) }]) {
          const { statusCode, body } = await server.inject({ ...one, headers, ...payload })
          expect(statusCode).toBe(415)
          expect(JSON.parse(body).detail).toContain('"Content-Type: application/json"')
        }
      }
      expect((await call('GET', '/v1/problems/q')).status).toBe(404)
    },
  )

  test('with that header a call without a body is one with an empty object', async () => {
    expect((await call('POST', '/v1/problems/p/freeze', undefined, JSON_TYPE)).status).toBe(200)
    expect((await call('POST', '/v1/problems/p/unfreeze', undefined, JSON_TYPE)).status).toBe(200)
  })
})

test('with keys any name is known, and pages of other origins are refused even with a key', async () => {
  const { call } = await running({ keys, allowHost: ['app.example'] })
  const key = bearer(secrets.admin.secret)
  const host = 'primo.example'
  expect((await call('GET', '/v1/problems', undefined, { ...key, host })).status).toBe(200)
  for (const [origin, status] of [
    ['https://primo.example', 200],
    ['https://app.example', 200],
    ['https://other.example', 403],
  ] as const)
    expect((await call('GET', '/v1/problems', undefined, { ...key, host, origin })).status).toBe(status)
})
