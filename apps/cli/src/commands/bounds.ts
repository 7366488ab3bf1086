// primo bounds: the theorems' terms, Gamma_s, Upsilon_s and gamma_s by epoch, printed and corrected.

import { boundsCommand as runBounds } from '@primo/studies'
import { Command } from 'commander'

export function boundsCommand(): Command {
  return new Command('bounds')
    .description('the terms of Theorems 2 and 4 by epoch up to T, printed and corrected, the largest named')
    .helpOption(false)
    .allowUnknownOption()
    .argument('[flags...]', 'see primo bounds --help')
    .action((flags: string[]) => {
      const { exitCode } = runBounds(flags, {
        out: (text) => process.stdout.write(`${text}\n`),
        error: (text) => process.stderr.write(`${text}\n`),
      })
      process.exitCode = exitCode
    })
}
