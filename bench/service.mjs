// Durable decisions per second through HTTP next to an echo of the same body, in one run on one machine (K = 10, 20
// features, linear; every acknowledged decision is fsynced). `--million` logs 1,000,000 decisions instead, and measures
// memory and the time to be ready with that log.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { load } from './load.mjs'
import {
  call,
  definition,
  headers,
  here,
  histogram,
  keyHash,
  learn,
  line,
  decisionsPath as path,
  request,
  serve,
  start,
  stop,
} from './serving.mjs'

const SECONDS = Number(process.env.BENCH_SECONDS ?? 4)
const TURNS = 5
const CONNECTIONS = 64
const BATCHES_AT_ONCE = 16
/** Logged by `--million`. */
const DECISIONS = Number(process.env.BENCH_DECISIONS ?? 1e6)
const serveFile = (store) => serve(`sqlite:${store}`)

/** Seconds until the code that is measured has been compiled. */
const WARM_UP = 10
const post = (url, path, bodies, seconds = SECONDS, connections = CONNECTIONS) =>
  load({ url, path, bodies, headers, connections, seconds })

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
  const echo = await start(process.execPath, [here('./service-echo.mjs')], {
    BENCH_KEYS: JSON.stringify([{ role: 'admin', hash: keyHash }]),
  })
  const service = await serveFile(join(folder, 'bench.db'))
  await call(service.url, '/v1/problems/bench', definition, 'PUT')
  // Single calls and batches are decided by the same policy, one that was learnt.
  const ids = await learn(service.url)
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

async function million(store) {
  let service = await serveFile(store)
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
  service = await serveFile(store)
  await call(service.url, path, request())
  console.log(`  ready to decide with that log after ${((performance.now() - again) / 1000).toFixed(1)} s`)
  const after = /^process_resident_memory_bytes (.*)$/m.exec(await call(service.url, '/metrics', undefined, 'GET'))[1]
  console.log(`  memory after the restart ${(Number(after) / 1e6).toFixed(0)} MB`)
  await stop(service.child)
}
