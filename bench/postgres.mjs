// The service on PostgreSQL: durable decisions and rewards per second through HTTP, one replica and two on one problem; the
// store alone, by one process and by two; processor time of each part; bytes per decision on the wire, in the database's own
// log and at rest.

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import pg from 'pg'
import { startPostgres } from '../test/postgres-server.mjs'
import { heldTo } from './held-processor.mjs'
import { load } from './load.mjs'
import {
  call,
  definition,
  headers,
  here,
  histogram,
  learn,
  line,
  median,
  decisionsPath as path,
  request,
  serve,
  stop,
} from './serving.mjs'

const SECONDS = Number(process.env.BENCH_SECONDS ?? 3)
const TURNS = Number(process.env.BENCH_TURNS ?? 5)
const WARM_UP = 5
const CONNECTIONS = 64
const BATCHES_AT_ONCE = 16
/** Cores of a replica where the database and the load are to have room beside two. */
const HELD_TO = 0.25
const BATCH = 100

const singles = Array.from({ length: 500 }, () => ({ body: JSON.stringify(request()) }))
const batches = Array.from({ length: 20 }, () => ({
  body: JSON.stringify({ decisions: Array.from({ length: BATCH }, request) }),
}))

/** The same load on each address, in equal parts; per second it is their sum, of the latencies the worst. */
async function spread(urls, to, bodies, connections, seconds, each = 1) {
  const parts = await Promise.all(
    urls.map((url) => load({ url, path: to, bodies, headers, connections: connections / urls.length, seconds })),
  )
  return together(parts.map((part) => ({ ...part, perSecond: part.perSecond * each })))
}

function together(parts) {
  const worst = (field) => Math.max(...parts.map((part) => part[field]))
  return {
    ...parts[0],
    perSecond: parts.reduce((sum, part) => sum + part.perSecond, 0),
    p50: worst('p50'),
    p99: worst('p99'),
  }
}

/** Processes that write into the store with nothing before it. */
async function storeWriters(count, store, calls, size, seconds) {
  const parts = await Promise.all(
    Array.from({ length: count }, async () => {
      const child = spawn(process.execPath, [here('./store-writer.mjs')], { stdio: ['pipe', 'pipe', 'inherit'] })
      child.stdin.end(JSON.stringify({ store, problem: 'bench', calls: calls / count, size, seconds }))
      let told = ''
      for await (const piece of child.stdout) told += piece
      return JSON.parse(told)
    }),
  )
  return { ...together(parts), micros: parts.reduce((sum, { micros }) => sum + micros / count, 0) }
}

/** Seconds of processor that all processes below this one, and which are PostgreSQL, have used; NaN where there is no /proc. */
function postgresSeconds() {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name) && descends(name))
      .reduce((sum, pid) => sum + secondsOf(pid), 0)
  } catch {
    return Number.NaN
  }
}

const statOf = (pid) => {
  const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return [text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')), ...text.slice(text.lastIndexOf(')') + 2).split(' ')]
}

/** With those of processes that have ended: connections come and go. */
function secondsOf(pid) {
  try {
    const fields = statOf(pid).slice(12, 16).map(Number)
    return fields.reduce((sum, ticks) => sum + ticks, 0) / 100
  } catch {
    return 0
  }
}

function descends(pid) {
  try {
    if (statOf(pid)[0] !== 'postgres') return false
    for (let at = pid; at !== '1' && at !== '0'; at = statOf(at)[2]) if (Number(at) === process.pid) return true
  } catch {
    // It has ended.
  }
  return false
}

async function inTurns(kinds) {
  const names = Object.keys(kinds)
  for (const name of names) await kinds[name](WARM_UP)
  const turns = Object.fromEntries(names.map((name) => [name, []]))
  for (let turn = 0; turn < TURNS; turn++) for (const name of names) turns[name].push(await kinds[name](SECONDS))
  return turns
}

/** What `work` costs in bytes and in time of the database's processors, per decision. */
async function costs(database, work) {
  const look = async () => {
    const { rows } = await database.query(
      `select pg_current_wal_lsn() - '0/0'::pg_lsn as wal, (select count(*) from rounds) as rounds,
         (select sum(pg_total_relation_size(relid)) from pg_partition_tree('log')) as log,
         pg_total_relation_size('rounds') as "index"`,
    )
    return Object.fromEntries(Object.entries(rows[0]).map(([name, value]) => [name, Number(value)]))
  }
  const before = { ...(await look()), seconds: postgresSeconds() }
  const result = await work()
  const after = { ...(await look()), seconds: postgresSeconds() }
  const each = (name) => (after[name] - before[name]) / (after.rounds - before.rounds)
  return { result, wal: each('wal'), log: each('log'), index: each('index'), micros: each('seconds') * 1e6 }
}

/** Each replica held to a part of a core, so that load and database have the rest: whether one problem is written faster by two. */
async function heldReplicas(first, second) {
  const free = [first, second].map(({ child }) => heldTo(HELD_TO, child.pid))
  if (free.includes(null)) console.log('  passed over: replicas held to a part of a core need root and control groups')
  else {
    const calls = await inTurns({
      one: (seconds) => spread([first.url], `${path}/batch`, batches, BATCHES_AT_ONCE, seconds, BATCH),
      two: (seconds) => spread([first.url, second.url], `${path}/batch`, batches, BATCHES_AT_ONCE, seconds, BATCH),
    })
    line(`batches, ${HELD_TO} of a core each`, calls.one)
    line('  two replicas', calls.two, calls.one, 'of one')
  }
  for (const letGo of free) letGo?.()
}

export async function benchPostgres() {
  const postgres = await startPostgres()
  const store = await postgres.createDatabase('bench')
  const database = new pg.Client({ connectionString: store })
  await database.connect()
  const first = await serve(store)
  const second = await serve(store)
  try {
    console.log(
      `postgres: K = 10, 20 features, ${TURNS} turns of ${SECONDS} s each; ${(await database.query('show server_version')).rows[0].server_version}`,
    )
    await call(first.url, '/v1/problems/bench', definition, 'PUT')
    const ids = await learn(first.url, 30_000)
    await new Promise((resolve) => setTimeout(resolve, 2000))
    const rewards = ids.map((id) => ({ to: `${path}/${id}/reward`, body: `{"value":${Math.random().toFixed(3)}}` }))
    const some = () => rewards.splice(0, Math.ceil(rewards.length / 3))
    const [one, two] = [[first.url], [first.url, second.url]]
    const calls = await inTurns({
      single: (seconds) => spread(one, path, singles, CONNECTIONS, seconds),
      single2: (seconds) => spread(two, path, singles, CONNECTIONS, seconds),
      batched: (seconds) => spread(one, `${path}/batch`, batches, BATCHES_AT_ONCE, seconds, BATCH),
      batched2: (seconds) => spread(two, `${path}/batch`, batches, BATCHES_AT_ONCE, seconds, BATCH),
      rewarded: (seconds) => spread(one, path, some(), CONNECTIONS, seconds),
    })
    line(`decide (${CONNECTIONS} conn.)`, calls.single)
    line('  two replicas', calls.single2, calls.single, 'of one')
    line(`in batches of ${BATCH} (${BATCHES_AT_ONCE} conn.)`, calls.batched, calls.single, 'of single calls')
    line('  two replicas', calls.batched2, calls.batched, 'of one')
    line('reward', calls.rewarded)
    const metrics = await call(first.url, '/metrics', undefined, 'GET')
    console.log(
      `  mean commit ${(1000 * histogram(metrics, 'commit_seconds')).toFixed(2)} ms, ${histogram(metrics, 'commit_commands').toFixed(0)} commands each`,
    )
    await heldReplicas(first, second)
    await stop(second.child)
    const shared = await serve(store, '--workers', '2')
    const workers = await inTurns({
      single: (seconds) => spread(one, path, singles, CONNECTIONS, seconds),
      shared: (seconds) => spread([shared.url], path, singles, CONNECTIONS, seconds),
      batched: (seconds) => spread(one, `${path}/batch`, batches, BATCHES_AT_ONCE, seconds, BATCH),
      sharedBatches: (seconds) => spread([shared.url], `${path}/batch`, batches, BATCHES_AT_ONCE, seconds, BATCH),
    })
    line('two workers on one port', workers.shared, workers.single, 'of one')
    line(`  in batches of ${BATCH}`, workers.sharedBatches, workers.batched, 'of one')
    await stop(shared.child)
    const stored = await inTurns({
      one: (seconds) => storeWriters(1, store, BATCHES_AT_ONCE, BATCH, seconds),
      two: (seconds) => storeWriters(2, store, BATCHES_AT_ONCE, BATCH, seconds),
    })
    line('the store alone', stored.one)
    line('  two processes', stored.two, stored.one, 'of one')
    const { result, wal, log, index, micros } = await costs(database, () =>
      storeWriters(1, store, BATCHES_AT_ONCE, BATCH, SECONDS),
    )
    console.log(
      `  processor per decision in the store: ${result.micros.toFixed(1)} us of the service, ${micros.toFixed(1)} us of PostgreSQL`,
    )
    const bytes = (bodies) => median(bodies.map(({ body }) => Buffer.byteLength(body)))
    const { results } = await call(first.url, `${path}/batch`, { decisions: Array.from({ length: BATCH }, request) })
    console.log(
      `  bytes per decision: request ${bytes(singles)}, reply ${JSON.stringify(results).length / BATCH}; the database's own log ${wal.toFixed(0)}; at rest ${log.toFixed(0)} in the log, ${index.toFixed(0)} in rounds and their indexes`,
    )
  } finally {
    await stop(first.child)
    await database.end()
    await postgres.stop()
  }
}
