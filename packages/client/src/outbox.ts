// Reports (rewards, truths, activations, voids) wait here until the service takes them. Reports of one decision stay in
// order, several decisions go at once; while the service is away, a single report probes it. A spool keeps reports
// beyond the life of the program.

import { ClientError } from './transport.js'

/** A reward, truth, activation, void or upload. The service counts a repeated one once. */
export interface Report {
  /** Of the report itself. */
  readonly id: string
  readonly call: 'reward' | 'reveal' | 'activate' | 'void' | 'upload'
  readonly problem: string
  /** A decision id or an event id; of an upload the caller. Reports of the same one stay in order. */
  readonly decision: string
  readonly body: Readonly<Record<string, unknown>>
  /** When it was made, milliseconds since 1970. */
  readonly since: number
}

/** Where reports are kept until they are taken, for the next program if this one ends before. */
export interface Spool {
  /** Reports that an earlier program left, oldest first. */
  readonly kept: () => Promise<readonly Report[]>
  readonly add: (report: Report) => Promise<void>
  readonly remove: (id: string) => Promise<void>
}

/** How long and how many reports wait for a service that is away. */
export interface ReportOptions {
  /** Milliseconds after which a report that was not taken is given up; default: one day. */
  readonly keepFor?: number
  /** Most reports that wait. Default 10,000. */
  readonly keepAtMost?: number
  /** Which are given up when more come: the newest, refused at once (default), or the oldest that is not on its way. */
  readonly dropFirst?: 'newest' | 'oldest'
  /** Keeps them on disk (`@primo/client/spool`) or elsewhere; default: in memory alone. */
  readonly spool?: Spool
  /** Told when a report was refused by the service or given up. */
  readonly onLost?: (report: Report, error: ClientError) => void
  /** Told when the spool failed; the report is sent without it. */
  readonly onSpoolFailed?: (error: unknown) => void
}

interface OutboxParts<Reply> extends ReportOptions {
  /** Which reports of a spool it takes over; default: all but uploads. */
  readonly takes?: (report: Report) => boolean
  /** Further refusals that may pass. */
  readonly waits?: (error: ClientError) => boolean
  readonly send: (report: Report) => Promise<Reply>
  /** Reports on their way at once. */
  readonly width: number
  /** Milliseconds before the first repetition; doubles up to 10 seconds, with jitter. */
  readonly backoff: number
}

export interface Outbox<Reply> {
  /** Resolves when the service has taken the report. */
  readonly add: (report: Report) => Promise<Reply>
  /** Keeps the process alive until no report waits, at most `within` ms. Resolves to the number of waiting reports. */
  readonly settled: (within?: number) => Promise<number>
  /** Reports that wait, with those that an earlier program left. */
  readonly waiting: () => number
}

interface Entry<Reply> {
  readonly report: Report
  readonly place: number
  readonly resolve: (reply: Reply) => void
  readonly reject: (error: ClientError) => void
}

const LONGEST_WAIT = 10_000
const DAY = 86_400_000

export function createOutbox<Reply>(parts: OutboxParts<Reply>): Outbox<Reply> {
  const { send, width, backoff, spool, keepFor = DAY, keepAtMost = 10_000, dropFirst = 'newest' } = parts
  const { onLost, onSpoolFailed, waits, takes = ({ call }) => call !== 'upload' } = parts
  const waiting: Entry<Reply>[] = []
  const busy = new Set<string>()
  const open = new Set<Promise<unknown>>()
  let places = 0
  let reports = 0
  let failures = 0
  let lastFailure = new ClientError('unreachable', 'no answer came', 0)
  let timer: ReturnType<typeof setTimeout> | undefined
  let holders = 0
  let ready = spool === undefined

  const spooled = (work: Promise<void> | undefined) => {
    if (work !== undefined) track(work.catch((error: unknown) => onSpoolFailed?.(error)))
  }
  function track(work: Promise<unknown>): void {
    const kept = work.finally(() => open.delete(kept))
    open.add(kept)
  }

  /** It is counted before. */
  function enter(report: Report): Promise<Reply> {
    const taken = new Promise<Reply>((resolve, reject) => {
      put({ report, place: places++, resolve, reject })
    })
    track(taken.catch(() => undefined))
    return taken
  }

  function put(entry: Entry<Reply>): void {
    const behind = waiting.findLastIndex(({ place }) => place < entry.place)
    waiting.splice(behind + 1, 0, entry)
    pump()
  }

  function leave({ report, reject }: Entry<Reply>, error: ClientError | null): void {
    reports--
    spooled(spool?.remove(report.id))
    if (error === null) return
    reject(error)
    // An exception in the caller's function must not stop the reports behind it.
    if (onLost !== undefined) queueMicrotask(() => onLost(report, error))
  }

  function pump(): void {
    if (!ready || timer !== undefined) return
    while (waiting.length > 0 && waiting[0]!.report.since + keepFor <= Date.now()) leave(waiting.shift()!, lastFailure)
    while (busy.size < (failures > 0 ? 1 : width)) {
      const next = waiting.findIndex(({ report }) => !busy.has(decisionOf(report)))
      if (next < 0) return
      void deliver(waiting.splice(next, 1)[0]!)
    }
  }

  async function deliver(entry: Entry<Reply>): Promise<void> {
    const decision = decisionOf(entry.report)
    busy.add(decision)
    try {
      const reply = await send(entry.report)
      failures = 0
      leave(entry, null)
      entry.resolve(reply)
    } catch (error) {
      const failure = error instanceof ClientError ? error : new ClientError('unreachable', String(error), 0)
      if (failure.passing || waits?.(failure) === true) {
        pause(failure)
        put(entry)
      } else {
        failures = 0
        leave(entry, failure)
      }
    } finally {
      busy.delete(decision)
      pump()
    }
  }

  function pause(failure: ClientError): void {
    lastFailure = failure
    if (timer !== undefined) return
    const grown = Math.min(LONGEST_WAIT, backoff * 2 ** failures++) * (0.5 + Math.random() / 2)
    const wait = Math.max(grown, Math.min(LONGEST_WAIT, (failure.retryAfter ?? 0) * 1000))
    timer = setTimeout(() => {
      timer = undefined
      pump()
    }, wait)
    if (holders === 0) hold(timer, false)
  }

  async function takeOver(from: Spool): Promise<void> {
    try {
      for (const report of await from.kept()) {
        if (!takes(report)) continue
        reports++
        void enter(report)
      }
    } catch (error) {
      onSpoolFailed?.(error)
    }
    ready = true
    pump()
  }
  if (spool !== undefined) track(takeOver(spool))

  return {
    waiting: () => reports,
    add: (report) => {
      if (reports >= keepAtMost) {
        const full = new ClientError('unreachable', `${reports} reports wait for the service, no more are kept`, 0)
        const oldest = dropFirst === 'oldest' ? waiting.shift() : undefined
        if (oldest === undefined) {
          onLost?.(report, full)
          return unheard(Promise.reject(full))
        }
        leave(oldest, full)
      }
      reports++
      if (spool === undefined) return enter(report)
      const added = spool.add(report).catch((error: unknown) => onSpoolFailed?.(error))
      const taken = unheard(added.then(() => enter(report)))
      track(taken.catch(() => undefined))
      return taken
    },
    settled: async (within) => {
      holders++
      if (timer !== undefined) hold(timer, true)
      let limit: ReturnType<typeof setTimeout> | undefined
      const late = new Promise<'late'>((resolve) => {
        if (within !== undefined) limit = setTimeout(() => resolve('late'), within)
      })
      while (open.size > 0) if ((await Promise.race([late, Promise.all(open)])) === 'late') break
      clearTimeout(limit)
      holders--
      if (holders === 0 && timer !== undefined) hold(timer, false)
      return reports
    },
  }
}

/** Whoever does not wait for it hears of its failure from onLost, not from the runtime. */
function unheard<T>(work: Promise<T>): Promise<T> {
  work.catch(() => undefined)
  return work
}

function decisionOf({ problem, decision }: Report): string {
  return `${problem} ${decision}`
}

/** Whether a timer keeps the process alive; browsers have no such choice. */
function hold(timer: ReturnType<typeof setTimeout>, alive: boolean): void {
  const one = timer as { readonly ref?: () => unknown; readonly unref?: () => unknown }
  if (alive) one.ref?.()
  else one.unref?.()
}
