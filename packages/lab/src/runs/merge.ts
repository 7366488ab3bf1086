// Putting shards together: the same run in parts gives the rows of the run as a whole.

import { PrimoError } from '@primo/numeric'
import type { FinishedCell, RunFile, StoredRun } from './run-folder.js'
import { cellsOf } from './run-spec.js'

/** Joins the parts of a sharded run into the rows of the whole. */
export function mergeRuns(parts: readonly { readonly path: string; readonly stored: StoredRun }[]): {
  run: RunFile
  rows: FinishedCell[]
} {
  const [first, ...others] = parts
  if (first === undefined)
    throw new PrimoError('invalid-option', 'merge must be given at least one run folder, got none')
  const { spec } = first.stored.run
  for (const { path, stored } of others) {
    if (JSON.stringify(stored.run.spec) !== JSON.stringify(spec)) {
      throw new PrimoError(
        'invalid-option',
        `run folders to merge must hold parts of one run, got "${path}" with another one`,
        { value: path },
      )
    }
  }
  const rows = new Map<number, FinishedCell>()
  for (const { path, stored } of parts) {
    for (const done of stored.rows) {
      const known = rows.get(done.cell)
      if (known !== undefined && JSON.stringify(known) !== JSON.stringify(done)) {
        throw new PrimoError(
          'invalid-option',
          `a cell must have one result, got another one for cell ${done.cell} in "${path}"`,
          { value: path },
        )
      }
      rows.set(done.cell, done)
    }
  }
  const missing = cellsOf(spec).filter(({ index }) => !rows.has(index))
  if (missing.length > 0) {
    throw new PrimoError(
      'invalid-option',
      `run folders to merge must hold all ${cellsOf(spec).length} cells, got ${rows.size}; finish the missing shards first`,
      {
        missing: missing.length,
      },
    )
  }
  return { run: { format: 1, spec, shard: null }, rows: [...rows.values()].sort((a, b) => a.cell - b.cell) }
}
