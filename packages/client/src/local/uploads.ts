// What was decided and learnt, on its way to the service: in batches, in order, until each is taken. Batches are the reports of an outbox, so
// they wait, repeat and spool as those do.

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

/** What an acknowledgement means: the service has it; the spool has it; this program has it. */
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

const MAX_BATCHES = 1000

export function createUploads({ problem, caller, acknowledge, uploads, told, ...transport }: Parts): Uploads {
  const { size = 500, wait = 50, onRefused, keepAtMost = MAX_BATCHES, spool } = uploads
  const call = createTransport(transport)
  const counts = { accepted: 0, repeated: 0, refused: 0, lost: 0, waiting: 0 }
  const spooled = new Map<string, { readonly resolve: () => void; readonly reject: (error: unknown) => void }>()
  /** What is in no batch yet. */
  const items: Pending[] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let made = 0
  /** Acknowledgement of all batches so far; a failure stays until it is heard. */
  let last: Promise<void> = Promise.resolve()
  const waiters: { readonly below: number; readonly resolve: () => void }[] = []

  const watched: Spool | undefined = spool && {
    kept: async () => (await spool.kept()).filter((report) => report.call === 'upload' && report.problem === problem),
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
    remove: spool.remove,
  }

  const outbox = createOutbox<UploadReply>({
    ...uploads,
    ...(watched === undefined ? {} : { spool: watched }),
    keepAtMost,
    width: 1,
    backoff: transport.backoff ?? 100,
    onLost: (report, error) => {
      counts.lost += (report.body as unknown as Body).items.length
      uploads.onLost?.(report, error)
    },
    send: async ({ problem: name, decision, body }) => {
      const { items: sent } = body as unknown as Body
      const path = `/v1/problems/${encodeURIComponent(name)}/uploads`
      const reply = await call<UploadReply>(path, { body: { caller: decision, ...body }, retries: 0 })
      counts.accepted += reply.accepted
      counts.repeated += reply.repeated
      counts.refused += reply.refused.length
      for (const { item, error } of reply.refused) {
        const { code, detail, status } = error
        onRefused?.(sent[item]!, new ClientError(isErrorCode(code) ? code : 'internal', detail, status))
      }
      told(reply.policy)
      // When the outbox has counted it.
      setTimeout(makeRoom, 0)
      return reply
    },
  })

  const pressure = () => outbox.waiting() / keepAtMost

  function makeRoom(): void {
    for (let k = waiters.length - 1; k >= 0; k--) if (pressure() < waiters[k]!.below) waiters.splice(k, 1)[0]!.resolve()
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
    send(
      policy,
      taken.map((one) => one.toItem()),
    )
    if (items.length > 0) schedule(items.length >= size || items[0]!.policy !== policy)
  }

  function flushAll(): void {
    while (items.length > 0) flush()
  }

  function send(policy: string, batch: readonly UploadItem[]): void {
    const id = `${caller}/${Date.now().toString(36)}/${(made++).toString(36)}`
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
        counts.waiting -= batch.length
      })
    const done = acknowledge === 'commit' ? taken.then(() => undefined) : kept
    const all = Promise.all([last, done]).then(() => undefined)
    all.catch(() => undefined)
    last = all
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
    acknowledged: () => {
      if (acknowledge === 'memory') return Promise.resolve()
      flushAll()
      const answer = last
      last = Promise.resolve()
      return answer
    },
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
