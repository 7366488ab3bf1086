import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, closeSync, fstatSync, mkdtempSync, openSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createClient } from './client.js'
import type { Report } from './outbox.js'
import { fileSpool } from './spool.js'
import { problem, startedService } from './started-service.fixture.js'

const folder = mkdtempSync(join(tmpdir(), 'primo-spool-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const report = (id: string): Report => ({
  id,
  call: 'reward',
  problem: 'p',
  decision: 'd',
  body: { value: 1 },
  since: 0,
})

describe('a spool in a file', () => {
  test('keeps reports until they are taken, also after a line that was cut off', async () => {
    const path = join(folder, 'cut')
    const first = fileSpool(path)
    await first.add(report('1'))
    await first.add(report('2'))
    await first.remove('1')
    first.close()
    appendFileSync(path, '{"add":{"id":"3","ca')
    const second = fileSpool(path, { sync: true })
    expect(await second.kept()).toEqual([report('2')])
    await second.add(report('4'))
    second.close()
    const third = fileSpool(path)
    expect(await third.kept()).toEqual([report('2'), report('4')])
    third.close()
  })

  test('does not grow with what was taken', async () => {
    const path = join(folder, 'long')
    const spool = fileSpool(path)
    await spool.add(report('stays'))
    for (let k = 0; k < 3000; k++) {
      await spool.add(report(String(k)))
      await spool.remove(String(k))
    }
    const line = JSON.stringify({ add: report('stays') }).length
    expect(statSync(path).size).toBeLessThan(1100 * line)
    spool.close()
    const again = fileSpool(path)
    expect(await again.kept()).toEqual([report('stays')])
    again.close()
  })

  test('writes nothing after it was closed, also where another file has its number by then', async () => {
    const path = join(folder, 'closed')
    const spool = fileSpool(path)
    await spool.add(report('1'))
    spool.close()
    const other = openSync(join(folder, 'another'), 'w')
    await expect(spool.add(report('2'))).rejects.toThrow(`the spool ${path} was closed`)
    await expect(spool.remove('1')).rejects.toThrow('was closed')
    spool.close()
    expect(fstatSync(other).size).toBe(0)
    closeSync(other)
    const again = fileSpool(path)
    expect(await again.kept()).toEqual([report('1')])
    again.close()
  })

  test('is used by one program at a time', async () => {
    const path = join(folder, 'locked')
    const spool = fileSpool(path)
    expect(() => fileSpool(path)).toThrow(`one program at a time may use a spool: process ${process.pid} holds`)
    spool.close()
    fileSpool(path).close()
  })
})

const service = await startedService()

test('what a killed program could not report is reported by the next', async () => {
  const client = createClient({ url: service.url })
  await client.define('p', problem)
  const decided = await client.decide('p', { context: { x: 0.5 } }, { default: 'a', deadline: 10_000 })
  const path = join(folder, 'rewards')
  const dist = join(import.meta.dirname, '../dist')
  const program = `
    import { createClient } from '${dist}/index.js'
    import { fileSpool } from '${dist}/spool.js'
    const client = createClient({ url: 'http://127.0.0.1:9', reports: { spool: fileSpool('${path}') } })
    client.reward('p', '${decided.eventId}', 1, { rewardId: 'r' })
    setTimeout(() => console.log('reported'), 100)
    setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '-e', program])
  await once(child.stdout, 'data')
  child.kill('SIGKILL')
  await once(child, 'exit')
  expect(readFileSync(path, 'utf8')).toContain(decided.eventId)
  const spool = fileSpool(path)
  const next = createClient({ url: service.url, reports: { spool } })
  expect(await next.settled()).toBe(0)
  expect(await client.explain('p', decided.eventId)).toMatchObject({ reward: 1, rewards: [{ rewardId: 'r' }] })
  expect(await spool.kept()).toEqual([])
  spool.close()
})
