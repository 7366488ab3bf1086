// Spans of OpenTelemetry. A span of a caller that keeps its trace is kept, one of a caller that does not is not; where no caller says,
// a share of traces is. What is kept is written as OTLP JSON, in ASCII, when it ends; attributes are written when they are set.

import { isInRatio, newId, readTraceparent, type TraceParent, traceHeaders } from './traceparent.js'

const ORIGIN = performance.timeOrigin

/** As OTLP numbers them. */
export const SpanKind = { internal: 1, server: 2, client: 3 } as const

type Value = string | number | boolean

export interface Span {
  /** What a called service needs to go on with the trace. */
  readonly headers: () => Readonly<Record<string, string>>
  readonly child: (name: string, kind?: number) => Span
  readonly set: (key: string, value: Value) => void
  /** Attributes as `attributesJson` has written them once for many spans. */
  readonly put: (attributes: string) => void
  /** `failure`: what went wrong, in a word. */
  readonly end: (failure?: string) => void
}

export interface Tracer {
  /** Goes on with the trace of a caller, or begins one. */
  readonly begin: (name: string, caller?: Readonly<Record<string, unknown>>) => Span
  /** Something that ended now and took this long, in a trace of its own. */
  readonly record: (
    name: string,
    seconds: number,
    attributes: Readonly<Record<string, Value>>,
    failure?: string,
  ) => void
}

/** `keep` takes each span that has ended, as OTLP JSON. */
export function createTracer(ratio: number, keep: (span: string) => void): Tracer {
  const root = (name: string, kind: number, parent: TraceParent | null, start = now()): Span => {
    const traceId = parent?.traceId ?? newId(16)
    const sampled = parent?.sampled ?? isInRatio(traceId, ratio)
    const own = { traceId, spanId: newId(8), sampled, state: parent?.state ?? '' }
    return sampled ? new KeptSpan(own, parent?.spanId ?? '', name, kind, start, keep) : passedSpan(parent ?? own)
  }
  return {
    begin: (name, caller = {}) => root(name, SpanKind.server, readTraceparent(caller.traceparent, caller.tracestate)),
    record: (name, seconds, attributes, failure) => {
      // These are rare: all of them are kept where any trace is.
      if (ratio === 0) return
      const parent = { traceId: newId(16), spanId: '', sampled: true, state: '' }
      const span = root(name, SpanKind.internal, parent, now() - 1000 * seconds)
      span.put(attributesJson(attributes))
      span.end(failure)
    },
  }
}

class KeptSpan implements Span {
  private attributes = ''

  constructor(
    private readonly own: TraceParent,
    private readonly parentId: string,
    private readonly name: string,
    private readonly kind: number,
    private readonly start: number,
    private readonly keep: (span: string) => void,
  ) {}

  headers(): Readonly<Record<string, string>> {
    return traceHeaders(this.own)
  }

  child(name: string, kind: number = SpanKind.internal): Span {
    const { traceId, spanId, sampled, state } = this.own
    return new KeptSpan({ traceId, spanId: newId(8), sampled, state }, spanId, name, kind, now(), this.keep)
  }

  set(key: string, value: Value): void {
    this.put(`{"key":"${key}","value":${valueJson(value)}}`)
  }

  put(attributes: string): void {
    this.attributes = this.attributes === '' ? attributes : `${this.attributes},${attributes}`
  }

  end(failure?: string): void {
    if (failure !== undefined) this.set('error.type', failure)
    const { traceId, spanId, state } = this.own
    const parent = this.parentId === '' ? '' : `"parentSpanId":"${this.parentId}",`
    const traceState = state === '' ? '' : `"traceState":${ascii(state)},`
    const status = failure === undefined ? '' : `,"status":{"code":2,"message":${ascii(failure)}}`
    const attributes = this.attributes === '' ? '' : `,"attributes":[${this.attributes}]`
    this.keep(
      `{"traceId":"${traceId}","spanId":"${spanId}",${parent}${traceState}"name":"${this.name}","kind":${this.kind},` +
        `"startTimeUnixNano":"${nanoseconds(this.start)}","endTimeUnixNano":"${nanoseconds(now())}"` +
        `${attributes}${status}}`,
    )
  }
}

/** Work as a part of a span. */
export async function inside<T>(span: Span, name: string, work: (child: Span) => Promise<T>): Promise<T> {
  const child = span.child(name)
  try {
    const done = await work(child)
    child.end()
    return done
  } catch (error) {
    child.end(error instanceof Error ? error.name : 'error')
    throw error
  }
}

/** Says to called services that the trace is not kept, and nothing else. */
function passedSpan(own: TraceParent): Span {
  const span: Span = {
    headers: () => traceHeaders(own),
    child: () => span,
    set: () => undefined,
    put: () => undefined,
    end: () => undefined,
  }
  return span
}

export function attributesJson(attributes: Readonly<Record<string, Value>>): string {
  return Object.entries(attributes)
    .map(([key, value]) => `{"key":${ascii(key)},"value":${valueJson(value)}}`)
    .join()
}

/** JSON of a text in which every character is a byte. */
export function ascii(text: string): string {
  const json = JSON.stringify(text)
  if (!/[^\x20-\x7e]/.test(json)) return json
  return json.replace(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** An integer of 64 bits is a string in OTLP JSON. */
function valueJson(value: Value): string {
  if (typeof value === 'string') return `{"stringValue":${ascii(value)}}`
  if (typeof value === 'boolean') return `{"boolValue":${value}}`
  return Number.isSafeInteger(value) ? `{"intValue":"${value}"}` : `{"doubleValue":${value}}`
}

/** Milliseconds since 1970, in fractions; it does not jump with the clock. */
function now(): number {
  return ORIGIN + performance.now()
}

/** To the microsecond; small integers are written faster than large ones. */
function nanoseconds(time: number): string {
  const seconds = Math.floor(time / 1000)
  const micros = Math.floor(1000 * (time - 1000 * seconds))
  return `${seconds}${String(1_000_000 + micros).slice(1)}000`
}
