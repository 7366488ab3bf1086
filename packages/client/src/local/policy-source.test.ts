import { getEventListeners } from 'node:events'
import { expect, test, vi } from 'vitest'
import { openPolicySource } from './policy-source.js'

test('a stream that cannot be had leaves nothing behind, however often it is tried', async () => {
  const signals: AbortSignal[] = []
  const source = await openPolicySource({
    url: 'http://here',
    problem: 'p',
    caller: 'web',
    refresh: 1,
    fetch: async (url, init) => {
      if (String(url).endsWith('/events')) signals.push(init!.signal!)
      throw new Error('away')
    },
  })
  await vi.waitFor(() => expect(signals.length).toBeGreaterThan(30), { timeout: 10_000 })
  expect(getEventListeners(signals[0]!, 'abort').length).toBeLessThan(10)
  source.close()
})
