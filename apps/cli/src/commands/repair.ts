// primo repair: what is whole of a damaged store, in a new one.

import { openRawStore, openRestore, repairStore } from '@primo/service'
import { Command } from 'commander'
import { print, printJson } from '../output.js'

const MAX_LINES = 50

export function repairCommand(): Command {
  return new Command('repair')
    .argument('<store>', 'the damaged store: sqlite:PATH or postgres://...; stop its service first')
    .argument('<new>', 'a store that is not there yet: sqlite:PATH, or an empty database')
    .option('--json', 'one JSON object')
    .addHelpText('after', '\nExample:\n  primo repair sqlite:primo-data/primo.db sqlite:primo-data/repaired.db\n')
    .action(async (address: string, to: string, { json }: { json?: boolean }) => {
      const source = await openRawStore(address)
      try {
        const target = await openRestore(to)
        try {
          const { problems, records, decisions, policies, left } = await repairStore(source, target)
          if (json === true) printJson({ problems, records, decisions, policies, left })
          else {
            print(`taken  ${problems} problems, ${records} records, ${decisions} decisions, ${policies} policies`)
            print(`left   ${left.length}`)
            for (const { problem, detail } of left.slice(0, MAX_LINES))
              print(`  ${problem === null ? '' : `${problem}: `}${detail}`)
            if (left.length > MAX_LINES) print(`  and ${left.length - MAX_LINES} more (--json lists all)`)
          }
        } finally {
          await target.close()
        }
      } finally {
        await source.close()
      }
    })
}
