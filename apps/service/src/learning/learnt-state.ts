// A stored policy as a state of the problem as it is now, which may have grown since the policy was learnt.

import type { Columns, Engine, EpochState } from '@primo/core/engine'
import { growState } from '@primo/core/engine'
import type { ProblemRow } from '../ledger/book.js'
import type { SnapshotRow } from '../ledger/facts.js'
import type { ProblemRecord } from '../ledger/records.js'
import type { Store } from '../ledger/store.js'

export async function learntState(
  store: Pick<Store, 'readLog'>,
  { id, book }: ProblemRow,
  { state: text, cut }: Pick<SnapshotRow, 'state' | 'cut'>,
  engine: Engine,
): Promise<EpochState> {
  const state = JSON.parse(text) as EpochState
  const { grown = [], start } = book
  if (!grown.some((seq) => seq > cut)) return state
  // Features change with these records alone.
  const seq = grown.findLast((one) => one < cut) ?? start
  const [entry] = await store.readLog(id, seq - 1, 1)
  const { definition } = JSON.parse(entry!.body) as ProblemRecord
  return growState(state, definition as Columns, engine)
}
