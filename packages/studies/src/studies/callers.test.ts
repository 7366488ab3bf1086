import { expect, test } from 'vitest'
import { callersOf } from './callers-world.js'

test('a caller decides with a policy that is as old as it may be, and no older', () => {
  const { keeps } = callersOf({ callers: 50, policyAge: 100, uploadEvery: 10 }, 7)
  // A new policy every 40 rounds.
  const ages = Array.from({ length: 2000 }, (_, round) => {
    const newest = Math.floor(round / 40)
    return newest - keeps(round, newest)
  })
  expect(Math.max(...ages)).toBe(3)
  expect(Math.min(...ages)).toBe(0)
  expect(keeps(2000, 50)).toBeLessThanOrEqual(50)
})

test('restarts lose the records that wait for an upload, and no others', () => {
  const blocks = [{ count: 4096, delay: null }] as unknown as Parameters<ReturnType<typeof callersOf>['world']>[0]
  const lostOf = (restartEvery?: number) => {
    const spec = {
      callers: 100,
      policyAge: 64,
      uploadEvery: 64,
      ...(restartEvery === undefined ? {} : { restartEvery }),
    }
    const { world, lost } = callersOf(spec, 3)
    const [block] = [...world(blocks)]
    return { lost: lost(), never: block!.delay!.filter((delay) => delay === 0xffffffff).length }
  }
  expect(lostOf()).toEqual({ lost: 0, never: 0 })
  const { lost, never } = lostOf(512)
  // A record waits for 32 rounds on average: about 6% are lost.
  expect(lost / 4096).toBeGreaterThan(0.02)
  expect(lost / 4096).toBeLessThan(0.12)
  expect(never).toBe(lost)
})
