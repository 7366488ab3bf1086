// The embedded store: one SQLite file, a thread that writes it, and a connection here that reads.

import { existsSync } from 'node:fs'
import { mkdir, open, statfs } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { Worker } from 'node:worker_threads'
import { createFastCodec } from '../../codec/fast-codec.js'
import type { Book } from '../../ledger/book.js'
import { problemChecksum } from '../../ledger/checksums.js'
import { createClock, plainClock } from '../../ledger/clock.js'
import { type Command, confirmsClock, type Outcome, type Value } from '../../ledger/commands.js'
import { damageAtStart } from '../../ledger/damage-at-start.js'
import { createDamageBook } from '../../ledger/damage-book.js'
import { createGroupCommit } from '../../ledger/group-commit.js'
import { pagedDecisions } from '../../ledger/paged-decisions.js'
import type { StoredProblem } from '../../ledger/raw-store.js'
import { type Head, type LogReader, type Store, type StoredDecision, StoreUnavailable } from '../../ledger/store.js'
import { present, StoreDamaged } from '../../ledger/store-damaged.js'
import { keyOf } from '../../ledger/stored-key.js'
import { watched } from '../../ledger/watched-reads.js'
import { threadFile } from '../../threads/thread-file.js'
import { createGate, forget, type Gate, through } from '../../threads/thread-gate.js'
import { checkStructure } from './check-structure.js'
import { openDatabase, type Sqlite, storeCall } from './database.js'
import { headFile, keepLog } from './head-file.js'
import {
  asKey,
  asProblem,
  COLUMNS,
  entryOf,
  problemOf,
  type Raw,
  revealOf,
  roundOf,
  snapshotOf,
} from './sqlite-rows.js'
import type { WriterData, WriterReply, WriterRequest } from './writer-thread.js'

export interface SqliteStoreOptions {
  readonly path: string
  /** Milliseconds since 1970, taken at its word, for tests; default: wall and monotonic clock together. */
  readonly clock?: () => number
  /** Other clocks than those of the machine, for tests. */
  readonly wall?: () => number
  readonly monotonic?: () => number
  /** Largest size of the file in pages, for tests of a full disk. */
  readonly maxPages?: number
  /** Decide for damaged problems too. */
  readonly decideDamaged?: boolean
}

/** Milliseconds after a write in which it is taken for granted that the next one succeeds. */
const PROBE_LASTS = 1000
/** Bytes that a checkpoint writes at once. */
const MIN_SPACE = 4 << 20

export async function openSqliteStore(options: SqliteStoreOptions): Promise<Store> {
  const { path: given, wall = Date.now, monotonic, maxPages, decideDamaged } = options
  const path = resolve(given)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 }).catch((error: Error) => {
    throw new StoreUnavailable(`the folder of ${path} cannot be made: ${error.message}`)
  })
  await ownerOnly(path)
  await ownerOnly(`${path}-lock`)
  await ownerOnly(headFile(path))
  const gate = createGate()
  const worker = startWriter({ path, gate, ...(maxPages === undefined ? {} : { maxPages }) })
  let pending: { resolve: (reply: WriterReply) => void; reject: (error: Error) => void } | null = null
  let dead: StoreUnavailable | null = null
  worker.on('message', (reply: WriterReply) => {
    const waiting = pending
    pending = null
    waiting?.resolve(reply)
  })
  const stopped = (error: Error | null) => {
    forget(gate)
    dead = new StoreUnavailable(`the thread that writes the store has stopped${error ? `: ${error.message}` : ''}`)
    pending?.reject(dead)
    pending = null
  }
  worker.on('error', stopped)
  worker.on('exit', () => stopped(null))
  const send = (message: WriterRequest | null) =>
    new Promise<WriterReply>((resolveReply, reject) => {
      if (dead !== null) return reject(dead)
      pending = { resolve: resolveReply, reject }
      if (message !== null) worker.postMessage(message)
    })
  let last: Promise<unknown> = Promise.resolve()
  /** One request at a time. */
  const ask = (message: WriterRequest | null) => {
    const turn = last.then(() => send(message))
    last = turn.catch(() => undefined)
    return turn
  }
  const first = await ask(null)
  if ('unavailable' in first) throw new StoreUnavailable(first.unavailable)
  if (!('ready' in first)) throw new Error('the writer answered out of turn')
  const db = openDatabase(path, { readonly: true })
  const reads = sqliteReads(db)
  const book = createDamageBook({ nameOf: reads.nameOf, ...(decideDamaged === undefined ? {} : { decideDamaged }) })
  const structure = checkStructure(path, (detail) => book.note({ problem: null, detail }))
  await structure.first
  for (const damage of await damageAtStart((look) => look(reads), first.acknowledged)) book.note(damage)
  if (book.damage().length > 0) keepLog(path)
  const clock =
    options.clock === undefined
      ? createClock(lastTime(db, await reads.allProblems()), monotonic)
      : plainClock(options.clock)
  clock.read(wall())
  /** When something was last written, in milliseconds of the process. */
  let written = Number.NEGATIVE_INFINITY
  const headListeners: ((heads: readonly Head[]) => void)[] = []
  const commitListeners: ((seconds: { commit: number; commands: number }) => void)[] = []

  const { pack } = createFastCodec()
  const group = createGroupCommit(async (commands: readonly Command[]): Promise<readonly Outcome[]> => {
    const reading = clock.read(wall())
    const reply = await ask({ packed: pack(commands), reading })
    written = 'unavailable' in reply ? Number.NEGATIVE_INFINITY : performance.now()
    if ('unavailable' in reply) throw new StoreUnavailable(reply.unavailable)
    if ('damaged' in reply) throw new StoreDamaged(reply.damaged, reply.problem)
    if ('failed' in reply) throw new Error(reply.failed)
    if (!('written' in reply)) throw new Error('the writer answered out of turn')
    const { outcomes, heads, commit } = reply.written
    // Before the next commit: what it decides waits from the confirmed time on.
    if (commands.some(confirmsClock)) clock.accept(reading.offset)
    for (const listen of commitListeners) listen({ commit, commands: commands.length })
    if (heads.length > 0) for (const listen of headListeners) listen(heads)
    return outcomes
  })

  return {
    kind: 'sqlite',
    place: `sqlite:${path}`,
    commit: book.guard(group.commit),
    damage: book.damage,
    onDamage: book.onDamage,
    clock,
    onHeads: (listener) => void headListeners.push(listener),
    leads: () => true,
    onLeader: () => undefined,
    ...watched(reads, book),
    keys: async () =>
      storeCall(() =>
        (db.prepare(`select ${COLUMNS.keys} from keys order by keys.name`).all() as Raw[]).map((raw) =>
          keyOf(asKey(raw)),
        ),
      ),
    writeKey: async (key, before) => {
      const reply = await ask({ key, before })
      if ('unavailable' in reply) throw new StoreUnavailable(reply.unavailable)
      if (!('keyWritten' in reply))
        throw new Error('failed' in reply ? reply.failed : 'the writer answered out of turn')
      return reply.keyWritten
    },
    erase: async (whole) => {
      const reply = await ask({ erase: true, whole })
      if ('unavailable' in reply) throw new StoreUnavailable(reply.unavailable)
      if (!('erased' in reply)) throw new Error('failed' in reply ? reply.failed : 'the writer answered out of turn')
      return reply.erased
    },
    check: async () => {
      if (dead !== null) throw dead
      if (!existsSync(path)) throw new StoreUnavailable(`the file ${path} is gone`)
      await requireSpace(path)
      // Whoever asks often costs no more writes.
      if (performance.now() - written < PROBE_LASTS) return
      const reply = await ask('probe')
      if ('unavailable' in reply) throw new StoreUnavailable(reply.unavailable)
      written = performance.now()
    },
    readerSpec: () => ({ kind: 'sqlite', path }),
    metrics: { queued: group.queued, onCommit: (observe) => void commitListeners.push(observe) },
    close: async () => {
      await group.close()
      await structure.close()
      // First, so that the thread has the last connection and can leave one file.
      db.close()
      if (dead === null) {
        const exited = new Promise((done) => worker.once('exit', done))
        worker.postMessage('close')
        await exited
      }
    },
  }
}

/** The time in use when the store was last written; null: it is new. */
function lastTime(db: Sqlite, problems: readonly StoredProblem[]): number | null {
  // All rows, which are one: a statement that was not read to its end would keep the write-ahead log from beginning anew.
  const [clock] = storeCall(() => db.prepare('select cast(time as integer) as time from clock where id = 1').all())
  const { time } = (clock ?? { time: null }) as { time: number | null }
  if (time !== null) return time
  const whole = problems.filter((row) => problemChecksum(row) === row.checksum)
  return whole.reduce<number | null>((last, { book }) => Math.max(last ?? 0, (JSON.parse(book) as Book).time), null)
}

/** The write-ahead log may have room where the disk has none: a probe would succeed until it is used up. */
async function requireSpace(path: string): Promise<void> {
  const { bavail, bsize } = await statfs(path)
  if (bavail * bsize < MIN_SPACE)
    throw new StoreUnavailable(
      `the disk of ${path} is full: ${bavail * bsize} bytes are free, ${MIN_SPACE} are needed; free some or enlarge it`,
    )
}

/** A new file belongs to its owner alone; one that exists stays as it is. SQLite gives its other files the same rights. */
async function ownerOnly(path: string): Promise<void> {
  // What cannot be opened is told by SQLite.
  await open(path, 'a', 0o600).then(
    (file) => file.close(),
    () => undefined,
  )
}

function startWriter(workerData: WriterData): Worker {
  return new Worker(threadFile(new URL('./writer-thread.js', import.meta.url)), {
    workerData,
    resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 6 },
  })
}

const ENTRY = COLUMNS.log

export function sqliteReads(db: Sqlite) {
  const statement = {
    problems: db.prepare(`select ${COLUMNS.problems} from problems order by problems.name`),
    name: db.prepare('select cast(name as blob) as name from problems where id = ?'),
    problem: db.prepare(`select ${COLUMNS.problems} from problems where name = ?`),
    snapshot: db.prepare(
      `select ${COLUMNS.snapshots} from snapshots where problem = ? and problem_version = ? and version = ?`,
    ),
    snapshots: db.prepare(
      `select ${COLUMNS.snapshotsWithoutState} from snapshots where problem = ?
       order by snapshots.problem_version, snapshots.version`,
    ),
    round: db.prepare(`select ${COLUMNS.rounds} from rounds where problem = ? and id = ?`),
    roundOfEvent: db.prepare(`select ${COLUMNS.rounds} from rounds where problem = ? and event_id = ?`),
    rounds: db.prepare(
      `select ${COLUMNS.rounds} from rounds where problem = ? and version = ? and round >= ? and round >= 0 order by rounds.round limit ?`,
    ),
    entry: db.prepare(`select ${ENTRY} from log where problem = ? and seq = ?`),
    later: db.prepare(
      `select ${ENTRY} from log indexed by log_round where problem = ? and round = ? and kind <> 'decision' and seq > ? order by log.seq`,
    ),
    reveals: db.prepare(`select ${COLUMNS.reveals} from reveals where problem = ? and decision = ?`),
    log: db.prepare(`select ${ENTRY} from log where problem = ? and seq > ? order by log.seq limit ?`),
    decisionsOf: db.prepare(
      `select seq from log where problem = ? and seq > ? and seq <= ? and kind = 'decision'
       and coalesce(json_extract(body, '$.request.subject'), json_extract(body, '$.imported.subject')) = ? order by seq`,
    ),
  }

  function storedDecision(problem: number, raw: Raw): StoredDecision {
    const round = roundOf(raw)
    const revealed = statement.reveals.all(problem, round.id) as Raw[]
    const entry = statement.entry.get(problem, round.seq) as Raw | undefined
    const later = (statement.later.all(problem, round.round, round.seq) as Raw[]).map(entryOf)
    return {
      round,
      entry: entryOf(present(entry, `record ${round.seq}`, problem)),
      // Each version of the problem numbers its rounds from 0.
      later: later.filter(({ body }) => (JSON.parse(body) as { id?: string }).id === round.id),
      revealed: Object.fromEntries(revealed.map(revealOf<Value>)),
    }
  }

  const readDecisions = async (problem: number, problemVersion: number, from: number, limit: number) =>
    storeCall(() =>
      (statement.rounds.all(problem, problemVersion, from, limit) as Raw[]).map((raw) => storedDecision(problem, raw)),
    )

  return {
    nameOf: async (problem: number) =>
      storeCall(() => {
        const raw = statement.name.get(problem) as { name: Uint8Array } | undefined
        return raw === undefined ? null : Buffer.from(raw.name).toString()
      }),
    allProblems: async () => storeCall(() => (statement.problems.all() as Raw[]).map(asProblem)),
    problem: async (name: string) =>
      storeCall(() => {
        const raw = statement.problem.get(name) as Raw | undefined
        return raw === undefined ? undefined : problemOf(raw)
      }),
    snapshot: async (problem: number, problemVersion: number, version: number) =>
      storeCall(() => {
        const raw = statement.snapshot.get(problem, problemVersion, version) as Raw | undefined
        return raw === undefined ? undefined : snapshotOf(raw)
      }),
    snapshots: async (problem: number) => storeCall(() => (statement.snapshots.all(problem) as Raw[]).map(snapshotOf)),
    decision: async (problem: number, ref: string) =>
      storeCall(() => {
        const raw = (statement.round.get(problem, ref) ?? statement.roundOfEvent.get(problem, ref)) as Raw | undefined
        return raw === undefined || Number(raw.round) < 0 ? undefined : storedDecision(problem, raw)
      }),
    decisionsOf: async (problem: number, subject: string, after: number, upTo: number) =>
      storeCall(() =>
        (statement.decisionsOf.all(problem, after, upTo, subject) as { seq: number }[]).map(({ seq }) => seq),
      ),
    readLog: async (problem: number, after: number, limit: number) =>
      storeCall(() => (statement.log.all(problem, after, limit) as Raw[]).map(entryOf)),
    readDecisions,
    allDecisions: (problem: number, problemVersion: number, from: number) =>
      pagedDecisions({ readDecisions }, problem, problemVersion, from),
  }
}

/** A reader of the log for another process, or for a thread with a gate. */
export function openSqliteReader(path: string, gate?: Gate): LogReader {
  const within = <T>(call: () => T) => (gate === undefined ? call() : through(gate, call))
  const { db, reads, statement } = within(() => {
    const db = openDatabase(path, { readonly: true })
    const log = `select ${ENTRY} from log where problem = ? and seq > ? and seq <= ? order by log.seq limit ?`
    return { db, reads: sqliteReads(db), statement: db.prepare(log) }
  })
  return {
    read: async (problem, after, upTo, limit) =>
      within(() => storeCall(() => (statement.all(problem, after, upTo, limit) as Raw[]).map(entryOf))),
    readDecisions: async (...range) => within(() => reads.readDecisions(...range)),
    close: async () => within(() => void db.close()),
  }
}
