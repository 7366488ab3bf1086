// primo key: a new API key. The secret is shown once; the service keeps its hash.

import { newKey, type Role, roles } from '@primo/service'
import { Command } from 'commander'
import { print, printJson, UsageError } from '../output.js'

export function keyCommand(): Command {
  return new Command('key')
    .argument('<role>', `one of ${roles.join(', ')}`)
    .option('--json', 'one JSON object')
    .addHelpText('after', '\nExample:\n  primo key decide\n  PRIMO_KEYS="decide:..." primo serve --host 0.0.0.0\n')
    .action((role: string, { json }: { json?: boolean }) => {
      if (!roles.includes(role as Role)) throw new UsageError(`role must be one of ${roles.join(', ')}, got "${role}"`)
      const { secret, entry } = newKey(role as Role)
      if (json === true) {
        printJson({ role, secret, entry })
        return
      }
      print(`secret  ${secret}`)
      print(`entry   ${entry}`)
      print('Give the secret to the caller; add the entry to PRIMO_KEYS of the service. The secret is not shown again.')
    })
}
