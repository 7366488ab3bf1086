// npm run durability:local [-- --cycles 100]: callers that decide in their own processes, with file spools, and the service, all killed with
// SIGKILL at random moments. Nothing that was acknowledged in its mode may be lost or counted twice, and a replay must be equal.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createClient } from '@primo/client'
import { openRawStore, openStore, replayProblem, verifyStore } from '@primo/service'
import { problems } from '../dist/durability/problems.js'

const { values } = parseArgs({ options: { cycles: { type: 'string', default: '100' } } })
const cycles = Number(values.cycles)
const here = (path) => fileURLToPath(new URL(path, import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'primo-local-durability-'))
const address = `sqlite:${join(folder, 'primo.db')}`
const modes = { spools: 'spool', commits: 'commit', both: 'spool' }
const acknowledged = new Map()
const wrong = []
const killed = { service: 0, callers: 0 }
let url
let service = null
const callers = new Map()

const pause = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))
const isOver = (child) => child === null || child.exitCode !== null || child.signalCode !== null
const end = async (child, signal = 'SIGKILL') => {
  if (isOver(child)) return
  const gone = once(child, 'exit')
  child.kill(signal)
  await gone
}

async function startService() {
  const port = url === undefined ? '0' : new URL(url).port
  const flags = ['--store', address, '--port', port, '--log-level', 'silent', '--rate-limit', '0', '--json']
  service = spawn(process.execPath, [here('../bin/primo.js'), 'serve', ...flags], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = await once(service.stdout, 'data')
  url = JSON.parse(line.toString()).url
}

function startCaller(name, ...more) {
  const args = [here('./local-caller.mjs'), url, name, modes[name], folder, ...more]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })
  lines.on('line', (line) => {
    const [word, problem, id, action, value] = line.split(' ')
    if (word === 'ack') acknowledged.set(id, { problem, action, value: Number(value) })
    else wrong.push(line)
  })
  callers.set(name, { child, read: once(lines, 'close') })
}

async function compare() {
  const store = await openStore(address)
  try {
    let decisions = 0
    let policies = 0
    for (const name of Object.keys(problems)) {
      const row = await store.problem(name)
      const seen = new Set()
      for (let from = 0; ; ) {
        const page = await store.readDecisions(row.id, row.version, from, 1000)
        if (page.length === 0) break
        for (const { round, later } of page) {
          from = round.round + 1
          decisions++
          if (seen.has(round.id)) wrong.push(`doubled decision ${round.id}`)
          seen.add(round.id)
          const rewards = later.filter(({ kind }) => kind === 'reward').map(({ body }) => JSON.parse(body).value)
          if (rewards.length > 1) wrong.push(`doubled reward of ${round.id}`)
          const told = acknowledged.get(round.id)
          if (told === undefined) continue
          if (told.action !== round.action) wrong.push(`another action of ${round.id}`)
          if (rewards[0] !== told.value) wrong.push(`lost reward of ${round.id}: ${told.value}, got ${rewards[0]}`)
        }
      }
      for (const [id, { problem }] of acknowledged)
        if (problem === name && !seen.has(id)) wrong.push(`lost decision ${id}`)
      const replayed = await replayProblem(store, name)
      policies += replayed.policies
      wrong.push(...replayed.different.map((version) => `policy ${version} of ${name} is another in a replay`))
    }
    return { decisions, policies }
  } finally {
    await store.close()
  }
}

try {
  await startService()
  for (const [name, definition] of Object.entries(problems)) await createClient({ url }).define(name, definition)
  for (let cycle = 1; cycle <= cycles; cycle++) {
    if (isOver(service)) await startService()
    for (const name of Object.keys(modes)) if (isOver(callers.get(name)?.child ?? null)) startCaller(name)
    const before = acknowledged.size
    // A slow machine has not even started them by then.
    for (let waited = 0; acknowledged.size < before + 50 && waited < 10_000; waited += 100) await pause(100)
    await pause(Math.random() * 1000)
    const draw = Math.random()
    if (draw < 0.6) {
      await end(service)
      killed.service++
      // Callers go on without it for a while.
      if (Math.random() < 0.5) await pause(300)
    }
    if (draw > 0.4) {
      const victims = [...callers.values()].filter(() => Math.random() < 0.6)
      for (const { child, read } of victims) {
        await end(child)
        await read
        killed.callers++
      }
    }
    process.stderr.write(
      `${cycle}/${cycles}: ${killed.service} services, ${killed.callers} callers killed; ${acknowledged.size} acknowledged\n`,
    )
  }
  for (const { child, read } of callers.values()) {
    await end(child)
    await read
  }
  if (isOver(service)) await startService()
  for (const name of Object.keys(modes)) startCaller(name, 'drain')
  for (const { child, read } of callers.values()) {
    if (!isOver(child)) await once(child, 'exit')
    await read
  }
  await end(service, 'SIGTERM')
  const { decisions, policies } = await compare()
  const raw = await openRawStore(address)
  const { damage } = await verifyStore(raw).finally(raw.close)
  wrong.push(...damage.map(({ detail }) => detail))
  console.log(`killed ${killed.service} services and ${killed.callers} callers in ${cycles} cycles`)
  console.log(`acknowledged ${acknowledged.size} decisions with their rewards, stored ${decisions}`)
  console.log(`${policies} policies learnt again; lost, doubled, refused or different: ${wrong.length}`)
  for (const line of wrong.slice(0, 20)) console.log(`  ${line}`)
  process.exitCode = wrong.length === 0 ? 0 : 1
} finally {
  await end(service)
  for (const { child } of callers.values()) await end(child)
  rmSync(folder, { recursive: true, force: true })
}
