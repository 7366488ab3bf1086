// Who may do what.

import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { roles } from '../../dist/index.js'
import { type Answer, running, smallProblem } from '../running.fixture.js'
import { bearer, keys, secrets } from './keys.fixture.js'
import { matching } from './keys.js'
import { ROUTES, type Route } from './routes.fixture.js'

// Not a mock of the module: files of a worker share theirs.
const compare = vi.spyOn(crypto, 'timingSafeEqual')
syncBuiltinESMExports()
afterAll(() => {
  compare.mockRestore()
  syncBuiltinESMExports()
})

const hashOf = (secret: string) => crypto.createHash('sha256').update(secret).digest('hex')

describe('a presented secret', () => {
  test.each(['first', 'second', 'nobody', 'a much longer one than any that is known'])(
    'is compared with every key in constant time, by its hash, whatever is found (%s)',
    (presented) => {
      const known = ['first', 'second', 'first'].map((secret, k) => ({ role: roles[k]!, hash: hashOf(secret) }))
      compare.mockClear()
      const found = matching(known, presented)
      expect(found).toEqual(known.filter(({ hash }) => hash === hashOf(presented)))
      const compared = compare.mock.calls.map((pair) =>
        pair.map((bytes) => Buffer.from(bytes as Uint8Array).toString('hex')),
      )
      expect(compared).toEqual(known.map(({ hash }) => [hashOf(presented), hash]))
    },
  )

  test('is not kept', () => {
    for (const { secret } of Object.values(secrets)) expect(JSON.stringify(keys)).not.toContain(secret)
  })
})

describe('keys by role', async () => {
  const { call, service } = await running({ keys })
  await call('PUT', '/v1/problems/p', smallProblem(), bearer(secrets.admin.secret))
  // Events of a problem that exists never end; that the door lets one in shows in the 404.
  const ask = ([method, path, , body]: Route, headers: Record<string, string>): Promise<Answer> =>
    call(
      method,
      path
        .replace('{problem}', path.endsWith('/events') || method === 'DELETE' ? 'nowhere' : 'p')
        .replace(/\{(id|name|subject)\}/, 'nobody'),
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
      if (other.split('+').includes(role) || other === 'admin') continue
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

  test('a caller that decides in its own process is known by its key: no other gets its draws', async () => {
    const own = `decide-${hashOf(secrets.decide.secret).slice(0, 8)}`
    const policy = (caller: string) =>
      call('GET', `/v1/problems/p/policy?caller=${caller}`, undefined, bearer(secrets.decide.secret))
    expect((await policy(own)).status).toBe(200)
    expect((await policy(`${own}.3`)).status).toBe(200)
    for (const other of ['web', `${own}3`, 'admin-1']) expect((await policy(other)).body.code).toBe('invalid-request')
    const upload = { caller: 'web', policy: 'none', items: [{ void: { id: 'web~0~0' } }] }
    const told = await call('POST', '/v1/problems/p/uploads', upload, bearer(secrets.decide.secret))
    expect(told.body.code).toBe('invalid-request')
  })

  test('HEAD needs the same role as GET', async () => {
    expect((await call('HEAD', '/v1/problems/p')).status).toBe(401)
    expect((await call('HEAD', '/v1/problems/p', undefined, bearer(secrets.decide.secret))).status).toBe(403)
  })
})
