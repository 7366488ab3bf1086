// Threads are stopped while they read, in a process of their own: a native abort would end it.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
// The thread that writes is a built file.
import { openSqliteStore } from '../../dist/store/sqlite/sqlite-store.js'
import { temporaryFolder } from '../running.fixture.js'
import { decide, define } from '../store/store.suite.js'

const built = (name: string) => JSON.stringify(pathToFileURL(join(import.meta.dirname, `../../dist/${name}.js`)))

/** Reads until the gate is shut. */
const THREAD = `
import { parentPort, workerData } from 'node:worker_threads'
const { openReader } = await import(${built('store/open-store')})
const { path, gate, problem } = workerData
const reader = await openReader({ kind: 'sqlite', path }, gate)
parentPort.postMessage('reads')
try {
  for (;;) await reader.read(problem, 0, 1000, 1)
} catch {}
`

const PARENT = `
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { createGate, endThread } from ${built('threads/thread-gate')}
const [path, problem, end] = process.argv.slice(1)
const start = async () => {
  const gate = createGate()
  const workerData = { path, gate, problem: Number(problem) }
  const worker = new Worker(new URL('data:text/javascript,' + encodeURIComponent(${JSON.stringify(THREAD)})), { workerData })
  await once(worker, 'message')
  return { worker, gate }
}
const threads = await Promise.all(Array.from({ length: 4 }, start))
if (end === 'process') process.exit()
await Promise.all(threads.map(({ worker, gate }) => endThread(worker, gate)))
`

test.each(['thread', 'process'])(
  'a thread that reads all the time ends without harm at the end of the %s',
  async (end) => {
    const path = join(temporaryFolder(), 'read.db')
    const store = await openSqliteStore({ path })
    await store.commit([define('p'), ...Array.from({ length: 20 }, (_, k) => decide('p', `d-${k}`))])
    const { id } = (await store.problem('p'))!
    await store.close()
    for (let k = 0; k < 3; k++) {
      const child = spawnSync(process.execPath, ['--input-type=module', '-e', PARENT, path, String(id), end], {
        encoding: 'utf8',
        timeout: 20_000,
      })
      expect(child).toMatchObject({ stderr: '', signal: null, status: 0 })
    }
  },
)
