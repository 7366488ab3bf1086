// Checks a definition where it holds nobody up: a large one in a thread, which takes a second for a table of 60,000 rows.

import { Worker } from 'node:worker_threads'
import type { ProblemDefinition } from '@primo/contract'
import type { Code } from '@primo/core'
import { PrimoError } from '@primo/numeric'
import { membersOfImputer } from '../imputers/imputer-definition.js'
import type { LearningStart } from '../ledger/book.js'
import { threadFile } from '../threads/thread-file.js'
import type { Checked, CheckStart } from './check-thread.js'
import type { CodeModule } from './code-modules.js'
import { checkDefinition, checkDepth, learningStart } from './problem-engine.js'

/** Rows of tables that are checked at once. */
const MAX_ROWS_HERE = 1000

/** How learning begins; `code` comes from the modules. Throws a PrimoError that names the field when the definition is invalid. */
export async function checkAside(
  definition: ProblemDefinition,
  code: readonly Code[],
  modules: readonly CodeModule[],
): Promise<LearningStart> {
  checkDepth(definition)
  if (rowsOf(definition) <= MAX_ROWS_HERE) return learningStart(checkDefinition(definition, code))
  const checked = await new Promise<Checked>((resolve, reject) => {
    const worker = new Worker(threadFile(new URL('./check-thread.js', import.meta.url)), {
      workerData: { definition: JSON.stringify(definition), code: modules } satisfies CheckStart,
    })
    worker.once('message', resolve)
    worker.once('error', reject)
    worker.once('exit', () => reject(new Error('the check has stopped')))
  })
  if ('start' in checked) return checked.start
  throw new PrimoError(checked.code, checked.refused, checked.facts)
}

/** Definitions come unchecked. */
function rowsOf({ covariates }: ProblemDefinition): number {
  let count = 0
  for (const { imputer } of Object.values(covariates))
    for (const [, member] of membersOfImputer(imputer)) {
      const { rows } = (member ?? {}) as { readonly rows?: unknown }
      if (Array.isArray(rows)) count += rows.length
    }
  return count
}
