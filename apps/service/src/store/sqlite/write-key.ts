// Writes a key, durably, in a transaction of its own.

import { KEY_COLUMNS, keyCells, type StoredKey } from '../../ledger/stored-key.js'
import { type Sqlite, storeCall } from './database.js'

/** Whether it was written: a new key needs a free name, another one a key of its name. */
export function writeKey(db: Sqlite, key: StoredKey, isNew: boolean): boolean {
  const cells = keyCells(key)
  const marks = cells.map(() => '?').join(', ')
  return storeCall(() => {
    const { changes } = isNew
      ? db.prepare(`insert into keys values (${marks}) on conflict do nothing`).run(...cells)
      : db.prepare(`update keys set (${KEY_COLUMNS.join(', ')}) = (${marks}) where name = ?`).run(...cells, key.name)
    return changes === 1
  })
}
