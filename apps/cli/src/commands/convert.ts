// primo convert FILE --from FORMAT: a log in another's format as a decision log.

import { convertLog, type ForeignFormat, foreignFormats, logFormatOf, writeLog } from '@primo/lab/log'
import { Command } from 'commander'
import { checkFolder, print, UsageError } from '../output.js'
import { addTableArgument, tableOf } from '../table-flags.js'
import { logOf } from './spec-log.js'

interface ConvertFlags {
  readonly from?: string
  readonly spec?: string
  readonly table?: string
  readonly out: string
  readonly items?: string
}

export function convertCommand(): Command {
  const command = new Command('convert')
  return addTableArgument(command, 'a table of decisions with --spec, a log with --from, or a decision log')
    .option('--from <format>', `${foreignFormats.join(' or ')}: VW's dsjson, or Open Bandit data (CSV)`)
    .option('--spec <file>', 'what each column of a table is, as primo inspect --action --reward writes it')
    .requiredOption('--out <file>', 'where to write, .jsonl, .csv or .parquet')
    .option('--items <file>', 'item_context.csv of Open Bandit data: all items, shown or not')
    .addHelpText(
      'after',
      '\nExamples:\n  primo convert visits.csv --spec visits.spec.json --out log.parquet\n' +
        '  primo convert events.dsjson --from dsjson --out log.jsonl\n',
    )
    .action(run)
}

async function run(given: string | undefined, { from, spec, table, out, items }: ConvertFlags): Promise<void> {
  const file = tableOf(given, table)
  if (from !== undefined && spec !== undefined) throw new UsageError('--from cannot be combined with --spec')
  if (from !== undefined && !(foreignFormats as readonly string[]).includes(from))
    throw new UsageError(`--from must be one of ${foreignFormats.join(', ')}, got "${from}"`)
  logFormatOf(out)
  checkFolder('--out', out)
  const foreign = from === undefined ? null : await convertLog(file, from as ForeignFormat, items)
  const { header, rows } = foreign ?? (await logOf(file, spec))
  const count = await writeLog(out, header, rows())
  print(
    `${out}: ${count.toLocaleString('en')} decisions among ${header.actions.length} actions, ${Object.keys(header.context).length} context features.`,
  )
  for (const one of foreign?.lost ?? []) print(`not kept: ${one}`)
  print(`Next: primo doctor ${out}`)
}
