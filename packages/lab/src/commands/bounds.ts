// npm run bounds: the terms of Theorems 2 and 4 by epoch up to T, printed and corrected, for environment A or any constants.

import { boundsCommand } from '../theory-checks/bounds-command.js'

const { exitCode } = boundsCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(`${text}\n`),
  error: (text) => process.stderr.write(`${text}\n`),
})
process.exitCode = exitCode
