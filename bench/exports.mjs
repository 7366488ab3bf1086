// Decisions beside exports: latency of durable decisions while ten clients export the whole log again and again, next to the
// same load alone, in turns. Each client has a key of its own; what it reads is thrown away in another process, at low
// priority, as if it were on another machine.

import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '../test/postgres-server.mjs'
import { load } from './load.mjs'

const SECONDS = Number(process.env.BENCH_SECONDS ?? 6)
const TURNS = Number(process.env.BENCH_TURNS ?? 5)
const CONNECTIONS = Number(process.env.BENCH_CONNECTIONS ?? 16)
const EXPORTS = Number(process.env.BENCH_EXPORTS ?? 10)
const DECISIONS = Number(process.env.BENCH_DECISIONS ?? 100_000)
const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const path = '/v1/problems/bench'

const secrets = Array.from({ length: EXPORTS + 1 }, () => `bench_${randomBytes(16).toString('hex')}`)
const entries = secrets.map(
  (secret, k) => `${k === 0 ? 'admin' : 'read'}:${createHash('sha256').update(secret).digest('hex')}`,
)
const headersOf = (k) => ({ 'content-type': 'application/json', authorization: `Bearer ${secrets[k]}` })

const features = Array.from({ length: 20 }, (_, k) => `x${k}`)
const definition = {
  context: Object.fromEntries(features.map((name) => [name, { type: 'number', min: -1, max: 1 }])),
  covariates: { z: { type: 'number', min: -1, max: 1, imputer: { kind: 'constant', value: 0 } } },
  actions: Array.from({ length: 10 }, (_, k) => `action ${k}`),
  reward: { min: 0, max: 1 },
  learning: { seed: 1 },
}
const draw = () => Math.round((Math.random() * 2 - 1) * 1e4) / 1e4
const request = () => ({
  context: Object.fromEntries(features.map((name) => [name, draw()])),
  covariates: { z: Math.random() < 0.6 ? draw() : null },
})

async function serve(store) {
  const args = [here('../apps/cli/bin/primo.js'), 'serve', '--store', store, '--port', '0', '--json']
  const child = spawn(process.execPath, [...args, '--log-level', 'silent', '--keys', entries.join(',')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const line = await new Promise((resolve) => child.stdout.once('data', (data) => resolve(data.toString())))
  return { child, url: JSON.parse(line).url }
}

async function fill(url) {
  const call = async (to, body, method = 'POST') => {
    const response = await fetch(`${url}${to}`, { method, headers: headersOf(0), body: JSON.stringify(body) })
    if (!response.ok) throw new Error(`${to}: ${response.status} ${await response.text()}`)
  }
  await call(path, definition, 'PUT')
  for (let done = 0; done < DECISIONS; done += 500)
    await call(`${path}/decisions/batch`, { decisions: Array.from({ length: 500 }, request) })
}

// Reads exports until it is told to stop; says how many bytes it read, and how often it was refused.
const CLIENTS = `
import { setPriority } from 'node:os'
const { url, secrets } = JSON.parse(process.argv[1])
setPriority(19)
let bytes = 0, whole = 0, refused = 0
async function readOn(secret) {
  for (;;) {
    const reply = await fetch(url, { headers: { authorization: 'Bearer ' + secret } })
    if (reply.status === 200) { for await (const piece of reply.body) bytes += piece.length; whole++ }
    else { refused++; await reply.text(); await new Promise((done) => setTimeout(done, 250)) }
  }
}
for (const secret of secrets) readOn(secret).catch(() => undefined)
process.on('SIGTERM', () => { console.log(JSON.stringify({ bytes, whole, refused })); process.exit(0) })
`

async function besideExports(url, run) {
  const given = JSON.stringify({ url: `${url}${path}/log`, secrets: secrets.slice(1) })
  const child = spawn(process.execPath, ['--input-type=module', '-e', CLIENTS, given], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const said = new Promise((resolve) => child.stdout.once('data', (data) => resolve(JSON.parse(String(data)))))
  await new Promise((resolve) => setTimeout(resolve, 1500))
  const result = await run()
  child.kill('SIGTERM')
  const read = await said
  await new Promise((resolve) => setTimeout(resolve, 500))
  return { ...result, ...read }
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

async function measure(store, name) {
  const { child, url } = await serve(store)
  try {
    await fill(url)
    const bodies = Array.from({ length: 500 }, () => ({ body: JSON.stringify(request()) }))
    const decide = (seconds) =>
      load({ url, path: `${path}/decisions`, bodies, headers: headersOf(0), connections: CONNECTIONS, seconds })
    await decide(SECONDS)
    const alone = []
    const beside = []
    for (let turn = 0; turn < TURNS; turn++) {
      alone.push(await decide(SECONDS))
      beside.push(await besideExports(url, () => decide(SECONDS)))
    }
    const line = (label, turns) =>
      console.log(
        `  ${label.padEnd(24)} ${median(turns.map((t) => t.perSecond))
          .toFixed(0)
          .padStart(
            6,
          )}/s   p50 ${median(turns.map((t) => t.p50)).toFixed(1)} ms   p99 ${median(turns.map((t) => t.p99)).toFixed(1)} ms`,
      )
    console.log(
      `${name}, ${DECISIONS} decisions in the log, ${CONNECTIONS} connections, ${TURNS} turns of ${SECONDS} s`,
    )
    line('decisions alone', alone)
    line(`beside ${EXPORTS} exports`, beside)
    for (const field of ['p50', 'p99']) {
      const ratios = beside.map((turn, k) => turn[field] / alone[k][field])
      const most = field === 'p50' ? 2 : 3
      console.log(
        `  ${field} ${median(ratios).toFixed(2)}x (${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}), wanted: at most ${most}x`,
      )
    }
    const [bytes, whole, refused] = ['bytes', 'whole', 'refused'].map((field) =>
      beside.reduce((sum, turn) => sum + turn[field], 0),
    )
    console.log(`  exported ${(bytes / 1e6).toFixed(0)} MB, ${whole} whole logs; ${refused} exports were refused`)
  } finally {
    const gone = new Promise((resolve) => child.once('exit', resolve))
    child.kill('SIGTERM')
    await gone
  }
}

export async function benchExports() {
  const folder = mkdtempSync(join(tmpdir(), 'primo-bench-'))
  await measure(`sqlite:${join(folder, 'bench.db')}`, 'SQLite')
  rmSync(folder, { recursive: true, force: true })
  if (process.argv.includes('--sqlite')) return
  const postgres = await startPostgres()
  try {
    await measure(await postgres.createDatabase('bench'), 'PostgreSQL')
  } finally {
    await postgres.stop()
  }
}
