import { pbkdf2Sync } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { expect, test } from 'vitest'
import { callerKey } from './caller-key.js'

test('keys of callers are those of PBKDF2, and the thread that decides does not compute them', async () => {
  const before = performance.eventLoopUtilization()
  const keys = await Promise.all(Array.from({ length: 200 }, (_, k) => callerKey(7, `web.${k}`)))
  expect(performance.eventLoopUtilization(before).utilization).toBeLessThan(0.5)
  const bytes = pbkdf2Sync('7', 'primo caller web.3', 10_000, 8, 'sha256')
  expect(keys[3]).toEqual([bytes.readInt32LE(0), bytes.readInt32LE(4)])
  expect(await callerKey(7, 'web.3')).toBe(keys[3])
})
