// The decision log, streamed (docs/log-format.md): as fast as its client reads, and no further once it is gone.

import { Readable } from 'node:stream'
import { DecisionFilter } from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import type { ServerParts } from '../server.js'
import { limitLongReads } from './long-reads.js'
import { endWhenStalled } from './open-stream.js'
import { ProblemParams } from './problems.js'

type Format = 'jsonl' | 'csv' | 'parquet'
const TYPES: Readonly<Record<Format, string>> = {
  jsonl: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

const text = { schema: { type: 'string' } }
const CONTENT = {
  'application/x-ndjson': text,
  'text/csv': text,
  [TYPES.parquet]: { schema: { type: 'string', format: 'binary' } },
}

const Query = Type.Object(
  {
    ...DecisionFilter.properties,
    format: Type.Optional(Type.Union([Type.Literal('jsonl'), Type.Literal('csv'), Type.Literal('parquet')])),
  },
  { additionalProperties: false },
)
type Query = Static<typeof Query>

export function logRoutes({ host, reader, stalledAfter }: ServerParts) {
  const begin = limitLongReads({ what: 'exports', perCaller: 4, inAll: 16 })

  return async (server: FastifyInstance): Promise<void> => {
    server.get<{ Params: ProblemParams; Querystring: Query }>(
      '/:problem/log',
      {
        config: { role: 'read', errors: ['too-many-reads'] },
        schema: {
          operationId: 'readLog',
          summary: 'The decision log of the current version, or the part that is asked for, one row per decision',
          params: ProblemParams,
          querystring: Query,
          response: { 200: { description: 'The log (docs/log-format.md).', content: CONTENT } },
          tags: ['log'],
        },
      },
      async (request, reply) => {
        const { format = 'jsonl', ...filter } = request.query
        const { row } = await host.upToDate(request.params.problem)
        const end = begin(request)
        const pieces = reader.exportLog(row, format, filter)
        // The first piece is read before the answer begins: where it cannot be, the answer says so.
        const first = await pieces.next().catch((error: unknown) => {
          end()
          throw error
        })
        const bytes = Readable.from(following(first, pieces), { highWaterMark: 1 })
        bytes.once('close', end)
        endWhenStalled(reply.raw, stalledAfter)
        reply.header('content-disposition', `attachment; filename="${row.name}.${format}"`)
        return reply.type(TYPES[format]).send(bytes)
      },
    )
  }
}

async function* following<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  try {
    if (first.done !== true) yield first.value
    yield* rest
  } finally {
    await rest.return(undefined)
  }
}
