// Group commit: commands that arrive while a commit runs share the next one. The order of arrival is the order of the log. A store
// may begin the next one while the one before is on its way to the disk; callers are answered when theirs has arrived.

import { type Command, confirmsClock, type Outcome } from './commands.js'
import { StoreUnavailable } from './store.js'

interface GroupCommit {
  readonly commit: (commands: readonly Command[]) => Promise<readonly Outcome[]>
  readonly queued: () => number
  /** Resolves when everything queued has been answered; further commits are refused. */
  readonly close: () => Promise<void>
}

/** The outcomes, or the promise of them once they are durable: the next commit need not wait for that. */
export type Written = readonly Outcome[] | { readonly durable: Promise<readonly Outcome[]> }

interface GroupCommitOptions {
  /** Milliseconds after which a call is refused, also while it is being written; default: none. */
  readonly patience?: number
}

interface Waiting {
  readonly commands: readonly Command[]
  /** When it came, in milliseconds of the process. */
  readonly since: number
  readonly resolve: (outcomes: readonly Outcome[]) => void
  readonly reject: (error: unknown) => void
}

const MAX_COMMANDS = 2000

const ALONE: readonly Command['kind'][] = ['define', 'forget', 'purge']
/** Milliseconds between looks for calls that have waited too long. */
const LOOK_EVERY = 200
/** Nobody waits for the answer to these, and they may take long. */
const PATIENT: readonly Command['kind'][] = ['publish', 'fit-failed', 'tick', 'import', 'look', 'demote']

export function createGroupCommit(
  write: (commands: readonly Command[]) => Promise<Written>,
  { patience = Number.POSITIVE_INFINITY }: GroupCommitOptions = {},
): GroupCommit {
  let queue: Waiting[] = []
  /** Those being written and those on their way to the disk. */
  const writing = new Set<Waiting>()
  let looks: NodeJS.Timeout | undefined
  let queued = 0
  let running = false
  let closed: (() => void) | null = null

  /** As many calls as fit; one that defines or removes a problem, forgets or confirms the clock goes alone. */
  function take(): Waiting[] {
    const alone = (waiting: Waiting) =>
      waiting.commands.some((command) => ALONE.includes(command.kind) || confirmsClock(command))
    if (alone(queue[0]!)) return [queue.shift()!]
    let commands = 0
    let calls = 0
    while (calls < queue.length && !alone(queue[calls]!) && (calls === 0 || commands < MAX_COMMANDS))
      commands += queue[calls++]!.commands.length
    const taken = queue.slice(0, calls)
    queue = queue.slice(calls)
    return taken
  }

  /** Refuses calls that have waited too long: those in the queue are taken out of it, those being written may be written. */
  function refuseLate(): void {
    const before = performance.now() - patience
    const late = ({ since, commands }: Waiting) => since < before && !PATIENT.includes(commands[0]!.kind)
    for (const { reject } of [...writing].filter(late))
      reject(new StoreUnavailable(`the store has not answered in ${patience / 1000} s; the call may have been written`))
    const dropped = queue.filter(late)
    if (dropped.length === 0) return
    queue = queue.filter((waiting) => !late(waiting))
    for (const { commands, reject } of dropped) {
      queued -= commands.length
      reject(new StoreUnavailable(`the store has not been free in ${patience / 1000} s; the call was not written`))
    }
  }

  async function run(): Promise<void> {
    running = true
    if (patience !== Number.POSITIVE_INFINITY) looks ??= setInterval(refuseLate, LOOK_EVERY)
    // Calls that arrive in the same turn of the event loop belong together.
    await new Promise((resolve) => setImmediate(resolve))
    while (queue.length > 0) {
      const taken = take()
      const commands = taken.flatMap((waiting) => waiting.commands)
      queued -= commands.length
      for (const waiting of taken) writing.add(waiting)
      try {
        const written = await write(commands)
        if ('durable' in written)
          void written.durable.then(
            (outcomes) => answer(taken, outcomes),
            (error: unknown) => refuse(taken, error),
          )
        else answer(taken, written)
      } catch (error) {
        if (error instanceof StoreUnavailable || taken.length === 1) refuse(taken, error)
        else await oneByOne(taken)
      }
    }
    running = false
    rest()
  }

  /** A command that cannot be settled must not take the others with it. */
  async function oneByOne(taken: readonly Waiting[]): Promise<void> {
    for (const waiting of taken) {
      try {
        const written = await write(waiting.commands)
        answer([waiting], 'durable' in written ? await written.durable : written)
      } catch (error) {
        refuse([waiting], error)
      }
    }
  }

  function answer(taken: readonly Waiting[], outcomes: readonly Outcome[]): void {
    let at = 0
    for (const { commands, resolve } of taken) {
      resolve(outcomes.slice(at, at + commands.length))
      at += commands.length
    }
    over(taken)
  }

  function refuse(taken: readonly Waiting[], error: unknown): void {
    for (const { reject } of taken) reject(error)
    over(taken)
  }

  function over(taken: readonly Waiting[]): void {
    for (const waiting of taken) writing.delete(waiting)
    rest()
  }

  /** Nothing is left to do. */
  function rest(): void {
    if (running || writing.size > 0) return
    clearInterval(looks)
    looks = undefined
    closed?.()
  }

  return {
    commit: (commands) =>
      new Promise((resolve, reject) => {
        if (closed !== null) {
          reject(new StoreUnavailable('the store is closed'))
          return
        }
        queue.push({ commands, since: performance.now(), resolve, reject })
        queued += commands.length
        if (!running) void run()
      }),
    queued: () => queued,
    close: () =>
      new Promise((resolve) => {
        closed = resolve
        rest()
      }),
  }
}
