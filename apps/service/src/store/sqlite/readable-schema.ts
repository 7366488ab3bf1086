// Whether the schema itself can be read: the driver ends the process on a name that is not UTF-8.

import { isUtf8 } from 'node:buffer'
import { StoreDamaged } from '../../ledger/store-damaged.js'
import { type Sqlite, storeCall } from './database.js'

export function checkSchemaTexts(db: Sqlite): void {
  const texts = (select: string) =>
    storeCall(() => db.prepare(select).all() as { text: Uint8Array | null }[]).map(({ text }) => text)
  const master = texts(
    'select cast(type || name || tbl_name || sql as blob) as text from sqlite_master where sql is not null',
  )
  const known = texts("select cast(name as blob) as text from sqlite_master where name = 'kysely_migration'")
  const done = known.length === 0 ? [] : texts('select cast(name || timestamp as blob) as text from kysely_migration')
  for (const text of [...master, ...done])
    if (text === null || !isUtf8(text)) throw new StoreDamaged('the schema of the file is damaged', null)
}
