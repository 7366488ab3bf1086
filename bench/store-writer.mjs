// A replica without HTTP and without deciding: it writes decisions into a store as fast as the store takes them. Told on
// standard input {"store", "problem", "calls", "size", "seconds"}, it answers with one line of JSON.

import { readFileSync } from 'node:fs'
import { openStore } from '@primo/service'

const { store: place, problem, calls, size, seconds } = JSON.parse(readFileSync(0, 'utf8'))
const store = await openStore(place)
const { revision, id: number } = await store.problem(problem)
const [{ body }] = (await store.readLog(number, 0, 1000)).filter(({ kind }) => kind === 'decision')
const { id: known, learning, reply } = JSON.parse(body)
const covariates = Object.fromEntries(
  Object.keys(reply.covariates ?? {}).map((name) => [name, { observed: true, source: 'observed', reason: null }]),
)
let made = 0
let written = 0

function decide() {
  const id = `w${process.pid}-${(made++).toString(36).padStart(12, '0')}`
  const record = Buffer.from(body.replaceAll(known, id))
  const replyAt = record.indexOf('"reply":') + '"reply":'.length
  const { action } = learning
  const rest = { windowed: false, action, holdout: false, deferred: false, covariates, clipped: [] }
  return { kind: 'decide', problem, revision, id, eventId: null, record, replyAt, ...rest }
}

const latencies = []
const used = process.cpuUsage()
const began = performance.now()
const end = began + seconds * 1000
await Promise.all(
  Array.from({ length: calls }, async () => {
    while (performance.now() < end) {
      const commands = Array.from({ length: size }, decide)
      const since = performance.now()
      const outcomes = await store.commit(commands)
      latencies.push(performance.now() - since)
      written += outcomes.filter((outcome) => outcome.duplicate === false).length
    }
  }),
)
const lasted = (performance.now() - began) / 1000
const { user, system } = process.cpuUsage(used)
await store.close()
latencies.sort((a, b) => a - b)
const at = (share) => latencies[Math.min(latencies.length - 1, Math.floor(share * latencies.length))]
const perSecond = written / lasted
console.log(JSON.stringify({ perSecond, p50: at(0.5), p99: at(0.99), micros: (user + system) / written, written }))
