// A part of a decision log as rounds: the rows of one chunk (64 blocks, 262,144 rounds), read without the others. Row i of the
// log is round i, so blocks are the same whoever reads them. Only Parquet can be read in parts.

import { statSync } from 'node:fs'
import type { Problem } from '@primo/core'
import { CHUNK_ROUNDS, createEngine, loggedRounds, RoundTable, rewardRows, type SummableRows } from '@primo/core/engine'
import { BLOCK_ROUNDS, PrimoError } from '@primo/numeric'
import type { LogHeader } from '../log/log-header.js'
import { loggedRound, problemOfLog } from '../log/logged-round.js'
import { openParquetLog, parquetLogBatches } from '../log/parquet-log.js'
import { logFormatInside } from '../log/read-log.js'
import { tableError } from '../tables/table-error.js'

/** A Parquet log cut into chunks that can be read one by one. */
export interface ChunkedLog {
  readonly file: string
  /** With the number of rounds it tells another log under the same name. */
  readonly bytes: number
  readonly rounds: number
  readonly chunks: number
  readonly problem: Problem
  readonly header: LogHeader
  /** The closed rounds of a chunk. */
  readonly read: (chunk: number) => Promise<SummableRows>
}

/** Columns that a reward fit does not need. */
const UNUSED =
  /^(decisionId|eventId|subject|time|rewardTime|round|epoch|policyVersion|mode|holdout|propensity|propensities|eligible)$/
const UNUSED_GROUPS = /^(modelSd|revealed|observedAt|status|source|version|reason|auditProbability)\./

/** Opens a decision log in Parquet for reading by chunks. */
export async function openChunkedLog(file: string): Promise<ChunkedLog> {
  const format = logFormatInside(file)
  if (format !== 'parquet') {
    throw new PrimoError(
      'invalid-option',
      `log must be Parquet, which can be read in parts, got ${format}: "${file}" ` +
        `(primo convert --out log.parquet makes it of a log; a table needs --spec)`,
      {
        field: 'log',
        value: file,
      },
    )
  }
  const log = await openParquetLog(file)
  const { header, rounds } = log
  const problem = problemOfLog(header)
  const engine = createEngine(problem)
  const columns = (name: string) => !UNUSED.test(name) && !UNUSED_GROUPS.test(name)
  return {
    file,
    bytes: statSync(file).size,
    rounds,
    chunks: Math.ceil(rounds / CHUNK_ROUNDS),
    problem,
    header,
    read: async (chunk) => {
      const range = { from: chunk * CHUNK_ROUNDS, to: Math.min(rounds, (chunk + 1) * CHUNK_ROUNDS) }
      const taken = loggedRounds(engine)
      let number = range.from
      for await (const rows of parquetLogBatches(log, { range, columns })) {
        for (const row of rows) {
          number++
          try {
            // The fit is unweighted: it needs no propensity.
            taken.add({ ...loggedRound(header, row), propensity: 1 })
          } catch (error) {
            throw tableError('table-out-of-range', file, (error as Error).message, { row: number })
          }
        }
      }
      return rewardRows(shifted(taken.table, range.from), range, engine.encoding.actions.length)
    },
  }
}

/** The same blocks, at the place they have in the whole log. */
function shifted(table: RoundTable, from: number): RoundTable {
  const whole = new RoundTable(table.shape)
  const first = from / BLOCK_ROUNDS
  for (const block of table.blocks) whole.blocks[first + block.index] = { ...block, index: first + block.index }
  return whole
}
