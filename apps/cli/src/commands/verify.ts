// primo verify: whether a store is what was written to it.

import { codeModules, loadCodeModules, openRawStore, verifyStore } from '@primo/service'
import { Command } from 'commander'
import { names, printJson } from '../output.js'
import { showVerified } from '../show-verified.js'

export function verifyCommand(): Command {
  return new Command('verify')
    .argument('<store>', 'sqlite:PATH or postgres://...')
    .option('--use <files>', 'modules of your own code that its problems name, separated by commas', names, [])
    .option('--json', 'one JSON object')
    .addHelpText('after', '\nExample:\n  primo verify sqlite:primo-data/primo.db\n')
    .action(async (address: string, { json, use }: { json?: boolean; use: string[] }) => {
      const code = await loadCodeModules(codeModules(use))
      const store = await openRawStore(address)
      try {
        const verified = await verifyStore(store, code)
        if (json === true) printJson(verified)
        else showVerified(verified)
        process.exitCode = verified.damage.length === 0 ? 0 : 1
      } finally {
        await store.close()
      }
    })
}
