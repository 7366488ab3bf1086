// primo inspect FILE: what a table holds, what is missing and looks wrong, and a spec that the other commands take.

import { existsSync, writeFileSync } from 'node:fs'
import { profileTable, profileText } from '@primo/lab/node'
import { Command } from 'commander'
import { print, printJson, UsageError } from '../output.js'
import { addFormatFlags, type FormatFlags } from '../table-flags.js'

interface InspectFlags extends FormatFlags {
  readonly out?: string
  readonly json?: boolean
}

export function inspectCommand(): Command {
  const command = new Command('inspect').argument('<file>', 'a table with a header')
  return addFormatFlags(command)
    .option('--out <file>', 'write the suggested spec here; replay, calibrate and others take it as --spec')
    .option('--json', 'the profile and the suggested spec as one JSON object on stdout, nothing else')
    .addHelpText('after', '\nExample:\n  primo inspect visits.csv --out visits.spec.json\n')
    .action(run)
}

async function run(file: string, flags: InspectFlags): Promise<void> {
  const { out } = flags
  if (out !== undefined && !out.endsWith('.json')) throw new UsageError(`--out must be a .json file, got "${out}"`)
  if (out !== undefined && existsSync(out)) throw new UsageError(`--out must be a new file, got "${out}", which exists`)
  const profile = await profileTable(file, {
    ...(flags.na === undefined ? {} : { na: flags.na }),
    ...(flags.separator === undefined ? {} : { separator: flags.separator }),
    ...(flags.decimal === undefined ? {} : { decimal: flags.decimal }),
  })
  const spec = JSON.stringify(profile.spec, null, 2)
  if (out !== undefined) writeFileSync(out, `${spec}\n`)
  if (flags.json === true) printJson(profile)
  else print(`${profileText(profile)}\n\nSuggested spec${out === undefined ? ' (--out writes it)' : ''}\n\n${spec}`)
  if (out !== undefined)
    process.stderr.write(`wrote ${out}: check it, then give it to the other commands as --spec ${out}\n`)
}
