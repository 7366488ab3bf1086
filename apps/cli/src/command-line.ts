// The command as it was typed, for reports that say how they were made.

import type { Command } from 'commander'

/** The exact command line, as one would type it in a shell. */
export function commandLine(command: Command): string {
  const parent = command.parent as (Command & { rawArgs?: string[] }) | null
  return ['primo', ...(parent?.rawArgs ?? process.argv).slice(2).map(quoted)].join(' ')
}

function quoted(word: string): string {
  return /^[\w.,:=/+-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
