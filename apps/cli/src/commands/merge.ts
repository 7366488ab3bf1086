// primo merge: the parts of a sharded run become one run, with the rows of a run in one piece.

import { mergeRuns, openRunFolder, readRunFolder, summariseRun, summaryText, writeRunReport } from '@primo/lab/node'
import { Command } from 'commander'
import { print, printJson, UsageError } from '../output.js'

export function mergeCommand(): Command {
  return new Command('merge')
    .argument('<folders...>', 'folders written by primo simulate --shard')
    .requiredOption('--out <folder>', 'folder of the joined run')
    .option('--fresh', 'start over in --out')
    .option('--json', 'rows as JSON lines on stdout, nothing else')
    .addHelpText('after', '\nExample:\n  primo merge out/half-1 out/half-2 --out out/whole\n')
    .action(async (folders: string[], flags: { out: string; fresh?: boolean; json?: boolean }) => {
      if (folders.includes(flags.out)) throw new UsageError(`--out must not be one of the parts, got "${flags.out}"`)
      const { run, rows } = mergeRuns(folders.map((path) => ({ path, stored: readRunFolder(path) })))
      const folder = openRunFolder(flags.out, run, { fresh: flags.fresh === true })
      folder.complete(rows)
      const plain = rows.map(({ row }) => row)
      if (flags.json === true) for (const row of plain) printJson(row)
      else print(summaryText(summariseRun(plain)))
      await writeRunReport({
        rows: plain,
        spec: run.spec,
        outDir: flags.out,
        command: `primo merge ${folders.join(' ')} --out ${flags.out}`,
      })
      process.stderr.write(`wrote ${flags.out}/report.html\n`)
    })
}
