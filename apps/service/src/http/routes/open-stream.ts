// A stream of server-sent events. It ends with the key that opened it, and when its client reads nothing any more.

import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import { constants, createGzip } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { KeyRing } from '../key-ring.js'
import { isStillAllowed } from './authorize.js'

const HEARTBEAT = 15_000
/** Milliseconds between two looks whether the key still counts. Every event looks, too. */
const LOOK_EVERY = 1000
/** About 50 kB a stream. */
const SMALL = { level: 1, windowBits: 13, memLevel: 5, flush: constants.Z_SYNC_FLUSH }

export interface StreamOptions {
  readonly keys: KeyRing
  /** The key must be for all of them. */
  readonly problems: readonly string[]
  readonly compressed?: boolean
  readonly stalledAfter: number
  readonly onClose: () => void
}

export interface EventStream {
  /** Ends the stream instead if its key no longer counts. */
  readonly send: (event: string, data: unknown) => void
  /** The client has not read what was sent. */
  readonly isFull: () => boolean
  readonly end: () => void
}

export function openStream(request: FastifyRequest, reply: FastifyReply, options: StreamOptions): EventStream {
  const { keys, problems, compressed = false, stalledAfter, onClose } = options
  reply.hijack()
  const response = reply.raw
  response.writeHead(200, {
    ...(reply.getHeaders() as Record<string, string>),
    'content-type': 'text/event-stream',
    'cache-control': 'no-store',
    ...(compressed ? { 'content-encoding': 'gzip' } : {}),
  })
  endWhenStalled(response, stalledAfter)
  const out: Writable = compressed ? createGzip(SMALL) : response
  if (out !== response) out.pipe(response)
  const { write, stop } = writeWhileAllowed(out, () => isStillAllowed(keys, request, problems))
  const close = () => {
    stop()
    if (out !== response) out.destroy()
    onClose()
  }
  // The client may have left before the stream was open.
  if (response.closed) queueMicrotask(close)
  else response.once('close', close)
  write(': here\n\n')
  return {
    send: (event, data) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    isFull: () => out.writableNeedDrain,
    end: () => void out.end(),
  }
}

/** As much of a stream as writing takes. */
export interface Sink {
  readonly writableEnded: boolean
  readonly write: (text: string) => unknown
  readonly end: () => unknown
}

/** Writes while the key counts, and ends once it does not: it looks before each write and every second. */
export function writeWhileAllowed(
  out: Sink,
  isAllowed: () => boolean,
): { readonly write: (text: string) => void; readonly stop: () => void } {
  const write = (text: string) => {
    if (out.writableEnded) return
    if (isAllowed()) out.write(text)
    else out.end()
  }
  const look = setInterval(() => write(''), LOOK_EVERY)
  const heart = setInterval(() => write(': still here\n\n'), HEARTBEAT)
  const stop = () => {
    clearInterval(look)
    clearInterval(heart)
  }
  return { write, stop }
}

/** Ends an answer whose client has taken none of what waits for it, for so many milliseconds. */
export function endWhenStalled(response: ServerResponse, milliseconds: number): void {
  response.setTimeout(milliseconds, () => {
    if (response.writableLength > 0) response.destroy()
  })
}
