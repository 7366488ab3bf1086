// What a problem may make the service call and send, and who sees what it was told.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, test, vi } from 'vitest'
import { defaults } from '../../dist/index.js'
import { environmentOfImputers } from '../config.js'
import { bearer, keys, secrets } from '../http/keys.fixture.js'
import { running } from '../running.fixture.js'
import { createEgress } from './egress.js'
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

  it.each(['127.0.0.1', '127.9.9.9', '0.0.0.0', '169.254.169.254', '::1', '::', 'fe80::1', '::ffff:127.0.0.1'])(
    'not at %s under a name, unless the address is named too',
    async (address) => {
      resolved.set('models.example', address)
      await expect(ask(`http://models.example:${port}/predict`, ['models.example'])).rejects.toThrow(/name itself/)
    },
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

test('imputers may send PRIMO_... that is no setting, and what is named', () => {
  const environment = { PRIMO_STORE: 'a', PRIMO_KEYS: 'b', PRIMO_MODEL_KEY: 'c', OTHER: 'd', NAMED: 'e' }
  const config = { ...defaults, imputerVariables: ['NAMED'] }
  expect(environmentOfImputers(config, environment)).toEqual({ PRIMO_MODEL_KEY: 'c', NAMED: 'e' })
})

describe('a problem', async () => {
  process.env.PRIMO_EGRESS_KEY = 'from the environment'
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

  it('learns nothing of the environment: what is missing and what is not for it are refused alike', async () => {
    const details: string[] = []
    for (const name of ['PATH', 'PRIMO_STORE', 'NOT_THERE_AT_ALL']) {
      const { status, body } = await put({ ...http, headers: { a: `{env:${name}}` } })
      expect(status).toBe(422)
      details.push(body.detail.replace(name, 'NAME'))
    }
    expect(new Set(details).size).toBe(1)
  })

  it('shows headers and passwords to the role admin alone', async () => {
    const url = 'http://user:password@models.example/predict'
    const headers = { 'x-key': 'literal secret', authorization: 'Bearer prefix{env:PRIMO_EGRESS_KEY}' }
    const one = { ...http, url, headers }
    const members = { a: one, b: { ...one, version: '2' } }
    for (const imputer of [one, { kind: 'ensemble', members }]) {
      const { status } = await call('PUT', `/v1/problems/${imputer.kind}`, patients(imputer as Imputer), admin)
      expect(status).toBe(201)
      for (const path of ['/v1/problems', `/v1/problems/${imputer.kind}`]) {
        const { text } = await call('GET', path, undefined, bearer(secrets.read.secret))
        expect(text).not.toMatch(/password|literal secret|prefix|from the environment/)
        expect(text).toContain('{env:PRIMO_EGRESS_KEY}')
        expect((await call('GET', path, undefined, admin)).text).toContain('literal secret')
      }
    }
  })
})
