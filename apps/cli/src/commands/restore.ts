// primo restore: a backup, in a new store.

import { Command } from 'commander'
import { copyAndTell, copyFlags } from '../copy-command.js'

export function restoreCommand(): Command {
  return copyFlags(
    new Command('restore')
      .argument('<file>', 'as primo backup wrote it')
      .argument('<store>', 'one that is not there yet: sqlite:PATH, or an empty database'),
  )
    .addHelpText(
      'after',
      `
A service that starts on a backup older than a day holds the clock until somebody confirms it ("primo serve --confirm-clock").

Example:
  primo restore backups/monday.db sqlite:primo-data/primo.db
  primo restore backups/monday.db postgres://primo@db/primo
`,
    )
    .action((file: string, store: string, flags) => copyAndTell(`sqlite:${file}`, store, flags))
}
