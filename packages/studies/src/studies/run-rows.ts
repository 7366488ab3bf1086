// Runs a spec for a study and returns its rows in cell order.

import type { RunRow } from '@primo/lab'
import type { StudyOptions } from '@primo/lab/node'
import { cellsOf, checkRunSpec, type RunSpec, runCells } from '@primo/lab/node'

export async function runRows(spec: RunSpec, options: StudyOptions): Promise<readonly RunRow[]> {
  checkRunSpec(spec)
  const cells = cellsOf(spec)
  const rows: RunRow[] = new Array(cells.length)
  let rounds = 0
  await runCells(spec, cells, {
    ...(options.workers === undefined ? {} : { workers: options.workers }),
    onRow: ({ cell, row }) => {
      rows[cell] = row
    },
    onProgress: (more) => {
      rounds += more
      options.onProgress?.(rounds / (cells.length * spec.rounds))
    },
  })
  return rows
}

/** Regrets of one policy in one scenario, in the order of seeds. */
export function regretsOf(rows: readonly RunRow[], scenario: string, policy: string): readonly number[] {
  return rows.filter((row) => row.scenario === scenario && row.policy === policy).map((row) => row.regret!)
}

/** realised unavoidable regret of the same runs. */
export function floorsOf(rows: readonly RunRow[], scenario: string, policy: string): readonly number[] {
  return rows.filter((row) => row.scenario === scenario && row.policy === policy).map((row) => row.floor!)
}
