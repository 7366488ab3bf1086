// What backup and restore share: a store copied as of one moment, and the copy checked.

import { codeModules, copyStore, loadCodeModules } from '@primo/service'
import type { Command } from 'commander'
import { names, print, printJson } from './output.js'
import { showVerified } from './show-verified.js'

interface CopyFlags {
  readonly quick?: boolean
  readonly use: string[]
  readonly json?: boolean
}

export function copyFlags(command: Command): Command {
  return command
    .option('--quick', 'check the rows and sums of the copy only; do not decide and learn everything again')
    .option('--use <files>', 'modules of your own code that its problems name, separated by commas', names, [])
    .option('--json', 'one JSON object')
}

/** Copies, tells, and sets the exit code. */
export async function copyAndTell(from: string, to: string, { quick, use, json }: CopyFlags): Promise<void> {
  const code = await loadCodeModules(codeModules(use))
  const verified = await copyStore(from, to, { code, depth: quick === true ? 'rows' : 'all' })
  const whole = verified.damage.length === 0
  if (json === true) printJson(verified)
  else {
    showVerified(verified)
    print(whole ? `copied       to ${verified.place}` : `not copied   the store is damaged: see primo repair`)
  }
  process.exitCode = whole ? 0 : 1
}
