// Forgets a subject: finds its decisions in the log, page by page, and takes out what they said of it, until none is left.

import type { BackgroundLearner } from '../learning/learner.js'
import { ServiceError } from '../ledger/service-error.js'
import type { Store } from '../ledger/store.js'

export interface Forgotten {
  readonly decisions: number
  readonly erased: boolean
}

/** Records that are looked through between two other calls. */
const PAGE = 2000

/** Says of how many decisions content was removed, and whether files hold nothing of it. */
export async function forgetSubject(
  store: Pick<Store, 'problem' | 'decisionsOf' | 'commit' | 'erase'>,
  learner: Pick<BackgroundLearner, 'forget'> | null,
  name: string,
  subject: string,
  by: string | null,
): Promise<Forgotten> {
  let decisions = 0
  let id = 0
  for (let at = 0; ; ) {
    const row = await store.problem(name)
    if (row === undefined) throw new ServiceError('unknown-problem', `no problem is called "${name}"`)
    id = row.id
    // What was decided while this ran is found, too.
    if (at >= row.book.seq) break
    const upTo = Math.min(at + PAGE, row.book.seq)
    const seqs = await store.decisionsOf(id, subject, at, upTo)
    at = upTo
    if (seqs.length === 0) continue
    const [outcome] = await store.commit([{ kind: 'forget', problem: name, of: id, seqs, by }])
    if ('error' in outcome!) throw new ServiceError(outcome.error, outcome.detail)
    // Purged and defined again since: what was found is gone.
    if ('stale' in outcome!) at = 0
    else decisions += (outcome as { forgotten: number }).forgotten
  }
  if (decisions > 0) learner?.forget(id)
  return { decisions, erased: await store.erase(false) }
}
