// Tries have their own calls, breaker and cache: a key that only reads cannot take a served model away from decisions.

import { expect, test } from 'vitest'
import { servedImputers } from './served-imputers.fixture.js'

const { service, server, define, decide, http } = await servedImputers()
const tries = (name: string, ages: readonly number[]) =>
  service.ok<{ results: { covariates: Record<string, { source: string }> }[] }>('POST', `/v1/problems/${name}/tries`, {
    decisions: ages.map((age) => ({ context: { age, smoker: false, town: 'east' }, covariates: { z: null } })),
  })

test('a decision does not wait for tries', async () => {
  const name = await define(http({ limits: { budget: 2000, timeout: 60_000, concurrency: 1 } }))
  server.behave({ kind: 'silent' })
  const tried = tries(name, [30, 31, 32])
  await expect.poll(() => server.calls.length).toBe(1)
  server.behave({ kind: 'well' })
  expect(await decide(name, 40)).toMatchObject({ source: 'pretrained' })
  await tried
})

test('tries that fail do not take the model away from decisions', async () => {
  const name = await define({ kind: 'module', file: 'odd.js', limits: { budget: 60_000, timeout: 60_000 } })
  for (let k = 0; k < 10; k++) await tries(name, [20])
  expect(service.service().host.failingImputers()).toBe(0)
  expect(await decide(name, 50)).toMatchObject({ source: 'pretrained', value: 1 })
})
