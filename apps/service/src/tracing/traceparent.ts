// The W3C trace context: traceparent = version-traceId-spanId-flags in hex; bit 0 of the flags: the caller keeps its trace.

import { randomBytes } from 'node:crypto'

/** Where in which trace a caller is. */
export interface TraceParent {
  readonly traceId: string
  readonly spanId: string
  readonly sampled: boolean
  /** The header tracestate, which is passed on as it came. */
  readonly state: string
}

const FORM = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/
const MAX_STATE = 512

/** null: there is none, or none that the standard lets us use. */
export function readTraceparent(header: unknown, state: unknown = ''): TraceParent | null {
  if (typeof header !== 'string') return null
  const [, version, traceId, spanId, flags, more] = FORM.exec(header) ?? []
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return null
  if (/^0+$/.test(traceId!) || /^0+$/.test(spanId!)) return null
  const kept = typeof state === 'string' && state.length <= MAX_STATE && /^[\x20-\x7e]*$/.test(state) ? state : ''
  return { traceId: traceId!, spanId: spanId!, sampled: (Number.parseInt(flags!, 16) & 1) === 1, state: kept }
}

export function traceHeaders({ traceId, spanId, sampled, state }: TraceParent): Readonly<Record<string, string>> {
  const traceparent = `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`
  return state === '' ? { traceparent } : { traceparent, tracestate: state }
}

const POOL = 1 << 14
let pool = ''
let used = 0

/** Random, in hex. */
export function newId(bytes: 8 | 16): string {
  const end = used + 2 * bytes
  if (end > pool.length) {
    pool = randomBytes(POOL).toString('hex')
    used = 0
    return newId(bytes)
  }
  const id = pool.slice(used, end)
  used = end
  return id
}

/** Whether the share `ratio` of traces holds this one: the same everywhere, by the last 56 bits of its id. */
export function isInRatio(traceId: string, ratio: number): boolean {
  return ratio >= 1 || Number.parseInt(traceId.slice(18), 16) < ratio * 2 ** 56
}
