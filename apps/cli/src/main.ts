// The `primo` command. Exit codes: 0 ok, 1 failed, 2 bad usage.

import { fail } from './output.js'
import { program } from './program.js'

try {
  await program().parseAsync(process.argv)
} catch (error) {
  fail(error)
}
