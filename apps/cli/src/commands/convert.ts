// primo convert FILE --from FORMAT: a log in another's format as a decision log.

import { convertLog, type ForeignFormat, foreignFormats, logFormatOf, writeLog } from '@primo/lab/log'
import { Command } from 'commander'
import { print, UsageError } from '../output.js'

interface ConvertFlags {
  readonly from: string
  readonly out: string
  readonly items?: string
}

export function convertCommand(): Command {
  return new Command('convert')
    .argument('<file>', 'the log')
    .requiredOption('--from <format>', `${foreignFormats.join(' or ')}: VW's dsjson, or Open Bandit data (CSV)`)
    .requiredOption('--out <file>', 'where to write, .jsonl, .csv or .parquet')
    .option('--items <file>', 'item_context.csv of Open Bandit data: all items, shown or not')
    .addHelpText('after', '\nExample:\n  primo convert events.dsjson --from dsjson --out log.jsonl\n')
    .action(run)
}

async function run(file: string, { from, out, items }: ConvertFlags): Promise<void> {
  if (!(foreignFormats as readonly string[]).includes(from))
    throw new UsageError(`--from must be one of ${foreignFormats.join(', ')}, got "${from}"`)
  logFormatOf(out)
  const { header, rows, lost } = await convertLog(file, from as ForeignFormat, items)
  const count = await writeLog(out, header, rows())
  print(
    `${out}: ${count.toLocaleString('en')} decisions among ${header.actions.length} actions, ${Object.keys(header.context).length} context features.`,
  )
  for (const one of lost) print(`not kept: ${one}`)
  print(`Next: primo doctor ${out}`)
}
