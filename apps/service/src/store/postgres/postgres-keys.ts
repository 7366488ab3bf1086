// Keys by name, shared by all replicas.

import type { Store } from '../../ledger/store.js'
import { KEY_COLUMNS, keyCells, keyOf, type RawKey } from '../../ledger/stored-key.js'
import { available } from './availability.js'
import type { Connections } from './connections.js'

export function postgresKeys({ query, use }: Connections): Pick<Store, 'keys' | 'writeKey'> {
  return {
    keys: async () => (await available(() => query<RawKey>('select * from keys order by name'))).map(keyOf),
    writeKey: async (key, isNew) => {
      const cells = keyCells(key)
      const marks = cells.map((_, k) => `$${k + 1}`).join(', ')
      const text = isNew
        ? `insert into keys values (${marks}) on conflict do nothing`
        : `update keys set (${KEY_COLUMNS.join(', ')}) = (${marks}) where name = $1`
      const { rowCount } = await available(() => use((client) => client.query(text, cells)))
      return rowCount === 1
    },
  }
}
