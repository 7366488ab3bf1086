// npm run study:theory: the numeric checks of SPEC A11 with their figures next to SPEC's; exit code 1 when one fails.

import { theoryChecksCommand } from '../theory-checks/command.js'

const { exitCode } = theoryChecksCommand(process.argv.slice(2), {
  out: (text) => process.stdout.write(`${text}\n`),
  error: (text) => process.stderr.write(`${text}\n`),
})
process.exitCode = exitCode
