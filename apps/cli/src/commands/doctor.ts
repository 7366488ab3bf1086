// primo doctor: what should be known of a log before it is evaluated, or of a store before it matters.

import { Command } from 'commander'
import { print, printJson, UsageError } from '../output.js'

interface Flags {
  readonly store?: string
  readonly spec?: string
  readonly table?: string
  readonly json?: boolean
}

export function doctorCommand(): Command {
  return new Command('doctor')
    .argument('[log]', 'a decision log (docs/log-format.md), or a table of decisions with --spec')
    .option(
      '--table <query>',
      "in place of a table: a query in DuckDB's SQL, such as \"select * from 'visits/*.parquet'\"",
    )
    .option('--spec <file>', 'what each column of a table is, as primo inspect --action --reward writes it')
    .option('--store <address>', 'sqlite:PATH or postgres://...')
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      '\nExit codes: 0 well, maybe with warnings; 1 something fails.\n\nExamples:\n  primo doctor log.jsonl\n  primo doctor --store sqlite:primo-data/primo.db\n',
    )
    .action(async (log: string | undefined, { store, spec, table, json }: Flags) => {
      const file = log ?? table
      if ((file === undefined) === (store === undefined))
        throw new UsageError('a log or --store must be given, and not both')
      if (file !== undefined) await examineFile(file, spec, json === true)
      else await examineAddress(store!, json === true)
    })
}

async function examineFile(file: string, spec: string | undefined, json: boolean): Promise<void> {
  const { examineLog, logHealthText } = await import('@primo/lab')
  const { logOf } = await import('./spec-log.js')
  const { header, rows } = await logOf(file, spec)
  const health = await examineLog(header, rows())
  if (json) printJson({ place: file, ...health })
  else print(logHealthText(health))
  endWith(health.findings)
}

async function examineAddress(address: string, json: boolean): Promise<void> {
  const { examineStore, openRawStore } = await import('@primo/service')
  const store = await openRawStore(address)
  try {
    const findings = await examineStore(store, Date.now())
    if (json) printJson({ place: store.place, findings })
    else for (const { check, state, says } of findings) print(`${state.padEnd(8)} ${check.padEnd(10)} ${says}`)
    endWith(findings)
  } finally {
    await store.close()
  }
}

function endWith(findings: readonly { readonly state: string }[]): void {
  if (findings.some(({ state }) => state === 'failure')) process.exitCode = 1
}
