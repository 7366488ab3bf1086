// Answers to readers are compressed where the caller takes it, in the pool of threads: the thread that decides only hands them over.
// Answers to those who decide or report are short and go as they are, and so do exports, whose compact form is Parquet.

import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { acceptedEncoding } from './routes/accepted-encoding.js'

/** Bytes below which it is not worth it: about one packet. */
const SMALLEST = 1400

const COMPRESS = {
  br: (text: string) => compressBr(text, { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } }),
  gzip: (text: string) => compressGzip(text, { level: 4 }),
} as const
const compressBr = promisify(brotliCompress)
const compressGzip = promisify(gzip)

export function compressAnswers(server: FastifyInstance): void {
  server.addHook('onSend', async (request, reply, payload) => {
    if (request.method !== 'GET' || typeof payload !== 'string' || payload.length < SMALLEST) return payload
    if (reply.hasHeader('content-encoding')) return payload
    reply.header('vary', varying(reply.getHeader('vary')))
    const encoding = acceptedEncoding(request)
    if (encoding === null) return payload
    const compressed = await COMPRESS[encoding](payload)
    reply.header('content-encoding', encoding)
    reply.removeHeader('content-length')
    return compressed
  })
}

function varying(before: unknown): string {
  return before === undefined ? 'accept-encoding' : `${String(before)}, accept-encoding`
}
