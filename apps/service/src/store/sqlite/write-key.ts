// Writes a key, durably, in a transaction of its own.

import { KEY_COLUMNS, keyCells, type StoredKey } from '../../ledger/stored-key.js'
import { type Sqlite, storeCall } from './database.js'

/** Writes it if its name is free (`before` is null) or the stored key is still `before`; returns whether it did. */
export function writeKey(db: Sqlite, key: StoredKey, before: StoredKey | null): boolean {
  const cells = keyCells(key)
  const marks = cells.map(() => '?').join(', ')
  const same = KEY_COLUMNS.map((column) => `${column} is ?`).join(' and ')
  return storeCall(() => {
    const { changes } =
      before === null
        ? db.prepare(`insert into keys values (${marks}) on conflict do nothing`).run(...cells)
        : db
            .prepare(`update keys set (${KEY_COLUMNS.join(', ')}) = (${marks}) where ${same}`)
            .run(...cells, ...keyCells(before))
    return changes === 1
  })
}
