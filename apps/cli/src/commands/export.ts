// primo export: the decision log of a problem, out of a store.

import { writeLog } from '@primo/lab/node'
import { exportHeader, exportRows, openExistingStore } from '@primo/service'
import { Command } from 'commander'
import { withArchive } from '../archive-place.js'
import { print, printJson, UsageError } from '../output.js'

interface Flags {
  store: string
  problem: string
  out: string
  archive?: string
  json?: boolean
}

export function exportCommand(): Command {
  return new Command('export')
    .requiredOption('--store <address>', 'sqlite:PATH or postgres://...')
    .requiredOption('--problem <name>', 'the problem')
    .requiredOption('--out <file>', 'ends in .jsonl, .csv or .parquet')
    .option('--archive <place>', 'decisions of this archive come first, those of the store that follow it after them')
    .option('--json', 'one JSON object on stdout')
    .addHelpText(
      'after',
      '\nExample:\n  primo export --store sqlite:primo-data/primo.db --problem dose --out dose.parquet\n',
    )
    .action(async ({ store: address, problem, out, archive, json }: Flags) => {
      const store = await openExistingStore(address)
      try {
        const row = await store.problem(problem)
        if (row === undefined) throw new UsageError(`--problem must be in the store, got "${problem}"`)
        const header = exportHeader(row)
        const stored = (from: number) => exportRows(row, store.allDecisions(row.id, row.version, from))
        const whole = await withArchive(archive, header, stored)
        const rows = await writeLog(out, header, whole.rows())
        whole.close()
        if (json === true) printJson({ problem, rows, out })
        else print(`wrote ${rows} decisions to ${out}`)
      } finally {
        await store.close()
      }
    })
}
