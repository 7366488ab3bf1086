// primo forget: what was recorded of a subject goes; in a running service (--url), or in a store that no service has open,
// whose file is then written anew.

import type { SubjectForgotten } from '@primo/contract'
import { forgetSubject, openExistingStore } from '@primo/service'
import { Command } from 'commander'
import { print, printJson, UsageError } from '../output.js'
import { sender } from '../service-call.js'

interface Flags {
  readonly problem: string
  readonly subject: string
  readonly url?: string
  readonly store?: string
  readonly json?: boolean
}

export function forgetCommand(): Command {
  return new Command('forget')
    .requiredOption('--problem <name>', 'the problem')
    .requiredOption('--subject <name>', 'as its decisions name it')
    .option('--url <address>', 'of a running service; the admin key is read from PRIMO_KEY')
    .option('--store <address>', 'sqlite:PATH that no service has open, or postgres://...; it is written anew')
    .option('--json', 'one JSON object')
    .addHelpText(
      'after',
      `
Contexts, covariates, predictions and truths go, and the name of the subject. Ids, actions, propensities, rewards, counts and the
policies that were learnt before stay. Backups and files that were exported earlier are yours to remove.

Example:
  primo forget --problem dose --subject patient-17 --url http://localhost:8642
`,
    )
    .action(async ({ json, ...flags }: Flags) => {
      const { decisions, erased } = await forget(flags)
      if (json === true) printJson({ problem: flags.problem, decisions, erased })
      else {
        print(`forgot what ${decisions} decisions said of the subject; actions, rewards, counts and policies stay`)
        if (!erased) print('a long read still needs the files: call again to take it out of them')
      }
    })
}

async function forget({ problem, subject, url, store: address }: Flags): Promise<Omit<SubjectForgotten, 'kept'>> {
  if ((url === undefined) === (address === undefined))
    throw new UsageError('--url of a running service or --store must be given, one of them')
  if (url !== undefined)
    return sender(url)<SubjectForgotten>(
      'DELETE',
      `/v1/problems/${encodeURIComponent(problem)}/subjects/${encodeURIComponent(subject)}`,
    )
  const store = await openExistingStore(address!)
  try {
    const { decisions } = await forgetSubject(store, null, problem, subject, null)
    return { problem, decisions, erased: await store.erase(true) }
  } finally {
    await store.close()
  }
}
