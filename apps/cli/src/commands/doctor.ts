// primo doctor: what an operator should know of a store before it matters.

import { examineStore, openRawStore } from '@primo/service'
import { Command } from 'commander'
import { print, printJson, UsageError } from '../output.js'

interface Flags {
  readonly store?: string
  readonly json?: boolean
}

export function doctorCommand(): Command {
  return new Command('doctor')
    .description('look at a store: integrity, format, disk, clock, rights; a service may run on it meanwhile')
    .option('--store <address>', 'sqlite:PATH or postgres://...')
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      '\nExit codes: 0 well, maybe with warnings; 1 something fails.\n\nExample:\n  primo doctor --store sqlite:primo-data/primo.db\n',
    )
    .action(async ({ store, json }: Flags) => {
      if (store === undefined) throw new UsageError('--store must be given')
      await examine(store, json === true)
    })
}

async function examine(address: string, json: boolean): Promise<void> {
  const store = await openRawStore(address)
  try {
    const findings = await examineStore(store, Date.now())
    if (json) printJson({ place: store.place, findings })
    else for (const { check, state, says } of findings) print(`${state.padEnd(8)} ${check.padEnd(10)} ${says}`)
    if (findings.some(({ state }) => state === 'failure')) process.exitCode = 1
  } finally {
    await store.close()
  }
}
