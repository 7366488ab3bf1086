import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Entry } from './resource.js'
import { get, ServiceFailure } from './service.js'

const EVERY = 3000

/** Counts its loads; each takes ten milliseconds. */
function counted() {
  const entry = new Entry<number>()
  let loads = 0
  entry.load = async () => {
    await new Promise((resolve) => setTimeout(resolve, 10))
    return ++loads
  }
  const join = (every = EVERY) =>
    entry.join(
      () => undefined,
      every,
      () => undefined,
    )
  return { entry, join, loads: () => loads }
}

describe('data that views share', () => {
  beforeEach(() => {
    vi.useFakeTimers()
    vi.stubGlobal('document', { hidden: false, addEventListener: () => undefined })
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })

  it('goes on being loaded when another view joins, before, while and after it was loaded', async () => {
    const { entry, join, loads } = counted()
    join()
    await vi.advanceTimersByTimeAsync(5)
    join()
    await vi.advanceTimersByTimeAsync(100)
    join()
    expect(loads()).toBe(1)
    await vi.advanceTimersByTimeAsync(5 * EVERY)
    expect(loads()).toBeGreaterThanOrEqual(5)
    expect(entry.shown.value).toBe(loads())
  })

  it('is loaded as often as the most eager view wants, and not by one that wants it once', async () => {
    const { join, loads } = counted()
    join(0)
    await vi.advanceTimersByTimeAsync(10 * EVERY)
    expect(loads()).toBe(1)
    join()
    await vi.advanceTimersByTimeAsync(EVERY + 50)
    expect(loads()).toBe(2)
  })

  it('rests while nobody shows it, and begins anew', async () => {
    const { join, loads } = counted()
    const leave = join()
    await vi.advanceTimersByTimeAsync(5)
    leave()
    await vi.advanceTimersByTimeAsync(5 * EVERY)
    const before = loads()
    join()
    await vi.advanceTimersByTimeAsync(50)
    expect(loads()).toBe(before + 1)
  })

  it('asks again for what failed and may pass, and not for what was refused', async () => {
    const failures = [true, false].map((passing) => new ServiceFailure('no', 'some-code', passing))
    const loads = await Promise.all(
      failures.map(async (failure) => {
        const entry = new Entry<number>()
        let count = 0
        entry.load = async () => {
          if (++count === 1) throw failure
          return count
        }
        const nothing = () => undefined
        entry.join(nothing, 0, nothing)
        await vi.advanceTimersByTimeAsync(10_000)
        return count
      }),
    )
    expect(loads).toEqual([2, 1])
  })

  it.each([
    ['breaks off', () => new Response('{"half'), 'away', true],
    ['is a fault', () => new Response('{}', { status: 502 }), 'internal', true],
    ['is a refusal', () => new Response('{"code":"unknown-problem"}', { status: 404 }), 'unknown-problem', false],
  ])('knows whether an answer that %s may pass', async (_, answer, code, passing) => {
    vi.stubGlobal('sessionStorage', { getItem: () => null })
    vi.stubGlobal('fetch', async () => answer())
    await expect(get('/v1/problems')).rejects.toMatchObject({ code, passing })
  })
})
