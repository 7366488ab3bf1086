// npm run queue-run [-- --repeats 100 --rounds 16384]: a run of 4 policies x repeats on 2 threads and through the queue with 2
// worker processes, by turns; then through the queue with one worker killed on the way. The rows must be the same bytes.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
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

const start = (...args) => spawn(process.execPath, [bin, ...args], { stdio: 'ignore' })
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

/** Seconds from the start of the first process until the submitter has written its report. */
async function measured(name, work) {
  const before = performance.now()
  await work(join(folder, name))
  const seconds = (performance.now() - before) / 1000
  console.log(`${name}: ${seconds.toFixed(1)} s, ${lines(name)} rows, sha256 ${digest(name)}`)
  return seconds
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
  const overhead = Math.min(...seconds.queued) / Math.min(...seconds.local) - 1
  console.log(`rows ${same ? 'are the same bytes' : 'DIFFER'}; overhead of the queue ${(100 * overhead).toFixed(1)}%`)
  console.log(`load at the end ${loadavg()[0].toFixed(1)}`)
  process.exitCode = same ? 0 : 1
} finally {
  await postgres.stop()
  rmSync(folder, { recursive: true, force: true })
}
