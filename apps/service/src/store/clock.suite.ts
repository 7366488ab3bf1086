// What every store does when a clock jumps: nothing is closed or removed by it, and deadlines stay where they belong.

import { afterAll, describe, expect, test } from 'vitest'
import type { Command } from '../ledger/commands.js'
import type { Store } from '../ledger/store.js'
import { decide, define, reward } from './store.suite.js'

export interface Clocks {
  readonly wall: () => number
  readonly monotonic: () => number
}

const T0 = 1_700_000_000_000
const SECOND = 1000
const HOUR = 3_600_000
const DAY = 24 * HOUR
const WINDOW = 10 * 60_000

export function clockSuite(kind: string, open: (name: string, clocks: Clocks) => Promise<Store>): void {
  describe(`${kind} and clocks that jump`, () => {
    const opened = new Set<Store>()
    afterAll(() => Promise.all([...opened].map((store) => store.close())))

    async function started(name: string, days = 30) {
      let wall = T0
      let monotonic = 0
      const clocks: Clocks = { wall: () => wall, monotonic: () => monotonic }
      const again = async () => {
        const store = await open(name, clocks)
        opened.add(store)
        return store
      }
      let store = await again()
      const one = async (command: Command) => (await store.commit([command]))[0]!
      const deadline = async (ref: string) =>
        (await store.decision((await store.problem('p'))!.id, ref))!.round.deadline! - T0
      await one(
        define('p', {
          reward: { min: 0, max: 1, window: { milliseconds: WINDOW }, default: 0 },
          retention: { days },
        }),
      )
      await one(decide('p', 'before'))
      return {
        one,
        deadline,
        store: () => store,
        tick: () => one({ kind: 'tick', problem: 'p' }),
        confirm: () => one({ kind: 'operate', problem: 'p', operation: 'confirm-clock' }),
        pass: (milliseconds: number) => {
          wall += milliseconds
          monotonic += milliseconds
        },
        jump: (milliseconds: number) => {
          wall += milliseconds
        },
        restart: async () => {
          opened.delete(store)
          await store.close()
          monotonic = 0
          store = await again()
        },
        kinds: async () =>
          (await store.readLog((await store.problem('p'))!.id, 0, 100)).map(({ kind: record }) => record),
      }
    }

    test.each([SECOND, -SECOND, HOUR, -HOUR, 31 * DAY, -31 * DAY])(
      'a jump of %d ms closes and removes nothing, and what is decided meanwhile waits no longer',
      async (by) => {
        const { one, deadline, tick, pass, jump, store, kinds } = await started(
          `jump_${by < 0 ? 'back_' : ''}${Math.abs(by)}`,
        )
        jump(by)
        pass(SECOND)
        expect(await tick()).toEqual({ closed: 0, more: false })
        await one(decide('p', 'during'))
        expect(Math.abs((await deadline('during')) - SECOND - WINDOW)).toBeLessThanOrEqual(SECOND / 10)
        expect(store().clock.hold()?.offset ?? null).toBe(Math.abs(by) > SECOND ? by : null)
        expect(await one(reward('p', 'before', 1))).toMatchObject({ status: 'accepted' })
        // It comes back, and time goes on as if nothing had been.
        jump(-by)
        pass(SECOND)
        expect(await tick()).toEqual({ closed: 0, more: false })
        expect(store().clock.hold()).toBeNull()
        pass(WINDOW)
        expect(await tick()).toEqual({ closed: 2, more: false })
        expect(await kinds()).toEqual(['problem', 'decision', 'decision', 'reward', 'closing', 'closing'])
      },
    )

    test.each([31 * DAY, -31 * DAY])('a jump of %d ms that is confirmed takes the deadlines along', async (by) => {
      const { one, deadline, tick, pass, jump, confirm } = await started(`confirmed_${by < 0 ? 'back' : 'on'}`, 365)
      jump(by)
      pass(SECOND)
      await one(decide('p', 'during'))
      await confirm()
      expect(await deadline('before')).toBe(by + WINDOW)
      expect(await deadline('during')).toBe(by + SECOND + WINDOW)
      expect(await tick()).toEqual({ closed: 0, more: false })
      await one(decide('p', 'after'))
      expect(await deadline('after')).toBe(by + SECOND + WINDOW)
      pass(WINDOW - SECOND)
      expect(await tick()).toEqual({ closed: 1, more: false })
    })

    test('a start a month later is held until it is confirmed; one an hour later is not', async () => {
      const { one, tick, pass, jump, confirm, restart, store, kinds } = await started('starts')
      await one(reward('p', 'before', 1))
      jump(HOUR)
      await restart()
      expect(store().clock.hold()).toBeNull()
      expect(await tick()).toEqual({ closed: 1, more: false })
      await one(decide('p', 'open'))
      jump(31 * DAY)
      await restart()
      expect(store().clock.hold()).toMatchObject({ why: 'start' })
      pass(SECOND)
      expect(await tick()).toEqual({ closed: 0, more: false })
      expect(await kinds()).toEqual(['problem', 'decision', 'reward', 'closing', 'decision'])
      await confirm()
      expect(store().clock.hold()).toBeNull()
      await tick()
      expect((await kinds()).slice(-2)).toEqual(['operation', 'retention'])
    })

    test('a start before the last known time is held, too', async () => {
      const { one, deadline, jump, restart, store } = await started('starts_back')
      jump(-31 * DAY)
      await restart()
      expect(store().clock.hold()).toMatchObject({ why: 'start' })
      await one(decide('p', 'after'))
      expect(await deadline('after')).toBeLessThanOrEqual(WINDOW)
    })
  })
}
