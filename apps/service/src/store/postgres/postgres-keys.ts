// Keys by name, shared by all replicas.

import type { Store } from '../../ledger/store.js'
import { KEY_COLUMNS, keyCells, keyOf, type RawKey } from '../../ledger/stored-key.js'
import { available } from './availability.js'
import type { Connections } from './connections.js'

export function postgresKeys({ query, use }: Connections): Pick<Store, 'keys' | 'writeKey'> {
  return {
    keys: async () => (await available(() => query<RawKey>('select * from keys order by name'))).map(keyOf),
    writeKey: async (key, before) => {
      const cells = keyCells(key)
      const marks = cells.map((_, k) => `$${k + 1}`).join(', ')
      const same = KEY_COLUMNS.map((column, k) => `${column} is not distinct from $${cells.length + k + 1}`)
      const text =
        before === null
          ? `insert into keys values (${marks}) on conflict do nothing`
          : `update keys set (${KEY_COLUMNS.join(', ')}) = (${marks}) where ${same.join(' and ')}`
      const given = before === null ? cells : [...cells, ...keyCells(before)]
      const { rowCount } = await available(() => use((client) => client.query(text, given)))
      return rowCount === 1
    },
  }
}
