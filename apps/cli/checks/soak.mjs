// npm run soak [-- --minutes 60 --store sqlite|postgres --restarts]: one service under mixed load (decisions alone and in
// batches, rewards, reveals, exports, evaluations, changed definitions, pages). Prints memory, descriptors and latencies every minute,
// and whether memory and descriptors stay flat after the first fifth of the time.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../../test/postgres-server.mjs'

const PRIMO = fileURLToPath(new URL('../bin/primo.js', import.meta.url))
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    store: { type: 'string', default: 'sqlite' },
    restarts: { type: 'boolean', default: false },
  },
})
const MINUTES = Number(values.minutes)
const CALLERS = 8
/** Milliseconds between two calls of a caller, on average. */
const PAUSE = 40
const SAMPLE_EVERY = 5000
const WARM_UP = 0.2
/** Growth of memory over the measured time, as a share of its mean, that still counts as flat. */
const FLAT = 0.1
/** Descriptors come and go with calls under way, so that peaks say little: a leak lifts the median. */
const FEW = 5
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

const definition = (holdout) => ({
  context: { age: { type: 'number', min: 0, max: 100 }, smoker: { type: 'boolean' } },
  covariates: {
    dose: {
      type: 'number',
      min: 0,
      max: 10,
      reveals: 'context',
      imputer: { kind: 'linear', intercept: 2, coefficients: { age: 0.05 } },
    },
  },
  actions: ['low', 'medium', 'high'],
  reward: { min: 0, max: 1 },
  guards: { holdout, baseline: 'low' },
  // What is kept of old rounds does not grow for ever.
  learning: { seed: 1, window: { rounds: 10_000 } },
})

const postgres = values.store === 'postgres' ? await startPostgres() : null
const folder = mkdtempSync(join(tmpdir(), 'primo-soak-'))
const store = postgres === null ? `sqlite:${join(folder, 'soak.db')}` : await postgres.createDatabase('soak')
let ending = false
let service = await serve()
let stopped = false

async function serve() {
  const args = [PRIMO, 'serve', '--store', store, '--port', '0', '--log-level', 'silent', '--json']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  child.once('exit', (code, signal) => {
    if (ending) return
    console.error(`the service ended by itself (${code ?? signal})`)
    process.exit(1)
  })
  return { child, url: JSON.parse(line.toString()).url }
}

async function end() {
  const gone = once(service.child, 'exit')
  ending = true
  service.child.kill('SIGTERM')
  await gone
  ending = false
}

const answers = new Map()
let latencies = []

async function call(kind, method, path, body, { read = 'json' } = {}) {
  const began = performance.now()
  let status = 0
  let found
  try {
    const reply = await fetch(`${service.url}/v1/problems/soak${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    status = reply.status
    // An abandoned export: its first piece is read, and no more.
    if (read === 'first') await reply.body.getReader().cancel()
    else found = read === 'json' ? await reply.json() : await reply.arrayBuffer()
  } catch {
    // The service is being restarted.
  }
  const key = `${kind} ${status === 0 ? 'no answer' : status}`
  answers.set(key, (answers.get(key) ?? 0) + 1)
  if (kind === 'decide' && status === 200) latencies.push(performance.now() - began)
  return status === 200 ? found : undefined
}

const request = () => {
  const age = Math.floor(Math.random() * 100)
  const seen = Math.random() < 0.6
  return { context: { age, smoker: Math.random() < 0.3 }, covariates: { dose: seen ? age / 20 : null } }
}

async function caller() {
  const waiting = []
  while (!stopped) {
    const draw = Math.random()
    if (draw < 0.45) {
      const made = await call('decide', 'POST', '/decisions', request())
      if (made !== undefined) waiting.push(made)
    } else if (draw < 0.5) {
      const decisions = Array.from({ length: 50 }, request)
      const made = await call('batch', 'POST', '/decisions/batch?ranking=1', { decisions })
      if (made !== undefined) {
        const rewards = made.results.map(({ decisionId }) => ({ id: decisionId, value: Math.random() }))
        await call('rewards', 'POST', '/rewards/batch', { rewards })
      }
    } else if (draw < 0.9 && waiting.length > 0) {
      const { decisionId, covariates } = waiting.shift()
      if (covariates.dose.status !== 'observed')
        await call('reveal', 'POST', `/decisions/${decisionId}/reveal`, { covariates: { dose: 10 * Math.random() } })
      await call('reward', 'POST', `/decisions/${decisionId}/reward`, { value: Math.random() })
    } else if (draw < 0.93) await call('history', 'GET', '/history?range=recent')
    else if (draw < 0.96) await call('summary', 'GET', '/summary')
    else if (draw < 0.97) await call('define', 'PUT', '', definition(Math.random() < 0.5 ? 0 : 0.05))
    else if (draw < 0.975) await call('export', 'GET', '/log?format=csv', undefined, { read: 'bytes' })
    else if (draw < 0.98) await call('abandoned', 'GET', '/log', undefined, { read: 'first' })
    else if (draw < 0.981)
      await call('evaluate', 'POST', '/evaluations', { policies: ['uniform'], rows: 1000, replicates: 10 })
    await sleep(2 * PAUSE * Math.random())
  }
}

/** Memory in MB and open descriptors of the service. */
function sample() {
  const proc = `/proc/${service.child.pid}`
  if (!existsSync(proc)) return null
  const memory = Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`${proc}/status`, 'utf8'))?.[1]) / 1024
  return { at: performance.now(), memory, descriptors: readdirSync(`${proc}/fd`).length }
}

const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN

/** Least squares: growth per hour, and its standard error were the samples independent. */
function slope(points) {
  const mean = (of) => points.reduce((sum, point) => sum + of(point), 0) / points.length
  const hours = (point) => point.at / 3.6e6
  const [x, y] = [mean(hours), mean(({ memory }) => memory)]
  const xx = points.reduce((sum, point) => sum + (hours(point) - x) ** 2, 0)
  const perHour = points.reduce((sum, point) => sum + (hours(point) - x) * (point.memory - y), 0) / xx
  const left = points.reduce((sum, point) => sum + (point.memory - y - perHour * (hours(point) - x)) ** 2, 0)
  return { perHour, mean: y, error: Math.sqrt(left / Math.max(1, points.length - 2) / xx) }
}

await call('define', 'PUT', '', definition(0))
console.log(
  `${MINUTES} minutes on ${values.store}, ${CALLERS} callers${values.restarts ? ', restarted every minute' : ''}`,
)
const callers = Array.from({ length: CALLERS }, caller)
const samples = []
const began = performance.now()
for (let minute = 1; minute <= MINUTES; minute++) {
  const until = began + minute * 60_000
  while (performance.now() < until) {
    await sleep(Math.min(SAMPLE_EVERY, Math.max(0, until - performance.now())))
    const taken = sample()
    if (taken !== null) samples.push(taken)
  }
  const sorted = latencies.toSorted((a, b) => a - b)
  latencies = []
  const last = samples.at(-1)
  console.log(
    `minute ${String(minute).padStart(3)}   memory ${last?.memory.toFixed(0)} MB   descriptors ${last?.descriptors}   ${sorted.length} decisions alone   p50 ${quantile(sorted, 0.5).toFixed(1)} ms   p99 ${quantile(sorted, 0.99).toFixed(1)} ms`,
  )
  if (!values.restarts || minute === MINUTES) continue
  await end()
  service = await serve()
}
stopped = true
await Promise.all(callers)
await end()

const measured = samples.filter(({ at }) => at - began >= WARM_UP * MINUTES * 60_000)
const { perHour, mean, error } = slope(measured)
const growth = (perHour * (measured.at(-1).at - measured[0].at)) / 3.6e6
const middle = Math.floor(measured.length / 2)
const usual = (points) =>
  quantile(
    points.map(({ descriptors }) => descriptors).toSorted((a, b) => a - b),
    0.5,
  )
const most = Math.max(...measured.map(({ descriptors }) => descriptors))
const [before, after] = [usual(measured.slice(0, middle)), usual(measured.slice(middle))]
// A service that is being restarted may refuse and be away.
const failing = values.restarts ? /500$/ : /5\d\d$|no answer$/
const failed = [...answers].filter(([key]) => failing.test(key))
console.log(`answers: ${[...answers].map(([key, count]) => `${key}: ${count}`).join(', ')}`)
console.log(
  `memory: ${mean.toFixed(0)} MB on average, ${perHour.toFixed(1)} +- ${error.toFixed(1)} MB per hour, ${growth.toFixed(1)} MB in the measured time`,
)
console.log(`descriptors: median ${before} in the first half, ${after} in the second; at most ${most}`)
const memoryFlat = growth <= FLAT * mean
const descriptorsFlat = after <= before + FEW
console.log(
  `memory is ${memoryFlat ? 'flat' : 'NOT flat'}, descriptors are ${descriptorsFlat ? 'flat' : 'NOT flat'}, ${failed.length === 0 ? 'no call failed' : `FAILED: ${failed.map(([key, count]) => `${key} (${count})`).join(', ')}`}`,
)
rmSync(folder, { recursive: true, force: true })
await postgres?.stop()
process.exit(memoryFlat && descriptorsFlat && failed.length === 0 ? 0 : 1)
