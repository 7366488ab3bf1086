// The service behind a real OpenFeature SDK.

import { OFREPProvider } from '@openfeature/ofrep-provider'
import { OpenFeature } from '@openfeature/server-sdk'
import type { DecisionExplained } from '@primo/contract'
import { afterAll, describe, expect, test } from 'vitest'
import { running, smallProblem } from '../running.fixture.js'
import { bearer, keys, secrets } from './keys.fixture.js'

const { service, call } = await running({ keys })
const admin = bearer(secrets.admin.secret)
const define = (name: string, changes: Parameters<typeof smallProblem>[0] = {}) =>
  call('PUT', `/v1/problems/${name}`, smallProblem(changes), admin)
await define('banner')
await define('dark-mode', { actions: ['true', 'false'] })
await define('discount', { actions: ['0', '5', '10'] })
await define('watched', { mode: 'shadow' })

const client = async (domain: string, secret: string) => {
  const baseUrl = `http://127.0.0.1:${service().config.port}`
  await OpenFeature.setProviderAndWait(
    domain,
    new OFREPProvider({ baseUrl, headers: [['Authorization', `Bearer ${secret}`]] }),
  )
  return OpenFeature.getClient(domain)
}
const flags = await client('shop', secrets.decide.secret)
afterAll(() => OpenFeature.close())

describe('an OpenFeature SDK', () => {
  test('gets a decision, which is recorded, and rewarded under the id of its metadata', async () => {
    const context = { targetingKey: 'ada', x: 0.5, z: null, 'service.version': '1.2' }
    const details = await flags.getStringDetails('banner', 'none', context as never)
    expect(details).toMatchObject({
      value: expect.stringMatching(/^[ab]$/),
      reason: 'SPLIT',
      flagMetadata: { propensity: 0.5, policyVersion: 0, mode: 'active', holdout: false, imputed: 'z' },
    })
    expect(details.variant).toBe(details.value)
    const path = `/v1/problems/banner/decisions/${details.flagMetadata.decisionId}`
    await call('POST', `${path}/reward`, { value: 1 }, admin)
    const { body } = await call<DecisionExplained>('GET', path, undefined, admin)
    expect(body).toMatchObject({
      request: { subject: 'ada', context: { x: 0.5 }, covariates: { z: null } },
      reply: { action: details.value },
      reward: 1,
    })
  })

  test('gets another decision for the same person, and the same one for the same event', async () => {
    const ask = async (context: Record<string, string | number>) =>
      (await flags.getStringDetails('banner', 'none', { targetingKey: 'ada', x: 0.5, ...context })).flagMetadata
        .decisionId
    expect(await ask({})).not.toBe(await ask({}))
    expect(await ask({ eventId: 'visit-7' })).toBe(await ask({ eventId: 'visit-7' }))
  })

  test('gets values of its types', async () => {
    expect(typeof (await flags.getBooleanDetails('dark-mode', false, { x: 0.5 })).flagMetadata.decisionId).toBe(
      'string',
    )
    expect([0, 5, 10]).toContain(await flags.getNumberValue('discount', -1, { x: 0.5 }))
    expect(await flags.getBooleanDetails('banner', true, { x: 0.5 })).toMatchObject({
      value: true,
      errorCode: 'TYPE_MISMATCH',
    })
  })

  test.each([
    ['nowhere', { x: 0.5 }, 'FLAG_NOT_FOUND', 'no problem'],
    ['banner', {}, 'INVALID_CONTEXT', 'x'],
    ['banner', { x: 7 }, 'INVALID_CONTEXT', 'between 0 and 1'],
    ['banner', { x: 'much' }, 'INVALID_CONTEXT', 'x must be'],
    ['banner', { x: { deep: 1 } }, 'INVALID_CONTEXT', 'context.x must be'],
    ['watched', { x: 0.5 }, 'GENERAL', 'served'],
  ])('plays its default where %s cannot be decided for %j', async (key, context, errorCode, sentence) => {
    const details = await flags.getStringDetails(key, 'none', context as never)
    expect(details).toMatchObject({ value: 'none', reason: 'ERROR', errorCode })
    expect(details.errorMessage).toContain(sentence)
  })

  test('plays its default without a key that may decide', async () => {
    const reader = await client('reader', secrets.read.secret)
    expect(await reader.getStringDetails('banner', 'none', { x: 0.5 })).toMatchObject({
      value: 'none',
      reason: 'ERROR',
    })
  })
})

test('flags are not evaluated in bulk, with the reason', async () => {
  const { status, text } = await call('POST', '/ofrep/v1/evaluate/flags', { context: {} }, admin)
  expect([status, JSON.parse(text)]).toEqual([
    400,
    { errorCode: 'GENERAL', errorDetails: expect.stringContaining('one by one') },
  ])
})
