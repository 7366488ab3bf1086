// One process that plays several: every answer of the store, every message and every timer is a task at a virtual time that the
// seed draws, and nothing else makes code go on. The same seed gives the same order of tasks.

import { dice } from '../dice.fixture.js'

/** A replica of the service; when it dies none of its tasks runs any more. */
export interface Process {
  readonly name: string
  alive: boolean
  /** Called when it dies: its connections break. */
  readonly connections: Set<() => void>
}

interface Task {
  readonly at: number
  readonly what: string
  readonly process: Process | null
  readonly run: () => void
  cancelled: boolean
}

export type World = ReturnType<typeof createWorld>

export const START = 1_700_000_000_000
/** Milliseconds that a message is under way, mostly and at most. */
export const QUICK = 6
export const SLOW = 300
const MAX_TASKS = 30_000

export function createWorld(seed: number) {
  const { below, chance, one } = dice(seed)
  const queue: Task[] = []
  const trace: string[] = []
  const failures: string[] = []
  let now = START
  let current: Process | null = null
  let tasks = 0
  let calm = false

  function schedule(delay: number, what: string, process: Process | null, run: () => void): Task {
    const task = { at: now + delay, what, process, run, cancelled: false }
    let place = queue.length
    while (place > 0 && queue[place - 1]!.at > task.at) place--
    queue.splice(place, 0, task)
    return task
  }

  const delay = () => (chance(0.03) && !calm ? below(SLOW) : below(QUICK))

  return {
    chance,
    below,
    one,
    now: () => now,
    current: () => current,
    schedule,
    /** A message that takes its time. */
    message: (what: string, process: Process | null, run: () => void) => schedule(delay(), what, process, run),
    /** Resolves after some milliseconds, outside of all processes. */
    pause: (milliseconds: number) =>
      new Promise<void>((resolve) => {
        schedule(milliseconds, '', null, resolve)
      }),
    /** No message is slow from now on. */
    calm: () => {
      calm = true
    },
    /** Calls as this process. */
    inside: <T>(process: Process | null, call: () => T): T => {
      const before = current
      current = process
      try {
        return call()
      } finally {
        current = before
      }
    },
    kill: (process: Process) => {
      process.alive = false
      for (const cut of [...process.connections]) cut()
    },
    note: (line: string) => void trace.push(`${now - START} ${current?.name ?? 'outside'}: ${line}`),
    fail: (why: string) => void failures.push(why),
    failures,
    trace,
    tasks: () => tasks,
    /** Runs tasks until the promise is settled. */
    run: async (play: Promise<unknown>) => {
      let over = false
      play.then(
        () => {
          over = true
        },
        (error: unknown) => {
          over = true
          failures.push(error instanceof Error ? (error.stack ?? error.message) : String(error))
        },
      )
      await quiet()
      while (!over && failures.length === 0) {
        const task = queue.shift()
        if (task === undefined || ++tasks > MAX_TASKS) {
          failures.push(
            task === undefined ? 'everything waits for something that cannot come' : 'it never comes to rest',
          )
          break
        }
        if (task.cancelled || task.process?.alive === false) continue
        now = Math.max(now, task.at)
        current = task.process
        if (task.what !== '') trace.push(`${now - START} ${current?.name ?? 'outside'}: ${task.what}`)
        task.run()
        await quiet()
      }
      current = null
    },
  }
}

/** Until every promise that can go on has gone on: ticks of Node wait for all microtasks. */
const quiet = () => new Promise<void>((resolve) => process.nextTick(resolve))

/** Timers and clocks of this process belong to the world while `play` runs. */
export async function withVirtualTime(world: World, play: () => Promise<void>): Promise<void> {
  const { schedule, now, current } = world
  const own = { setTimeout, clearTimeout, setInterval, clearInterval, setImmediate }
  const [dateNow, performanceNow] = [Date.now, performance.now]
  const timer = (run: () => void, every: number, again: boolean) => {
    const process = current()
    const handle = { task: schedule(Math.max(1, every), '', process, tick), unref: () => handle, ref: () => handle }
    function tick() {
      if (again) handle.task = schedule(Math.max(1, every), '', process, tick)
      run()
    }
    return handle
  }
  const clear = (handle?: { task: Task }) => {
    if (handle !== undefined) handle.task.cancelled = true
  }
  Object.assign(globalThis, {
    setTimeout: (run: (...given: unknown[]) => void, after = 0, ...given: unknown[]) =>
      timer(() => run(...given), after, false),
    setInterval: (run: () => void, every = 0) => timer(run, every, true),
    setImmediate: (run: () => void) => schedule(0, '', current(), run),
    clearTimeout: clear,
    clearInterval: clear,
  })
  Date.now = now
  performance.now = () => now() - START
  try {
    await play()
  } finally {
    Object.assign(globalThis, own)
    Date.now = dateNow
    performance.now = performanceNow
  }
}
