// npm run queue-run [-- --repeats 100 --rounds 16384]: a run of 4 policies x repeats on 2 threads and through the queue with 2
// worker processes, by turns; then through the queue with one worker killed on the way. The rows must be the same bytes.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { startPostgres } from '../../../test/postgres-server.mjs'

const { values } = parseArgs({
  options: {
    repeats: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '16384' },
    turns: { type: 'string', default: '2' },
  },
})
const bin = join(import.meta.dirname, '../bin/primo.js')
const folder = mkdtempSync(join(tmpdir(), 'primo-queue-'))
const run = ['simulate', '--scenario', 'A', '--repeats', values.repeats, '--rounds', values.rounds, '--json']

// Each process says what it used of the processors, all threads, when it ends: seconds on the wall mean little on a busy machine.
const cpuFile = join(folder, 'cpu')
const tell = `import { appendFileSync } from 'node:fs'
process.on('exit', () => {
  const { user, system } = process.cpuUsage()
  appendFileSync(${JSON.stringify(cpuFile)}, \`\${(user + system) / 1e6}\\n\`)
})`
const preload = `data:text/javascript,${encodeURIComponent(tell)}`

const start = (...args) => spawn(process.execPath, ['--import', preload, bin, ...args], { stdio: 'ignore' })
const end = (child) =>
  new Promise((resolve) => ((child.exitCode ?? child.signalCode) === null ? child.once('exit', resolve) : resolve()))
const digest = (name) =>
  createHash('sha256')
    .update(readFileSync(join(folder, name, 'rows.jsonl')))
    .digest('hex')
    .slice(0, 16)
const lines = (name) => {
  const file = join(folder, name, 'rows.jsonl')
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0
}

/** Seconds from the start of the first process to the end of the last, on the wall and of the processors (without the database). */
async function measured(name, work) {
  writeFileSync(cpuFile, '')
  const before = performance.now()
  await work(join(folder, name))
  const wall = (performance.now() - before) / 1000
  const used = readFileSync(cpuFile, 'utf8')
    .split('\n')
    .reduce((sum, line) => sum + Number(line), 0)
  console.log(
    `${name}: ${wall.toFixed(1)} s, processors ${used.toFixed(1)} s, ${lines(name)} rows, sha256 ${digest(name)}`,
  )
  return { wall, used }
}

const local = (out) => end(start(...run, '--workers', '2', '--out', out))

function queued(address, disturb) {
  return async (out) => {
    const workers = [1, 2].map(() => start('worker', '--queue', address, '--workers', '1'))
    const submitter = start(...run, '--queue', address, '--lease', '5', '--out', out)
    await disturb?.(out, workers)
    await end(submitter)
    for (const worker of workers) worker.kill('SIGTERM')
    await Promise.all(workers.map(end))
  }
}

const postgres = await startPostgres()
try {
  const cells = 4 * Number(values.repeats)
  console.log(`${cells} cells, load ${loadavg()[0].toFixed(1)} on ${availableParallelism()} cores`)
  const address = await postgres.createDatabase('cells')
  const seconds = { local: [], queued: [] }
  for (let turn = 1; turn <= Number(values.turns); turn++) {
    seconds.local.push(await measured(`local-${turn}`, local))
    seconds.queued.push(await measured(`queued-${turn}`, queued(address)))
  }
  await measured(
    'killed',
    queued(address, async (out, workers) => {
      while (lines(out.slice(folder.length + 1)) < cells / 4) await new Promise((resolve) => setTimeout(resolve, 50))
      workers[0].kill('SIGKILL')
      await end(workers[0])
      console.log(`one worker killed -9 after ${lines('killed')} rows; another one takes its place`)
      workers[0] = start('worker', '--queue', address, '--workers', '1')
    }),
  )
  const turns = Array.from({ length: Number(values.turns) }, (_, i) => i + 1)
  const same = [...turns.flatMap((turn) => [`local-${turn}`, `queued-${turn}`]), 'killed'].every(
    (name) => digest(name) === digest('local-1') && lines(name) === cells,
  )
  const least = (how, which) => Math.min(...seconds[how].map((one) => one[which]))
  const overhead = (which) => (100 * (least('queued', which) / least('local', which) - 1)).toFixed(1)
  console.log(`rows ${same ? 'are the same bytes' : 'DIFFER'}`)
  console.log(`overhead of the queue: ${overhead('wall')}% on the wall, ${overhead('used')}% of the processors`)
  console.log(`load at the end ${loadavg()[0].toFixed(1)}`)
  process.exitCode = same ? 0 : 1
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
