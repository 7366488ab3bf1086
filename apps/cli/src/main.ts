// The `primo` command. Exit codes: 0 ok, 1 failed, 2 bad usage.

import { fail } from './output.js'
import { program } from './program.js'

// Whoever reads the output may stop early (head, less): that is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0)
  throw error
})

try {
  const primo = await program(process.argv[2])
  await primo.parseAsync(process.argv)
} catch (error) {
  fail(error)
}
