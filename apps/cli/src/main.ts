// The `primo` command. Exit codes: 0 ok, 1 failed, 2 bad usage.

import { fail } from './output.js'
import { program } from './program.js'

// A reader of the output may stop early (head, less): that is not a failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

const [first, second] = process.argv.slice(2)
const primo = await program(first === 'help' ? second : first)
try {
  await primo.parseAsync(process.argv)
} catch (error) {
  fail(
    error,
    primo.commands.find((command) => command.name() === first),
  )
}
