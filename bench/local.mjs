// Deciding in the caller's process (K = 10, 20 features, a learnt robust policy): decisions per second of one core beside a plain scoring loop and
// beside the HTTP client, the same answers as over HTTP, verified uploads per second, and lies. `--postgres` uploads into PostgreSQL too.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { createClient } from '@primo/client'
import { openLocal } from '@primo/client/local'
import { linearScores, seedKey } from '@primo/numeric'
import { startPostgres } from '../test/postgres-server.mjs'
import { lies, localDecisions } from './local-decisions.mjs'

const DECISIONS = 200_000
const TURNS = 5
/** Decisions between two turns of the event loop. */
const SOME = 400
const SAME = Number(process.env.BENCH_SAME ?? 100_000)
const LIES = 10_000
const UPLOADS = Number(process.env.BENCH_UPLOADS ?? 200_000)
const CALLERS = 4
const BATCH = 500
const SEED = 1

const features = Array.from({ length: 20 }, (_, k) => `x${k}`)
const definition = {
  context: Object.fromEntries(features.map((name) => [name, { type: 'number', min: -1, max: 1 }])),
  covariates: {
    z: { type: 'number', min: -1, max: 1, imputer: { kind: 'linear', intercept: 0, coefficients: { x0: 0.5 } } },
  },
  actions: Array.from({ length: 10 }, (_, k) => `action ${k}`),
  reward: { min: 0, max: 1 },
  learning: { seed: SEED },
}

const small = () => Math.round((Math.random() * 2 - 1) * 1e4) / 1e4
const request = () => ({
  context: Object.fromEntries(features.map((name) => [name, small()])),
  covariates: { z: Math.random() < 0.6 ? small() : null },
})

async function serve(store) {
  const primo = fileURLToPath(new URL('../apps/cli/bin/primo.js', import.meta.url))
  const flags = ['--store', store, '--port', '0', '--json', '--log-level', 'silent', '--rate-limit', '1000000000']
  const child = spawn(process.execPath, [primo, 'serve', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  const { url } = JSON.parse(line.toString())
  const call = async (path, body, method = 'POST') => {
    const response = await fetch(`${url}/v1/problems/bench${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return response.json()
  }
  const stop = async () => {
    child.kill('SIGTERM')
    await once(child, 'exit')
  }
  /** Seconds of processor time so far. */
  const processor = async () => {
    const text = await (await fetch(`${url}/metrics`)).text()
    return Number(/^process_cpu_seconds_total (.*)$/m.exec(text)[1])
  }
  return { url, call, stop, processor }
}

/** Decisions with rewards until a policy was learnt, and then no more of it: what is measured has one policy. */
async function learn({ call }) {
  await call('', definition, 'PUT')
  for (let version = 0; version < 3; ) {
    const decisions = Array.from({ length: 500 }, request)
    const { results } = await call('/decisions/batch', { decisions })
    const rewards = results.map(({ decisionId, action }, k) => {
      const a = Number(action.slice(7))
      const { x0, x1 } = decisions[k].context
      const value = 0.5 + 0.02 * (a - 5) * x0 + 0.1 * (a % 3) * x1 + 0.2 * (Math.random() - 0.5)
      return { id: decisionId, value: Math.min(1, Math.max(0, value)) }
    })
    await call('/rewards/batch', { rewards })
    version = (await call('/summary', undefined, 'GET')).learning.policyVersion
  }
  await call('/freeze', {})
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]
const count = (value) => Math.round(value).toLocaleString('en')

/** Seconds by the clock and of the processor, per run of `work`. */
function timed(work) {
  const before = process.cpuUsage()
  const start = performance.now()
  work()
  const { user, system } = process.cpuUsage(before)
  return { wall: (performance.now() - start) / 1000, processor: (user + system) / 1e6 }
}

async function decideLocally(url) {
  // Uploads are measured by themselves: here they wait, and the oldest are given up.
  const away = (to, init) => (String(to).endsWith('/uploads') ? new Promise(() => undefined) : fetch(to, init))
  const uploads = { keepAtMost: 20, dropFirst: 'oldest' }
  const local = await openLocal({ url, problem: 'bench', caller: 'bench', default: 'action 0', fetch: away, uploads })
  const requests = Array.from({ length: 1000 }, request)
  const theta = Float64Array.from({ length: 10 * 21 }, (_, i) => Math.sin(i))
  const rows = requests.map(({ context, covariates }) => Float64Array.of(...Object.values(context), covariates.z ?? 0))
  const scores = new Float64Array(10)
  let sum = 0
  const plain = () => {
    for (let i = 0; i < DECISIONS; i++) {
      linearScores(theta, 10, rows[i % 1000], 21, scores)
      sum += scores[0]
    }
  }
  const { decide } = local
  const some = (from, n) => {
    for (let i = from; i < from + n; i++) sum += decide(requests[i % 1000]).propensity
  }
  /** As a server does: some decisions, then other work; what is decided is made into batches in between. */
  const breathe = () => new Promise((resolve) => setTimeout(resolve, 0))
  plain()
  for (let k = 0; k < 200; k++) {
    some(0, SOME)
    await breathe()
  }
  setFlagsFromString('--expose-gc')
  const collect = globalThis.gc ?? (await import('node:vm')).runInNewContext('gc')
  const turns = []
  const heaps = []
  const latencies = new Float64Array(DECISIONS)
  for (let turn = 0; turn < TURNS; turn++) {
    const bare = timed(plain)
    let made = { wall: 0, processor: 0 }
    const before = process.cpuUsage()
    for (let done = 0; done < DECISIONS; done += SOME) {
      const one = timed(() => some(done, SOME))
      made = { wall: made.wall + one.wall, processor: made.processor + one.processor }
      await breathe()
    }
    const { user, system } = process.cpuUsage(before)
    turns.push({ bare, made, all: (user + system) / 1e6 })
    collect()
    heaps.push(process.memoryUsage().heapUsed)
  }
  for (let i = 0; i < DECISIONS; i++) {
    const start = performance.now()
    decide(requests[i % 1000])
    latencies[i] = performance.now() - start
    if (i % SOME === 0) await breathe()
  }
  latencies.sort()
  const perSecond = (pick) => DECISIONS / median(turns.map(pick))
  const at = (share) => (1000 * latencies[Math.floor(share * DECISIONS)]).toFixed(1)
  const ratio = median(turns.map(({ bare, made }) => made.processor / bare.processor))
  console.log(
    `  plain scoring loop           ${count(perSecond(({ bare }) => bare.processor)).padStart(10)} a second of one core`,
  )
  console.log(
    `  local decisions              ${count(perSecond(({ made }) => made.processor)).padStart(10)} a second of one core, ${count(perSecond(({ made }) => made.wall))} by the clock; ${ratio.toFixed(1)}x the plain loop's time`,
  )
  console.log(`  with batches made of them    ${count(perSecond(({ all }) => all)).padStart(10)} a second of one core`)
  console.log(`  each                         p50 ${at(0.5)} us, p99 ${at(0.99)} us, p99.9 ${at(0.999)} us`)
  console.log(`  heap after each turn         ${heaps.map((bytes) => (bytes / 1e6).toFixed(1)).join(', ')} MB`)
  if (!Number.isFinite(sum)) throw new Error('nothing was decided')
  await local.close(0)
  const client = createClient({ url })
  const asked = 2000
  const start = performance.now()
  for (let k = 0; k < asked; k += 50)
    await Promise.all(
      requests.slice(0, 50).map((one) => client.decide('bench', one, { default: 'action 0', deadline: 10_000 })),
    )
  const each = asked / ((performance.now() - start) / 1000)
  console.log(`  HTTP client, 50 at once      ${count(each).padStart(10)} a second`)
}

/** The same requests over HTTP and here, with the service's own key and its ids. */
async function compare({ call }) {
  const document = await call('/policy?caller=same', undefined, 'GET')
  const { decider, engine } = localDecisions({ ...document, key: seedKey(SEED) })
  let different = 0
  for (let done = 0; done < SAME; done += 1000) {
    const decisions = Array.from({ length: 1000 }, request)
    const { results } = await call('/decisions/batch', { decisions })
    results.forEach(({ decisionId, action, ranking }, k) => {
      const made = decider.decide(decisions[k], decisionId)
      // Replies have 15 decimals.
      const near = ranking.every(
        (one) => Math.abs(made.propensities[engine.encoding.actionIndex.get(one.action)] - one.propensity) < 1e-15,
      )
      if (engine.encoding.actions[made.action] !== action || !near) different++
    })
  }
  console.log(`  over HTTP and here           ${count(SAME)} requests, ${different} with another action or propensity`)
  if (different > 0) process.exitCode = 1
}

async function lie({ call }) {
  const document = await call('/policy?caller=liar', undefined, 'GET')
  const { decide } = localDecisions(document)
  const kinds = Object.keys(lies)
  let refused = 0
  for (let done = 0; done < LIES; done += BATCH) {
    const items = Array.from({ length: BATCH }, (_, k) => {
      const decision = decide(request(), Date.now())
      return { decision: lies[kinds[(done + k) % kinds.length]](decision, definition, Math.random) }
    })
    const reply = await call('/uploads', { caller: 'liar', policy: document.policy, items })
    refused += reply.refused.filter(({ error }) => error.code === 'verification-failed').length
  }
  console.log(`  lies in one field            ${count(LIES)} of ${kinds.length} kinds, ${count(refused)} refused`)
  if (refused !== LIES) process.exitCode = 1
}

async function upload({ call, processor }, store) {
  let bytes = 0
  const bodies = await Promise.all(
    Array.from({ length: CALLERS }, async (_, k) => {
      const caller = `up-${k}`
      const document = await call(`/policy?caller=${caller}`, undefined, 'GET')
      const { decide } = localDecisions(document)
      return Array.from({ length: UPLOADS / CALLERS / BATCH }, () => {
        const items = Array.from({ length: BATCH }, () => ({ decision: decide(request(), Date.now()) }))
        const body = JSON.stringify({ caller, policy: document.policy, items })
        bytes += body.length
        return body
      })
    }),
  )
  const before = await processor()
  const start = performance.now()
  const latencies = []
  let accepted = 0
  await Promise.all(
    bodies.map(async (own) => {
      for (const body of own) {
        const sent = performance.now()
        const reply = await call('/uploads', body)
        accepted += reply.accepted
        latencies.push(performance.now() - sent)
      }
    }),
  )
  const seconds = (performance.now() - start) / 1000
  const used = (await processor()) - before
  latencies.sort((a, b) => a - b)
  const at = (share) => latencies[Math.floor(share * latencies.length)].toFixed(0)
  console.log(
    `  verified uploads, ${store.padEnd(10)} ${count(accepted / seconds).padStart(10)} a second by the clock (${CALLERS} callers, batches of ${BATCH}: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms), ${((1e6 * used) / accepted).toFixed(0)} us of the service's processor each, ${(bytes / UPLOADS).toFixed(0)} bytes each`,
  )
  if (accepted !== UPLOADS) process.exitCode = 1
}

export async function benchLocal() {
  const folder = mkdtempSync(join(tmpdir(), 'primo-bench-local-'))
  console.log('local: K = 10, 20 features, a learnt robust policy')
  const service = await serve(`sqlite:${join(folder, 'bench.db')}`)
  await learn(service)
  await decideLocally(service.url)
  await compare(service)
  await lie(service)
  await upload(service, 'SQLite')
  await service.stop()
  if (process.argv.includes('--postgres')) {
    const server = await startPostgres()
    const other = await serve(await server.createDatabase('bench_local'))
    await learn(other)
    await upload(other, 'PostgreSQL')
    await other.stop()
    await server.stop()
  }
  rmSync(folder, { recursive: true, force: true })
}
