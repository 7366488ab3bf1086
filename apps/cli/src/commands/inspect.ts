// primo inspect FILE: what a table holds, what is missing and looks wrong, and a spec that the other commands take.

import { existsSync, writeFileSync } from 'node:fs'
import { profileTable, profileText } from '@primo/lab/node'
import { Command } from 'commander'
import { checkFolder, print, printJson, UsageError } from '../output.js'
import { addFormatFlags, addTableArgument, type FormatFlags, tableOf } from '../table-flags.js'

interface InspectFlags extends FormatFlags {
  readonly table?: string
  readonly action?: string
  readonly reward?: string
  readonly propensity?: string
  readonly out?: string
  readonly json?: boolean
}

export function inspectCommand(): Command {
  const command = new Command('inspect')
  return addFormatFlags(addTableArgument(command, 'a table with a header'))
    .option('--action <column>', 'the action that was chosen in each row')
    .option('--reward <column>', 'the outcome of that action')
    .option('--propensity <column>', 'the probability of that action, or uniform')
    .option('--out <file>', 'write the suggested spec here; every command that reads a table takes it as --spec')
    .option('--json', 'the profile and the suggested spec as one JSON object on stdout, nothing else')
    .addHelpText(
      'after',
      '\nExamples:\n  primo inspect visits.csv --out visits.spec.json\n' +
        '  primo inspect offers.csv --action offer --reward renewed --out offers.spec.json\n',
    )
    .action(run)
}

async function run(given: string | undefined, flags: InspectFlags): Promise<void> {
  const file = tableOf(given, flags.table)
  const { out, propensity } = flags
  if (out !== undefined && !out.endsWith('.json')) throw new UsageError(`--out must be a .json file, got "${out}"`)
  if (out !== undefined && existsSync(out)) throw new UsageError(`--out must be a new file, got "${out}", which exists`)
  checkFolder('--out', out)
  const profile = await profileTable(file, {
    ...(flags.action === undefined ? {} : { action: flags.action }),
    ...(flags.reward === undefined ? {} : { reward: flags.reward }),
    ...(propensity === undefined ? {} : { propensity: propensity === 'uniform' ? { uniform: true } : propensity }),
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
