// primo verify: whether a store is what was written to it.

import { codeModules, loadCodeModules, openRawStore, verifyStore } from '@primo/service'
import { Command } from 'commander'
import { names, print, printJson } from '../output.js'

const MAX_LINES = 50

export function verifyCommand(): Command {
  return new Command('verify')
    .description('check every record, sum, decision and policy of a store; a service may run on it meanwhile')
    .argument('<store>', 'sqlite:PATH or postgres://...')
    .option('--use <files>', 'modules of your own code that its problems name, separated by commas', names, [])
    .option('--json', 'one JSON object')
    .addHelpText('after', '\nExample:\n  primo verify sqlite:primo-data/primo.db\n')
    .action(async (address: string, { json, use }: { json?: boolean; use: string[] }) => {
      const code = await loadCodeModules(codeModules(use))
      const store = await openRawStore(address)
      try {
        const verified = await verifyStore(store, code)
        const { damage, otherVersion, beyond } = verified
        if (json === true) printJson(verified)
        else {
          print(`problems     ${verified.problems}`)
          print(`rows         ${verified.rows}`)
          print(`decisions    ${verified.decisions}, ${verified.propensities} decided again`)
          print(`policies     ${verified.policies} learnt again`)
          for (const policy of otherVersion) print(`  ${policy}: fitted by another version of Primo`)
          for (const policy of beyond) print(`  ${policy}: retention has removed rounds of it, or they were forgotten`)
          print(`damaged      ${damage.length}`)
          for (const { problem, detail } of damage.slice(0, MAX_LINES))
            print(`  ${problem === null ? '' : `${problem}: `}${detail}`)
          if (damage.length > MAX_LINES) print(`  and ${damage.length - MAX_LINES} more (--json lists all)`)
        }
        process.exitCode = damage.length === 0 ? 0 : 1
      } finally {
        await store.close()
      }
    })
}
