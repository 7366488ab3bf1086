// A stored policy as a state of the problem as it is now, which may have grown since the policy was learnt. A policy
// that a former version of Primo learnt in another way is not read: the problem learns it again from its log.

import type { Columns, Engine, EpochState } from '@primo/core/engine'
import { growState } from '@primo/core/engine'
import type { ProblemRow } from '../ledger/book.js'
import type { SnapshotRow } from '../ledger/facts.js'
import type { ProblemRecord } from '../ledger/records.js'
import type { Store } from '../ledger/store.js'

/** null: it was learnt in another way than the problem learns now. */
export async function learntState(
  store: Pick<Store, 'readLog'>,
  { id, book }: ProblemRow,
  { state: text, cut }: Pick<SnapshotRow, 'state' | 'cut'>,
  engine: Engine,
): Promise<EpochState | null> {
  const state = JSON.parse(text) as EpochState
  if (!learntAlike(state, engine)) return null
  const { grown = [], start } = book
  if (!grown.some((seq) => seq > cut)) return state
  // Features change with these records alone.
  const seq = grown.findLast((one) => one < cut) ?? start
  const [entry] = await store.readLog(id, seq - 1, 1)
  const { definition } = JSON.parse(entry!.body) as ProblemRecord
  return growState(state, definition as Columns, engine)
}

/** The engine learns in the way in which this was learnt. */
export function learntAlike({ rewardModel, streams }: EpochState, { oracle, remembers }: Engine): boolean {
  if (rewardModel === null) return true
  return rewardModel.kind === oracle.kind && (streams === undefined) === (remembers === null)
}
