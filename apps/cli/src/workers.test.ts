import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'

/** The second process dies before it serves. */
const SCRIPT = `
import cluster from 'node:cluster'
import { isWorker, startWorkers, tellServing } from '${new URL('../dist/workers.js', import.meta.url)}'
if (isWorker) {
  if (cluster.worker.id === 2) process.exit(1)
  tellServing({ told: { url: 'here', store: '', keys: [] }, lines: [] })
  setInterval(() => undefined, 1000)
} else {
  const { told } = await startWorkers(3)
  console.log(told.url, Object.keys(cluster.workers).join())
  for (const worker of Object.values(cluster.workers)) worker.process.kill('SIGKILL')
  process.exit(0)
}
`

test('a process that dies before it serves is replaced, and the others are told of', { timeout: 60_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'primo-workers-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const script = join(folder, 'workers.mjs')
  writeFileSync(script, SCRIPT)
  const { stdout } = await promisify(execFile)(process.execPath, [script], { timeout: 30_000 })
  expect(stdout).toBe('here 1,3,4\n')
})
