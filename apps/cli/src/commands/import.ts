// primo import: loads a decision log into a store, so that a problem starts from earlier decisions and rewards.

import type { ProblemDefinition } from '@primo/contract'
import type { LogRow } from '@primo/lab'
import { definitionOfLog, importCommands, openStore, startHost } from '@primo/service'
import { Command } from 'commander'
import { readJson } from '../json-file.js'
import { print, printJson } from '../output.js'
import { addTableArgument, tableOf } from '../table-flags.js'
import { logOf } from './spec-log.js'

interface Flags {
  store: string
  problem: string
  definition?: string
  spec?: string
  table?: string
  json?: boolean
}

const BATCH = 1000

export function importCommand(): Command {
  const command = new Command('import')
  return addTableArgument(command, 'a decision log (docs/log-format.md), or a table of decisions with --spec')
    .requiredOption('--store <address>', 'sqlite:PATH or postgres://...')
    .requiredOption('--problem <name>', 'an existing problem, or a new one')
    .option('--definition <file>', 'JSON definition of a new problem (default: made from the log)')
    .option('--spec <file>', 'what each column of a table is, as primo inspect --action --reward writes it')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', '\nExample:\n  primo import dose.parquet --store sqlite:primo-data/primo.db --problem dose\n')
    .action(async (file: string | undefined, flags: Flags) => {
      const { header, rows } = await logOf(tableOf(file, flags.table), flags.spec)
      const store = await openStore(flags.store)
      const quiet = () => undefined
      const host = await startHost({
        store,
        tickEvery: 0,
        events: { decided: quiet, replaced: quiet, fitted: quiet, fitFailed: quiet, changed: quiet },
      })
      let imported = 0
      let known = 0
      try {
        if ((await store.problem(flags.problem)) === undefined || flags.definition !== undefined) {
          const definition =
            flags.definition === undefined
              ? definitionOfLog(header)
              : readJson<ProblemDefinition>('--definition', flags.definition)
          await host.define(flags.problem, definition, false)
        }
        const problem = await host.problem(flags.problem)
        let batch: LogRow[] = []
        const flush = async () => {
          if (batch.length === 0) return
          const outcomes = await store.commit(importCommands(problem, header, batch))
          for (const outcome of outcomes) {
            if (!('duplicate' in outcome)) throw new Error('the problem was changed during the import')
            if (outcome.duplicate) known++
            else imported++
          }
          batch = []
          if (process.stderr.isTTY) process.stderr.write(`\r${imported + known} rows`)
        }
        for await (const row of rows()) {
          batch.push(row)
          if (batch.length === BATCH) await flush()
        }
        await flush()
        if (process.stderr.isTTY) process.stderr.write('\n')
      } finally {
        await host.close()
        await store.close()
      }
      if (flags.json === true) printJson({ problem: flags.problem, imported, known })
      else
        print(`imported ${imported} decisions into ${flags.problem}${known > 0 ? `; ${known} were already there` : ''}`)
    })
}
