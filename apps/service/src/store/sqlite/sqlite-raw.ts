// The SQLite file as it lies there, read by another connection: also beside a service that runs, and around damaged pages.

import { existsSync, statSync } from 'node:fs'
import {
  type RawRows,
  type RawStore,
  type Scanned,
  storedEntry,
  storedProblem,
  storedReveal,
  storedReward,
  storedRound,
  storedSnapshot,
} from '../../ledger/raw-store.js'
import { StoreUnavailable } from '../../ledger/store.js'
import { keyOf } from '../../ledger/stored-key.js'
import type { Summed } from '../../ledger/sums.js'
import { openDatabase, type Sqlite, storeCall } from './database.js'
import { readHeads } from './head-file.js'
import { sqliteMigrations } from './sqlite-migrations.js'
import {
  asEntry,
  asKey,
  asProblem,
  asReveal,
  asReward,
  asRound,
  asSnapshot,
  bound,
  COLUMNS,
  type Raw,
} from './sqlite-rows.js'
import { sqliteReads } from './sqlite-store.js'

const STORED: { readonly [Table in Summed]: (raw: Raw) => Scanned<RawRows[Table]> } = {
  log: (raw) => storedEntry(asEntry(raw), raw.checksum as number),
  rounds: (raw) => storedRound(raw.problem as number, asRound(raw)),
  rewards: (raw) => storedReward(asReward(raw)),
  reveals: (raw) => storedReveal(asReveal(raw)),
  snapshots: (raw) => storedSnapshot(asSnapshot(raw)),
}

/** What names a row of a table, in its order, as it is bound. */
const KEY: Readonly<Record<Summed | 'problems', Readonly<Record<string, string>>>> = {
  problems: { rowid: '?' },
  log: { rowid: '?' },
  snapshots: { rowid: '?' },
  rounds: { problem: '?', id: 'cast(? as text)' },
  rewards: { problem: '?', decision: 'cast(? as text)', reward_id: 'cast(? as text)' },
  reveals: { problem: '?', decision: 'cast(? as text)', covariate: 'cast(? as text)' },
}

const PAGE = 500

export async function openSqliteRaw(path: string): Promise<RawStore> {
  // The driver would make one, also where it may only read.
  if (!existsSync(path)) throw new StoreUnavailable(`the file ${path} must be there, got none`)
  // Before the rows: a service that runs may be ahead of it by then, not behind.
  const heads = readHeads(path)
  const db = openDatabase(path, { readonly: true })
  storeCall(() => db.exec('begin'))
  const { known } = storeCall(() =>
    db.prepare("select count(*) as known from pragma_table_info('problems') where name = 'sums'").get(),
  ) as { known: number }
  if (known === 0) {
    db.close()
    throw new StoreUnavailable(`${path} has no checksums yet: start the service on it once with this version of Primo`)
  }
  return {
    ...sqliteReads(db),
    place: `sqlite:${path}`,
    structure: async () =>
      storeCall(() => db.pragma('integrity_check') as { integrity_check: string }[])
        .map((row) => row.integrity_check)
        .filter((finding) => finding !== 'ok'),
    acknowledged: () => heads,
    keys: async () => {
      const rows = storeCall(() => db.prepare(`select ${COLUMNS.keys} from keys order by keys.name`).all() as Raw[])
      return rows.map((raw) => keyOf(asKey(raw)))
    },
    time: async () => {
      const [clock] = storeCall(() => db.prepare('select cast(time as integer) as time from clock where id = 1').all())
      return (clock as { time: number | null } | undefined)?.time ?? null
    },
    surroundings: async () => {
      const done = storeCall(() => db.prepare('select cast(name as blob) as name from kysely_migration').all() as Raw[])
      const migrations = done.map(({ name }) => Buffer.from(name as Uint8Array).toString()).sort()
      const bytes = ['', '-wal'].reduce((sum, end) => sum + sizeOf(`${path}${end}`), 0)
      return { migrations, known: sqliteMigrations, bytes, file: path, ahead: null }
    },
    problems: async function* () {
      for (const found of scan(db, 'problems')) yield isUnreadable(found) ? found : storedProblem(asProblem(found))
    },
    rows: async function* <Table extends Summed>(table: Table) {
      for (const found of scan(db, table)) yield isUnreadable(found) ? found : STORED[table](found)
    },
    close: async () => void db.close(),
  }
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0
}

interface Unreadable {
  readonly unreadable: string
}

function isUnreadable(found: Raw | Unreadable): found is Unreadable {
  return 'unreadable' in found
}

/** All rows of a table. Where pages cannot be read, rows with a number go on behind them; others end there. */
function* scan(db: Sqlite, table: Summed | 'problems'): Generator<Raw | Unreadable> {
  const key = Object.keys(KEY[table])
  const listed = key.map((name) => `${table}.${name}`).join(', ')
  const numbered = key[0] === 'rowid'
  const from = `from ${table} ${numbered ? 'not indexed' : ''}`
  const after = `where (${listed}) > (${Object.values(KEY[table]).join(', ')})`
  const page = (last: readonly unknown[] | null, limit: number) =>
    db
      .prepare(
        `select ${numbered ? 'rowid as row_number, ' : ''}${COLUMNS[table]} ${from} ${last === null ? '' : after}
         order by ${listed} limit ${limit}`,
      )
      .all(...(last ?? [])) as Raw[]
  const keyOf = (raw: Raw) => (numbered ? [raw.row_number] : key.map((name) => bound(raw[name])))
  let last: readonly unknown[] | null = numbered ? [0] : null
  let limit = PAGE
  for (;;) {
    try {
      const rows = page(last, limit)
      yield* rows
      if (rows.length < limit) return
      last = keyOf(rows.at(-1)!)
      limit = PAGE
    } catch (error) {
      if (limit > 1) {
        limit = 1
        continue
      }
      const read = numbered ? (last![0] as number) : 0
      const behind = numbered ? nextReadable((number) => page([number], 1).length > 0, read) : null
      const message = error instanceof Error ? error.message : String(error)
      yield { unreadable: `${table}${numbered ? ` after row ${read}` : ''} cannot be read: ${message}` }
      if (behind === null) return
      last = [behind]
    }
  }
}

/** The smallest number after which a row can be read; null: none can. */
function nextReadable(readable: (after: number) => boolean, from: number): number | null {
  const can = (after: number) => {
    try {
      return readable(after)
    } catch {
      return false
    }
  }
  let step = 1
  while (step < 2 ** 40 && !can(from + step)) step *= 2
  if (step >= 2 ** 40) return null
  let low = from + Math.floor(step / 2)
  let high = from + step
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (can(middle)) high = middle
    else low = middle
  }
  return high
}
