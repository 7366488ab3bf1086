// Durable decisions per second through HTTP next to an echo of the same body, in one run on one machine (K = 10, 20
// features, linear; every acknowledged decision is fsynced). `--million` logs 1,000,000 decisions instead, and measures
// memory and the time to be ready with that log.

import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { load } from './load.mjs'

const SECONDS = Number(process.env.BENCH_SECONDS ?? 4)
const TURNS = 5
const CONNECTIONS = 64
const BATCHES_AT_ONCE = 16
/** Logged by `--million`. */
const DECISIONS = Number(process.env.BENCH_DECISIONS ?? 1e6)
const secret = `bench_${randomBytes(16).toString('hex')}`
const hash = createHash('sha256').update(secret).digest('hex')
const headers = { 'content-type': 'application/json', authorization: `Bearer ${secret}` }
const here = (path) => fileURLToPath(new URL(path, import.meta.url))

const features = Array.from({ length: 20 }, (_, k) => `x${k}`)
const definition = {
  context: Object.fromEntries(features.map((name) => [name, { type: 'number', min: -1, max: 1 }])),
  covariates: {
    z: { type: 'number', min: -1, max: 1, imputer: { kind: 'linear', intercept: 0, coefficients: { x0: 0.5 } } },
  },
  actions: Array.from({ length: 10 }, (_, k) => `action ${k}`),
  reward: { min: 0, max: 1 },
  learning: { seed: 1 },
}

function request() {
  const context = Object.fromEntries(features.map((name) => [name, Math.round((Math.random() * 2 - 1) * 1e4) / 1e4]))
  return { context, covariates: { z: Math.random() < 0.6 ? Math.round((Math.random() * 2 - 1) * 1e4) / 1e4 : null } }
}

async function start(command, args, env = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, ...env } })
  const line = await new Promise((resolve, reject) => {
    child.stdout.once('data', (data) => resolve(data.toString()))
    child.once('exit', (code) => reject(new Error(`exited with ${code}`)))
  })
  return { child, url: JSON.parse(line).url }
}

async function stop(child) {
  const gone = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await gone
}

const serve = (store) =>
  start(process.execPath, [
    ...[here('../apps/cli/bin/primo.js'), 'serve', '--store', `sqlite:${store}`, '--port', '0', '--json'],
    ...['--log-level', 'silent', '--keys', `admin:${hash}`, '--rate-limit', '1000000000'],
  ])

/** Seconds until the code that is measured has been compiled. */
const WARM_UP = 10
const post = (url, path, bodies, seconds = SECONDS, connections = CONNECTIONS) =>
  load({ url, path, bodies, headers, connections, seconds })

async function call(url, path, body, method = 'POST') {
  const response = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response.headers.get('content-type')?.includes('json') ? response.json() : response.text()
}

const median = (values) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]

/** Medians over turns; a ratio is that of the same turn. */
function line(name, turns, base, of) {
  const [perSecond, p50, p99] = ['perSecond', 'p50', 'p99'].map((field) => median(turns.map((turn) => turn[field])))
  const ratios = base?.map((turn, k) => turns[k].perSecond / turn.perSecond)
  const [low, middle, high] = ratios === undefined ? [] : [Math.min(...ratios), median(ratios), Math.max(...ratios)]
  const ratio = base === undefined ? '' : `   ${middle.toFixed(2)}x ${of} (${low.toFixed(2)} to ${high.toFixed(2)})`
  console.log(
    `  ${name.padEnd(28)} ${perSecond.toFixed(0).padStart(6)}/s   p50 ${p50.toFixed(1)} ms   p99 ${p99.toFixed(1)} ms${ratio}`,
  )
}

function histogram(text, name) {
  const value = (suffix) => Number(new RegExp(`^primo_${name}_${suffix} (.*)$`, 'm').exec(text)?.[1] ?? 0)
  return value('sum') / Math.max(1, value('count'))
}

export async function benchService() {
  const folder = mkdtempSync(join(tmpdir(), 'primo-bench-'))
  if (process.argv.includes('--million')) await million(join(folder, 'million.db'))
  else await throughput(folder)
  rmSync(folder, { recursive: true, force: true })
}

async function throughput(folder) {
  console.log(
    `service: ${CONNECTIONS} connections on loopback, K = 10, 20 features, ${TURNS} turns of ${SECONDS} s each`,
  )
  const singles = Array.from({ length: 500 }, () => ({ body: JSON.stringify(request()) }))
  const batches = Array.from({ length: 20 }, () => ({
    body: JSON.stringify({ decisions: Array.from({ length: 100 }, request) }),
  }))
  const path = '/v1/problems/bench/decisions'
  const echo = await start(process.execPath, [here('./service-echo.mjs')], {
    BENCH_KEYS: JSON.stringify([{ role: 'admin', hash }]),
  })
  const service = await serve(join(folder, 'bench.db'))
  await call(service.url, '/v1/problems/bench', definition, 'PUT')
  // Single calls and batches are decided by the same policy, one that was learnt.
  const ids = await learn(service.url, path)
  const rewards = ids.map((id) => ({ to: `${path}/${id}/reward`, body: `{"value":${Math.random().toFixed(3)}}` }))
  const kinds = {
    echoed: (seconds) => post(echo.url, path, singles, seconds),
    decided: (seconds) => post(service.url, path, singles, seconds),
    batched: async (seconds) => {
      const { perSecond, ...rest } = await post(service.url, `${path}/batch`, batches, seconds, BATCHES_AT_ONCE)
      return { perSecond: perSecond * 100, ...rest }
    },
    echoedReward: (seconds) => post(echo.url, `${path}/e1/reward`, [{ body: '{"value":0.5}' }], seconds),
    rewarded: (seconds) => post(service.url, path, rewards.splice(0, rewards.length / 2), seconds),
  }
  const { echoed, decided } = await inTurns(kinds, ['echoed', 'decided'])
  line('echo of a decision', echoed)
  line('decide, durable', decided, echoed, 'of the echo')
  const calls = await inTurns(kinds, ['decided', 'batched'])
  line(`in batches of 100 (${BATCHES_AT_ONCE} conn.)`, calls.batched, calls.decided, 'of single calls')
  const joined = await inTurns(kinds, ['echoedReward', 'rewarded'])
  line('echo of a reward', joined.echoedReward)
  line('reward, durable', joined.rewarded, joined.echoedReward, 'of the echo')
  const metrics = await call(service.url, '/metrics', undefined, 'GET')
  console.log(
    `  mean commit (fsync included) ${(1000 * histogram(metrics, 'commit_seconds')).toFixed(2)} ms, ${histogram(metrics, 'commit_commands').toFixed(0)} commands each`,
  )
  await stop(echo.child)
  await stop(service.child)
}

/** Measures kinds of calls in turns, so that what a machine does beside falls on all of them; warms up first. */
async function inTurns(kinds, names) {
  for (const name of names) await kinds[name](WARM_UP)
  const turns = Object.fromEntries(names.map((name) => [name, []]))
  for (let turn = 0; turn < TURNS; turn++) for (const name of names) turns[name].push(await kinds[name](SECONDS))
  return turns
}

/** Decisions with rewards until a policy was learnt from them; returns the ids of others, whose rewards are still to come. */
async function learn(url, path) {
  const ids = []
  for (let version = 0; version === 0 || ids.length < 100_000; ) {
    const { results } = await call(url, `${path}/batch`, { decisions: Array.from({ length: 500 }, request) })
    const made = results.map(({ decisionId }) => decisionId)
    if (version > 0) ids.push(...made)
    else
      await call(url, '/v1/problems/bench/rewards/batch', { rewards: made.map((id) => ({ id, value: Math.random() })) })
    version ||= (await call(url, '/v1/problems/bench/summary', undefined, 'GET')).learning.policyVersion
  }
  return ids
}

async function million(store) {
  let service = await serve(store)
  const path = '/v1/problems/bench/decisions'
  await call(service.url, '/v1/problems/bench', definition, 'PUT')
  const started = performance.now()
  for (let done = 0; done < DECISIONS; done += 800) {
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        const { results } = await call(service.url, `${path}/batch`, {
          decisions: Array.from({ length: 100 }, request),
        })
        const rewards = results.map(({ decisionId }) => ({ id: decisionId, value: Math.random() }))
        await call(service.url, '/v1/problems/bench/rewards/batch', { rewards })
      }),
    )
  }
  const seconds = (performance.now() - started) / 1000
  const memory = /^process_resident_memory_bytes (.*)$/m.exec(await call(service.url, '/metrics', undefined, 'GET'))[1]
  const { learning } = await call(service.url, '/v1/problems/bench/summary', undefined, 'GET')
  console.log(
    `  ${DECISIONS.toLocaleString('en')} decisions and rewards in ${seconds.toFixed(0)} s, ${learning.policyVersion} policies`,
  )
  console.log(`  memory ${(Number(memory) / 1e6).toFixed(0)} MB`)
  await stop(service.child)
  const again = performance.now()
  service = await serve(store)
  await call(service.url, path, request())
  console.log(`  ready to decide with that log after ${((performance.now() - again) / 1000).toFixed(1)} s`)
  const after = /^process_resident_memory_bytes (.*)$/m.exec(await call(service.url, '/metrics', undefined, 'GET'))[1]
  console.log(`  memory after the restart ${(Number(after) / 1e6).toFixed(0)} MB`)
  await stop(service.child)
}
