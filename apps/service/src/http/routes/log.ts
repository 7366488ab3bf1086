// The decision log, streamed (docs/log-format.md).

import { Readable } from 'node:stream'
import { logBytes } from '@primo/lab/node'
import type { FastifyInstance } from 'fastify'
import Type from 'typebox'
import { pagedDecisions } from '../../ledger/paged-decisions.js'
import { exportHeader, exportRows } from '../../reports/export-log.js'
import type { ServerParts } from '../server.js'
import { ProblemParams } from './problems.js'

type Format = 'jsonl' | 'csv' | 'parquet'
const TYPES: Readonly<Record<Format, string>> = {
  jsonl: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
}

const Query = Type.Object(
  { format: Type.Optional(Type.Union([Type.Literal('jsonl'), Type.Literal('csv'), Type.Literal('parquet')])) },
  { additionalProperties: false },
)

export function logRoutes({ host }: ServerParts) {
  return async (server: FastifyInstance): Promise<void> => {
    server.get<{ Params: ProblemParams; Querystring: { format?: Format } }>(
      '/:problem/log',
      {
        config: { role: 'read' },
        schema: {
          summary: 'The decision log of the current version, one row per decision',
          params: ProblemParams,
          querystring: Query,
          tags: ['log'],
        },
      },
      async (request, reply) => {
        const { format = 'jsonl' } = request.query
        const { row } = await host.upToDate(request.params.problem)
        const bytes = logBytes(
          exportHeader(row),
          exportRows(row, pagedDecisions(host.store, row.id, row.version)),
          format,
        )
        reply.header('content-disposition', `attachment; filename="${row.name}.${format}"`)
        return reply.type(TYPES[format]).send(Readable.from(bytes))
      },
    )
  }
}
