import { expect, test } from 'vitest'
import { createTransport } from './transport.js'

test('a body that JSON does not have is refused at once, and not repeated', async () => {
  let calls = 0
  const call = createTransport({
    url: 'http://here',
    backoff: 1,
    fetch: async () => {
      calls++
      throw new Error('away')
    },
  })
  const error = { code: 'invalid-request', status: 400, passing: false }
  await expect(call('/', { body: { value: 1n } })).rejects.toMatchObject(error)
  await expect(call('/', { body: { value: 1n } })).rejects.toThrow(/^the body must be what JSON can say: .*BigInt/)
  expect(calls).toBe(0)
})
