// primo backup: a store, as of one moment, in a file.

import { Command } from 'commander'
import { copyAndTell, copyFlags } from '../copy-command.js'

export function backupCommand(): Command {
  return copyFlags(
    new Command('backup')
      .argument('<store>', 'sqlite:PATH or postgres://...')
      .argument('<file>', 'a file that is not there yet'),
  )
    .addHelpText(
      'after',
      `
The file is a SQLite store with everything of the original, keys too: "primo verify sqlite:FILE" checks it, "primo serve" runs on it,
"primo restore" takes it into a store of either kind. Model files and settings are not in it.

Example:
  primo backup sqlite:primo-data/primo.db backups/monday.db
  primo backup postgres://primo@db/primo backups/monday.db --quick
`,
    )
    .action((store: string, file: string, flags) => copyAndTell(store, `sqlite:${file}`, flags))
}
