// Sends decisions, rewards and truths to the service: in batches, in order, until it takes each batch. Batches are
// reports of an outbox, so they wait, repeat and spool as rewards of the HTTP client do.

import { isErrorCode, type UploadItem, type UploadReply } from '@primo/contract'
import { createOutbox, type Report, type ReportOptions, type Spool } from '../outbox.js'
import { ClientError, createTransport, type TransportOptions } from '../transport.js'

/** How batches are made, and how they wait; reports are batches here. */
export interface UploadOptions extends ReportOptions {
  /** Most items of a batch, up to 1,000; default 500. */
  readonly size?: number
  /** Milliseconds that an item waits for others; default 50. */
  readonly wait?: number
  /** Told of each item that the service refused. */
  readonly onRefused?: (item: UploadItem, error: ClientError) => void
}

/** Who must have an item before it counts as acknowledged: the service, the spool, or this program. */
export type Acknowledge = 'commit' | 'spool' | 'memory'

/** Counts of what was handed over. */
export interface UploadCounts {
  readonly accepted: number
  readonly repeated: number
  readonly refused: number
  /** Items of batches that were given up. */
  readonly lost: number
  /** Items of this program that wait. */
  readonly waiting: number
  /** Batches that wait, with those that an earlier program left, as a share of the most that may. */
  readonly pressure: number
}

export interface Uploads {
  /** `item` becomes what is uploaded when its batch is made. */
  readonly add: (item: Pending) => void
  /** Resolves when all that was added so far is acknowledged; rejects where some was lost. */
  readonly acknowledged: () => Promise<void>
  /** Resolves when fewer batches wait than this share of the most that may. */
  readonly room: (share: number) => Promise<void>
  readonly settled: (within?: number) => Promise<number>
  readonly counts: () => UploadCounts
}

interface Parts extends TransportOptions {
  readonly problem: string
  readonly caller: string
  readonly acknowledge: Acknowledge
  readonly uploads: UploadOptions
  /** The live policy, as an answer names it. */
  readonly told: (policy: string) => void
}

/** Something to upload. */
export interface Pending {
  /** The policy that it was decided by, or that was live. */
  readonly policy: string
  readonly toItem: () => UploadItem
}

type Body = { readonly policy: string; readonly items: readonly UploadItem[] }
type UploadBody = Body & { readonly caller: string }

/** The result of a batch, which may have been sent in parts. */
interface Sent {
  readonly accepted: number
  readonly repeated: number
  readonly refused: readonly (readonly [UploadItem, ClientError])[]
  /** The live policy; null: no part was taken. */
  readonly policy: string | null
}

const MAX_BATCHES = 1000
/** Most items that the service takes in one call. */
export const MAX_SIZE = 1000
/** Calls by which a batch that was refused as a whole is sent in parts. */
const MAX_PARTS = 64

export function createUploads({ problem, caller, acknowledge, uploads, told, ...transport }: Parts): Uploads {
  const { size = 500, wait = 50, onRefused, keepAtMost = MAX_BATCHES, spool } = uploads
  const call = createTransport(transport)
  const counts = { accepted: 0, repeated: 0, refused: 0, lost: 0, waiting: 0 }
  const spooled = new Map<string, { readonly resolve: () => void; readonly reject: (error: unknown) => void }>()
  /** Not in a batch yet. */
  const items: Pending[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Others may share the spool, under the same name. */
  const run = `${caller}/${Date.now().toString(36)}${Math.floor(Math.random() * 36 ** 5).toString(36)}`
  let made = 0
  /** Batches that are not acknowledged yet, and the last failure that nobody has heard of. */
  const open = new Set<Promise<void>>()
  let unheard: Promise<void> | null = null
  const waiters: { readonly below: number; readonly resolve: () => void }[] = []

  const watched: Spool | undefined = spool && {
    kept: () => spool.kept(),
    add: async (report) => {
      try {
        await spool.add(report)
        spooled.get(report.id)?.resolve()
      } catch (error) {
        spooled.get(report.id)?.reject(error)
        throw error
      } finally {
        spooled.delete(report.id)
      }
    },
    remove: (id) => spool.remove(id),
  }

  const path = `/v1/problems/${encodeURIComponent(problem)}/uploads`
  const outbox = createOutbox<void>({
    ...uploads,
    ...(watched === undefined ? {} : { spool: watched }),
    keepAtMost,
    takes: (report) => report.call === 'upload' && report.problem === problem,
    // A program with a key that counts can send what is in the spool.
    waits: ({ status }) => spool !== undefined && status === 401,
    width: 1,
    backoff: transport.backoff ?? 100,
    onLost: (report, error) => {
      counts.lost += (report.body as unknown as Body).items.length
      setTimeout(makeRoom, 0)
      uploads.onLost?.(report, error)
    },
    send: async ({ decision, body }) => {
      const { policy, items: sent } = body as unknown as Body
      const found = await sendParts({ caller: decision, policy, items: sent }, { left: MAX_PARTS })
      if (found.policy === null) throw found.refused[0]![1]
      counts.accepted += found.accepted
      counts.repeated += found.repeated
      counts.refused += found.refused.length
      for (const [item, error] of found.refused) {
        // Its own failure must not send the batch again.
        if (onRefused !== undefined) queueMicrotask(() => onRefused(item, error))
      }
      told(found.policy)
      // When the outbox has counted it.
      setTimeout(makeRoom, 0)
    },
  })

  /** Sends items. If the service rejects all because of one malformed item, or for their size, sends them in halves. */
  async function sendParts(body: UploadBody, calls: { left: number }): Promise<Sent> {
    const { items: sent } = body
    calls.left--
    try {
      const reply = await call<UploadReply>(path, { body, retries: 0 })
      const refused = reply.refused.map(({ item, error: { code, detail, status } }) => {
        const error = new ClientError(isErrorCode(code) ? code : 'internal', detail, status)
        return [sent[item]!, error] as const
      })
      return { ...reply, refused }
    } catch (error) {
      if (!(error instanceof ClientError) || (error.status !== 400 && error.status !== 413)) throw error
      if (sent.length === 1 || calls.left < 2)
        return { accepted: 0, repeated: 0, refused: sent.map((item) => [item, error] as const), policy: null }
      const half = sent.length >> 1
      const first = await sendParts({ ...body, items: sent.slice(0, half) }, calls)
      const rest = await sendParts({ ...body, items: sent.slice(half) }, calls)
      return {
        accepted: first.accepted + rest.accepted,
        repeated: first.repeated + rest.repeated,
        refused: [...first.refused, ...rest.refused],
        policy: rest.policy ?? first.policy,
      }
    }
  }

  const pressure = () => outbox.waiting() / keepAtMost

  function makeRoom(): void {
    for (let k = waiters.length - 1; k >= 0; k--)
      if (pressure() < waiters[k]!.below || outbox.waiting() === 0) waiters.splice(k, 1)[0]!.resolve()
  }

  function schedule(soon: boolean): void {
    if (timer !== undefined && !soon) return
    clearTimeout(timer)
    timer = setTimeout(flush, soon ? 0 : wait)
    ;(timer as { readonly unref?: () => void }).unref?.()
  }

  /** Makes one batch, of one policy; others follow in their own turns of the event loop. */
  function flush(): void {
    clearTimeout(timer)
    timer = undefined
    if (items.length === 0) return
    const [{ policy }] = items as [Pending]
    const other = items.findIndex((one) => one.policy !== policy)
    const taken = items.splice(0, Math.min(size, other < 0 ? items.length : other))
    const batch = taken.flatMap(asItem)
    if (batch.length > 0) send(policy, batch)
    if (items.length > 0) schedule(items.length >= size || items[0]!.policy !== policy)
  }

  /** None where it cannot be written as JSON. */
  function asItem(one: Pending): UploadItem[] {
    try {
      return [one.toItem()]
    } catch {
      counts.waiting--
      counts.lost++
      return []
    }
  }

  function flushAll(): void {
    while (items.length > 0) flush()
  }

  function send(policy: string, batch: readonly UploadItem[]): void {
    const id = `${run}/${(made++).toString(36)}`
    const report: Report = {
      id,
      call: 'upload',
      problem,
      decision: caller,
      body: { policy, items: batch } satisfies Body,
      since: Date.now(),
    }
    const kept = new Promise<void>((resolve, reject) => {
      if (acknowledge === 'spool' && spool !== undefined) spooled.set(id, { resolve, reject })
      else resolve()
    })
    const taken = outbox.add(report)
    taken
      .catch((error: unknown) => spooled.get(id)?.reject(error))
      .finally(() => {
        spooled.delete(id)
        counts.waiting -= batch.length
      })
    const done = acknowledge === 'commit' ? taken : kept
    open.add(done)
    done
      .catch(() => {
        unheard = done
      })
      .finally(() => open.delete(done))
  }

  /** A failure reaches everybody who waits for the batch, or else the next call. */
  async function acknowledged(): Promise<void> {
    flushAll()
    const asked = [...open, ...(unheard === null ? [] : [unheard])]
    const results = await Promise.allSettled(asked)
    if (unheard !== null && asked.includes(unheard)) unheard = null
    for (const result of results) if (result.status === 'rejected') throw result.reason
  }

  return {
    counts: () => ({ ...counts, pressure: pressure() }),
    add: (item) => {
      // Nobody let the event loop run for long: batches are made now, so that the limit holds.
      if (items.length >= size * keepAtMost) flushAll()
      items.push(item)
      counts.waiting++
      if (items.length === 1) schedule(false)
      else if (items.length === size) schedule(true)
    },
    acknowledged: () => (acknowledge === 'memory' ? Promise.resolve() : acknowledged()),
    room: (share) =>
      new Promise((resolve) => {
        waiters.push({ below: share, resolve })
        makeRoom()
      }),
    settled: async (within) => {
      flushAll()
      return outbox.settled(within)
    },
  }
}
