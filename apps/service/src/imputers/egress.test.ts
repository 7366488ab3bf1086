// What a problem may make the service call and send, and who sees what it was told.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { bearer, keys, secrets } from '../http/keys.fixture.js'
import { running } from '../running.fixture.js'
import { createEgress, mayStandFor } from './egress.js'
import { postJson } from './http-model.js'
import { startModelServer } from './model-server.fixture.js'
import { type Imputer, patients } from './served-imputers.fixture.js'

const resolved = new Map<string, string>()
vi.mock('node:dns', () => ({
  lookup: (name: string, _: unknown, done: (error: null, all: { address: string; family: number }[]) => void) => {
    const address = resolved.get(name) ?? '127.0.0.1'
    done(null, [{ address, family: address.includes(':') ? 6 : 4 }])
  },
}))

const server = await startModelServer()
const { port } = new URL(server.url)
const ask = (url: string, hosts: readonly string[]) =>
  postJson(url, { age: 40 }, {}, AbortSignal.timeout(10_000), createEgress(hosts))

describe('a model is called', () => {
  it('where its host is named, with or without its port', async () => {
    for (const host of ['127.0.0.1', `127.0.0.1:${port}`])
      expect(await ask(`${server.url}/predict`, [host])).toHaveProperty('prediction')
    expect(await ask(`http://localhost:${port}/predict`, ['localhost'])).toHaveProperty('prediction')
  })

  it.each([[[]], [['example.org']], [['127.0.0.1:1']], [['localhost']]])('nowhere else (%j)', async (hosts) => {
    const asked = server.calls.length
    await expect(ask(`${server.url}/predict`, hosts)).rejects.toThrow(/--imputer-hosts/)
    expect(server.calls.length).toBe(asked)
  })

  const V4 = `0.0.0.0 100.64.0.1 100.127.255.254 127.0.0.1 127.9.9.9 169.254.169.254 192.0.0.8 192.0.2.1 192.88.99.1 198.18.0.1
    198.51.100.1 203.0.113.1 224.0.0.1 240.0.0.1 255.255.255.255`
  const V6 = `:: ::1 ::127.0.0.1 ::ffff:127.0.0.1 ::ffff:100.64.0.1 64:ff9b::7f00:1 64:ff9b:1::1 100::1 2001::1 2001:db8::1
    2002:7f00:1::1 3fff::1 5f00::1 fc00::1 fd12:3456::1 fe80::1 fec0::1 ff02::1`
  it.each(`${V4} ${V6}`.split(/\s+/))('not at %s under a name, unless the address is named too', async (address) => {
    resolved.set('models.example', address)
    await expect(ask(`http://models.example:${port}/predict`, ['models.example'])).rejects.toThrow(/name itself/)
  })

  it.each(['10.0.0.7', '172.16.0.1', '192.168.1.1', '100.128.0.1', '192.0.1.1', '8.8.8.8', '2606:4700::1'])(
    'at %s under a name',
    (address) => expect(mayStandFor(['models.example'], 'models.example', address)).toBe(true),
  )

  it('at a near address under a name, where the address is named too', async () => {
    resolved.set('models.example', '127.0.0.1')
    const url = `http://models.example:${port}/predict`
    expect(await ask(url, ['models.example', '127.0.0.1'])).toHaveProperty('prediction')
  })

  it('only where it is: redirects are not followed', async () => {
    const elsewhere = createServer((_, response) => {
      response.writeHead(307, { location: `${server.url}/predict` })
      response.end()
    })
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve))
    const asked = server.calls.length
    const url = `http://127.0.0.1:${(elsewhere.address() as AddressInfo).port}/`
    await expect(ask(url, ['127.0.0.1'])).rejects.toThrow('the model answered 307')
    expect(server.calls.length).toBe(asked)
    elsewhere.close()
  })
})

describe('variables of the environment', async () => {
  const given = {
    PRIMO_KEY: 'an admin key of the command line',
    PRIMO_MODEL_KEY: 'before the prefix',
    PRIMO_IMPUTER_TEST: 'for imputers',
    PRIMO_IMPUTER_LINES: 'one\nsmuggled: two',
  }
  Object.assign(process.env, given)
  const { call } = await running({ keys, imputerHosts: [new URL(server.url).host] })
  const define = (name: string, value: string, header = 'x-sent') => {
    const imputer = { kind: 'http', url: `${server.url}/predict`, headers: { [header]: value } }
    return call('PUT', `/v1/problems/${name}`, patients(imputer as Imputer), bearer(secrets.admin.secret))
  }

  it.each(['PRIMO_KEY', 'PRIMO_MODEL_KEY', 'PRIMO_STORE', 'PRIMO_IMPUTER_NOT_SET', 'PATH'])(
    '%s is not sent, and the refusal is the same whether it is set or not',
    async (name) => {
      const asked = server.calls.length
      const { status, body } = await define('refused', `{env:${name}}`)
      expect(status).toBe(422)
      expect(body.detail).toBe(
        `covariates.z.imputer.headers.x-sent must be an environment variable of the service that begins with PRIMO_IMPUTER_ (set it under such a name and restart the service), got "${name}"`,
      )
      expect(server.calls.length).toBe(asked)
    },
  )

  it.each([
    'Connection',
    'content-length',
    'Expect',
    'host',
    'keep-alive',
    'TE',
    'trailer',
    'Transfer-Encoding',
    'upgrade',
  ])('nor is the header %s, which the service sets', async (name) => {
    const { status, body } = await define('refused', '1', name)
    expect(status).toBe(422)
    expect(body.detail).toContain('(the service sets them; remove the header)')
  })

  it.each(['a\r\nx-more: 1', 'a\nb', 'a\rb', '{env:PRIMO_IMPUTER_LINES}'])('nor the value %j', async (value) => {
    const { status, body } = await define('refused', value)
    expect(status).toBe(422)
    expect(body.detail).toContain('covariates.z.imputer.headers.x-sent must be a header of HTTP')
    expect(body.detail).not.toContain('smuggled')
  })

  it('PRIMO_IMPUTER_... is sent', async () => {
    expect((await define('sent', 'Token {env:PRIMO_IMPUTER_TEST}')).status).toBe(201)
    expect(server.calls.at(-1)!.headers['x-sent']).toBe('Token for imputers')
  })
})

describe('a problem', async () => {
  process.env.PRIMO_IMPUTER_EGRESS = 'from the environment'
  const { call } = await running({ keys, imputerHosts: ['models.example'] })
  const admin = bearer(secrets.admin.secret)
  const put = (imputer: object) => call('PUT', '/v1/problems/p', patients(imputer as Imputer), admin)
  const http = { kind: 'http', url: 'http://models.example/predict' }

  it('that names another host is refused when it is defined', async () => {
    for (const kind of [
      { kind: 'http', url: 'http://169.254.169.254/latest' },
      { kind: 'llm', url: 'http://localhost:1', model: 'm', prompt: 'p' },
    ])
      expect(await put(kind)).toMatchObject({ status: 422, body: { detail: expect.stringMatching(/--imputer-hosts/) } })
  })

  it('shows headers and passwords to the role admin alone', async () => {
    const url = 'http://user:password@models.example/predict'
    const headers = { 'x-key': 'literal secret', authorization: 'Bearer prefix{env:PRIMO_IMPUTER_EGRESS}' }
    const one = { ...http, url, headers }
    const members = { a: one, b: { ...one, version: '2' } }
    for (const imputer of [one, { kind: 'ensemble', members }]) {
      const { status } = await call('PUT', `/v1/problems/${imputer.kind}`, patients(imputer as Imputer), admin)
      expect(status).toBe(201)
      for (const path of ['/v1/problems', `/v1/problems/${imputer.kind}`]) {
        const { text } = await call('GET', path, undefined, bearer(secrets.read.secret))
        expect(text).not.toMatch(/password|literal secret|prefix|from the environment/)
        expect(text).toContain('{env:PRIMO_IMPUTER_EGRESS}')
        expect((await call('GET', path, undefined, admin)).text).toContain('literal secret')
      }
    }
  })
})
