// The thread of long reads: exports of the log, and histories. It reads on a connection of its own, a page at a time, and an
// export goes no further than its client asks, piece by piece.

import { parentPort, workerData } from 'node:worker_threads'
import type {
  DecisionFilter,
  DecisionList,
  HistoryRange,
  OperationList,
  ServiceErrorCode,
  Trend,
} from '@primo/contract'
import { type LogFormat, logBytes } from '@primo/lab/log'
import type { ProblemRow } from '../ledger/book.js'
import { ServiceError } from '../ledger/service-error.js'
import type { LogReader, ReaderSpec } from '../ledger/store.js'
import { openReader } from '../store/open-store.js'
import type { Gate } from '../threads/thread-gate.js'
import { decisionTest } from './decision-filter.js'
import { filteredDecisions, type ListPart, listDecisions } from './decision-list.js'
import { exportHeader, exportRows } from './export-log.js'
import { createHistories, type HistoryFound } from './histories.js'
import { lowPriority } from './low-priority.js'

export type ReadingAsk =
  | { readonly exporting: ProblemRow; readonly format: LogFormat; readonly filter: DecisionFilter }
  | { readonly next: number }
  | { readonly cancel: number }
  | { readonly history: number; readonly range: HistoryRange; readonly since: string | undefined }
  | { readonly trends: readonly number[] }
  | { readonly operations: number }
  | ({ readonly listing: ProblemRow } & ListPart)

/** To an export: its number. To `next`: a piece, or null at the end. */
export type ReadingAnswer = number | Uint8Array | null | HistoryFound | readonly Trend[] | OperationList | DecisionList

export interface ReadingRequest {
  readonly id: number
  readonly ask: ReadingAsk
}

export type ReadingReply = { readonly id: number } & (
  | { readonly answer: ReadingAnswer }
  | { readonly refused: string; readonly code: ServiceErrorCode }
  | { readonly failed: string }
)

export interface ReadingStart {
  readonly reader: ReaderSpec
  readonly gate: Gate
}

const port = parentPort!
const { reader: spec, gate } = workerData as ReadingStart
const exportsOpen = new Map<number, AsyncGenerator<Uint8Array>>()
let opened: Promise<LogReader> | null = null

function reader(): Promise<LogReader> {
  opened ??= openReader(spec, gate)
  return opened
}

const histories = createHistories(async (problem, after, limit) =>
  (await reader()).read(problem, after, Number.MAX_SAFE_INTEGER, limit),
)

async function answer(id: number, ask: ReadingAsk): Promise<ReadingAnswer> {
  if ('history' in ask) return histories.history(ask.history, ask.range, ask.since)
  if ('trends' in ask) return histories.trends(ask.trends)
  if ('operations' in ask) return histories.operations(ask.operations)
  if ('listing' in ask) return listDecisions(await reader(), ask.listing, ask)
  if ('exporting' in ask) {
    const { exporting: row, format, filter } = ask
    const decisions = filteredDecisions(await reader(), row, filter)
    const test = decisionTest(filter, row.definition.reward.aggregate)
    exportsOpen.set(id, logBytes(exportHeader(row), exportRows(row, decisions, test), format))
    return id
  }
  const given = 'next' in ask ? ask.next : ask.cancel
  const bytes = exportsOpen.get(given)
  if (bytes === undefined) return null
  if ('next' in ask) {
    const { value, done } = await bytes.next()
    if (done !== true) return value
  }
  exportsOpen.delete(given)
  await bytes.return(undefined)
  return null
}

port.on('message', (request: ReadingRequest | 'close') => {
  if (request === 'close') return close()
  const { id, ask } = request
  answer(id, ask).then(
    (found) => port.postMessage({ id, answer: found } satisfies ReadingReply, ownMemory(found)),
    (error: unknown) => {
      const said =
        error instanceof ServiceError
          ? { refused: error.message, code: error.code }
          : { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }
      port.postMessage({ id, ...said } satisfies ReadingReply)
    },
  )
})

/** The thread ends once the page under way is read. */
function close(): void {
  port.close()
  void opened?.then((reader) => reader.close()).catch(() => undefined)
}

/** Handed over, not copied; a small piece shares its memory with others. */
function ownMemory(found: ReadingAnswer): ArrayBuffer[] {
  const own = found instanceof Uint8Array && found.byteLength === found.buffer.byteLength
  return own ? [found.buffer as ArrayBuffer] : []
}

lowPriority()
