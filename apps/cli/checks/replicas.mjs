// npm run replicas: three replicas on one PostgreSQL under load. The one that learns is killed twice, then paused for 30
// seconds and resumed. The others go on deciding, another learns within 10 seconds, and each epoch has one policy.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openStore, replayProblem } from '@primo/service'
import { startPostgres } from '../../../test/postgres-server.mjs'

const PRIMO = fileURLToPath(new URL('../bin/primo.js', import.meta.url))
const PAUSE = Number(process.env.PRIMO_PAUSE_SECONDS ?? 30) * 1000
const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

async function startReplica(store) {
  const args = [PRIMO, 'serve', '--store', store, '--port', '0', '--log-level', 'silent', '--json']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  return { child, url: JSON.parse(line.toString()).url, paused: false }
}

async function ask(url, path, body, method = 'POST') {
  try {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(4000),
    })
    return { status: response.status, body: await response.json() }
  } catch {
    return { status: 0 }
  }
}

async function learner(replicas) {
  for (const replica of replicas) {
    if (replica.paused) continue
    const { status, body } = await ask(replica.url, '/readyz', undefined, 'GET')
    if (status === 200 && body.learns) return replica
  }
  return null
}

async function untilAnotherLearns(replicas, than) {
  const began = performance.now()
  for (;;) {
    const found = await learner(replicas.filter((replica) => replica !== than))
    if (found !== null) return { seconds: (performance.now() - began) / 1000, replica: found }
    if (performance.now() - began > 60_000) throw new Error('nobody learns')
    await sleep(100)
  }
}

const postgres = await startPostgres()
const store = await postgres.createDatabase('primo')
let replicas = [await startReplica(store), await startReplica(store), await startReplica(store)]
await ask(
  replicas[0].url,
  '/v1/problems/load',
  {
    context: { x: { type: 'number', min: 0, max: 1 } },
    covariates: { z: { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } } },
    actions: ['a', 'b', 'c'],
    reward: { min: 0, max: 1 },
    learning: { seed: 1 },
  },
  'PUT',
)
const counts = { answered: 0, failed: 0, longest: 0 }
let last = performance.now()
let stop = false
const load = Array.from({ length: 6 }, async () => {
  while (!stop) {
    const running = replicas.filter(({ paused }) => !paused)
    const { url } = running[Math.floor(Math.random() * running.length)]
    const x = Math.random()
    const decided = await ask(url, '/v1/problems/load/decisions', { context: { x }, covariates: { z: null } })
    if (decided.status !== 200) {
      counts.failed++
      await sleep(20)
      continue
    }
    counts.answered++
    counts.longest = Math.max(counts.longest, performance.now() - last)
    last = performance.now()
    const value = decided.body.action === 'b' ? 0.8 : 0.2
    await ask(url, `/v1/problems/load/decisions/${decided.body.decisionId}/reward`, { value, rewardId: 'r' })
  }
})
const failures = []
const check = (holds, sentence) => {
  console.log(`${holds ? 'ok ' : 'BAD'} ${sentence}`)
  if (!holds) failures.push(sentence)
}
try {
  await sleep(4000)
  for (const round of [1, 2]) {
    const leader = await learner(replicas)
    leader.child.kill('SIGKILL')
    replicas = replicas.filter((replica) => replica !== leader)
    const { seconds } = await untilAnotherLearns(replicas, leader)
    check(seconds < 10, `learner killed (${round}): another learns after ${seconds.toFixed(1)} s`)
    replicas.push(await startReplica(store))
    await sleep(2000)
  }
  const leader = await learner(replicas)
  leader.paused = true
  leader.child.kill('SIGSTOP')
  const before = counts.answered
  const { seconds } = await untilAnotherLearns(replicas, leader)
  check(seconds < 10, `learner paused: another learns after ${seconds.toFixed(1)} s`)
  await sleep(Math.max(0, PAUSE - seconds * 1000))
  check(counts.answered > before, `${counts.answered - before} decisions were answered during the pause`)
  leader.child.kill('SIGCONT')
  leader.paused = false
  await sleep(4000)
  const again = await ask(leader.url, '/readyz', undefined, 'GET')
  check(again.body?.learns === false, 'the one that was paused is back and does not learn')
} finally {
  stop = true
  await Promise.all(load)
}
await sleep(3000)
const versions = await Promise.all(
  replicas.map(
    async ({ url }) => (await ask(url, '/v1/problems/load/summary', undefined, 'GET')).body.learning.policyVersion,
  ),
)
check(new Set(versions).size === 1, `all replicas decide with policy ${versions.join(', ')}`)
for (const { child } of replicas) child.kill('SIGKILL')
const own = await openStore(store)
const row = await own.problem('load')
const snapshots = await own.snapshots(row.id)
check(
  snapshots.every(({ version }, k) => version === k + 1),
  `${snapshots.length} epochs, one snapshot each`,
)
const replayed = await replayProblem(own, 'load')
check(
  replayed.different.length === 0,
  `a replay of ${replayed.records} records gives the same ${replayed.policies} policies`,
)
console.log(
  `${counts.answered} decisions answered, ${counts.failed} calls failed, longest silence ${(counts.longest / 1000).toFixed(1)} s`,
)
await own.close()
await postgres.stop()
process.exit(failures.length === 0 ? 0 : 1)
