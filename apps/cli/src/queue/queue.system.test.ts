import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { cellsOf, type RunSpec } from '@primo/lab/node'
import { describe, expect, it } from 'vitest'
import { postgresInTests } from '../../../../test/postgres-in-tests.mjs'
import { primo, primoProcess, startPrimo, temporaryFolder } from '../primo.fixture.js'
import { openJobQueue, SCHEMA } from './job-queue.js'
import { submitCells } from './submit-cells.js'

const folder = temporaryFolder()
const out = (name: string) => join(folder, name)
const rowsIn = (name: string) => {
  const file = join(folder, name, 'rows.jsonl')
  return existsSync(file) ? readFileSync(file, 'utf8') : ''
}
const run = [
  ...['simulate', '--scenario', 'A,dosing?delay=20', '--policies', 'uniform,primo,primo-cal'],
  ...['--rounds', '12000', '--repeats', '2', '--seed', '3'],
]

const newDatabase = postgresInTests()

async function until(what: () => boolean | Promise<boolean>, ...running: readonly ChildProcess[]): Promise<void> {
  for (let waited = 0; !(await what()); waited++) {
    const ended = running.find((child) => child.exitCode !== null)
    if (ended !== undefined) throw new Error(`ended with ${ended.exitCode}: ${ended.spawnargs.join(' ')}`)
    if (waited > 4000) throw new Error('what was waited for did not come about')
    await setTimeout(25)
  }
}

const exitOf = async (child: ChildProcess) => {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode
}

describe('primo simulate --queue', () => {
  it('is opened by several at once though there is nothing yet', async (context) => {
    const address = await newDatabase(context, 'opened')
    for (let time = 0; time < 20; time++) {
      // Some milliseconds apart: one makes the tables while another makes its queue in them.
      const open = async (place: number) => {
        await setTimeout(place * time)
        return openJobQueue(address)
      }
      const queues = await Promise.all([open(0), open(1), open(2)])
      await queues[0].boss.getDb().executeSql(`DROP SCHEMA ${SCHEMA} CASCADE`, [])
      await Promise.all(queues.map((queue) => queue.close()))
    }
  })

  it('gives the rows of a local run though a worker and the submitter are killed on the way', async (context) => {
    const address = await newDatabase(context, 'cells')
    expect((await primo(...run, '--workers', '2', '--out', out('local'))).code).toBe(0)
    const queued = [...run, '--queue', address, '--lease', '2', '--out', out('queued')]
    const killed = startPrimo('worker', '--queue', address, '--workers', '1')
    const first = startPrimo(...queued)
    await until(() => rowsIn('queued').includes('\n'), first, killed)
    first.kill('SIGKILL')
    const queue = await openJobQueue(address)
    try {
      const states = async () => {
        const { rows } = await queue.boss.getDb().executeSql(`SELECT state::text FROM ${SCHEMA}.job`, [])
        return (rows as { state: string }[]).map(({ state }) => state)
      }
      // Killed with cells in hand: stopped first, so that it does not finish them between the look and the kill.
      await until(async () => {
        killed.kill('SIGSTOP')
        if ((await states()).includes('active')) return true
        killed.kill('SIGCONT')
        return false
      })
      killed.kill('SIGKILL')
      await Promise.all([exitOf(first), exitOf(killed)])
      // What it was at is still in its name.
      expect(await states()).toContain('active')
      expect(rowsIn('queued').split('\n').length - 1).toBeLessThan(12)
      const workers = [1, 2].map(() =>
        primoProcess('worker', '--queue', address, '--workers', '1', '--until-empty', '--json'),
      )
      const again = await primo(...queued)
      expect(again.stderr).toMatch(/\d+ of 12 cells were already finished/)
      expect(again.code).toBe(0)
      const cells = (await Promise.all(workers)).map(({ stdout }) => (JSON.parse(stdout) as { cells: number }).cells)
      expect(cells.reduce((sum, one) => sum + one, 0)).toBeGreaterThan(0)
      expect(rowsIn('queued')).toBe(rowsIn('local'))
      expect(readFileSync(join(out('queued'), 'summary.json'), 'utf8')).toBe(
        readFileSync(join(out('local'), 'summary.json'), 'utf8'),
      )
      // Nothing waits or runs; a cell that both the killed and the new worker finished may leave its second result behind.
      expect((await states()).filter((state) => state !== 'completed')).toEqual([])
    } finally {
      first.kill('SIGKILL')
      killed.kill('SIGKILL')
      await queue.close()
    }
  }, 180_000)

  it('a worker that is stopped gives its cells back at once', async (context) => {
    const address = await newDatabase(context, 'given_back')
    const long = ['simulate', '--policies', 'primo-cal', '--rounds', '400000', '--repeats', '1', '--queue', address]
    const submitter = startPrimo(...long, '--lease', '600')
    const worker = startPrimo('worker', '--queue', address, '--workers', '1')
    const queue = await openJobQueue(address)
    const state = async () => {
      const { rows } = await queue.boss.getDb().executeSql(`SELECT state::text FROM ${SCHEMA}.job`, [])
      return (rows as { state: string }[])[0]?.state
    }
    try {
      await until(async () => (await state()) === 'active', submitter, worker)
      worker.kill('SIGTERM')
      expect(await exitOf(worker)).toBe(0)
      expect(await state()).toBe('retry')
    } finally {
      submitter.kill('SIGKILL')
      await queue.close()
    }
  })

  it('says which cell failed and why, and leaves nothing on the queue', async (context) => {
    const address = await newDatabase(context, 'failing')
    const spec: RunSpec = { scenarios: [{ kind: 'bandit' }], policies: ['thompson'], rounds: 10, repeats: 1, seed: 1 }
    const queue = await openJobQueue(address)
    const worker = startPrimo('worker', '--queue', address, '--workers', '1')
    try {
      const submitted = submitCells(queue, spec, cellsOf(spec), { finished: () => false, lease: 20, onRow: () => {} })
      await expect(submitted).rejects.toThrow(/cell 0 failed: .*"thompson"/)
      expect(await queue.boss.getQueueSize(queue.name, { before: 'failed' })).toBe(0)
    } finally {
      worker.kill('SIGKILL')
      await queue.close()
    }
  })

  it.each([
    [['simulate', '--queue', 'mysql://host/name'], 2, '"mysql://host/name"'],
    [['simulate', '--queue', 'postgres://host/name', '--workers', '2'], 2, '--workers'],
    [['worker', '--queue', 'postgres://127.0.0.1:1/name'], 1, 'ECONNREFUSED'],
    [['worker'], 2, '--queue'],
  ])('refuses %j', async (flags, expected, words) => {
    const { code, stdout, stderr } = await primo(...flags)
    expect(stderr).toContain(words)
    expect(stdout).toBe('')
    expect(code).toBe(expected)
  })
})
