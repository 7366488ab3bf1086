// A real service whose wall clock is moved under it: nothing is closed or removed by a jump, and it says so.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClockInfo, DecisionBatchReply, ProblemSummary } from '@primo/contract'
import { afterAll, expect, test } from 'vitest'

const bin = join(import.meta.dirname, '../../bin/primo.js')
const folder = mkdtempSync(join(tmpdir(), 'primo-clock-'))
const offset = join(folder, 'offset')
const preload = join(folder, 'moved-clock.mjs')
/** Date.now of the service is off by what stands in a file. */
writeFileSync(
  preload,
  `import { readFileSync } from 'node:fs'
const now = Date.now
Date.now = () => now() + Number(readFileSync(${JSON.stringify(offset)}, 'utf8'))`,
)
const children: ChildProcess[] = []
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

const setClock = (milliseconds: number) => writeFileSync(offset, String(milliseconds))
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds))

async function serve(...more: readonly string[]) {
  const store = `sqlite:${join(folder, 'primo.db')}`
  const given = ['--import', preload, bin, 'serve', '--store', store, '--port', '0', '--json', ...more]
  const child = spawn(process.execPath, given)
  children.push(child)
  let said = ''
  child.stdout.on('data', (data) => {
    said += data
  })
  await expect.poll(() => said, { timeout: 30_000 }).toContain('"url"')
  const { url } = JSON.parse(said.split('\n').find((line) => line.includes('"url"'))!) as { url: string }
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T> => {
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`${url}${path}`, {
      method,
      ...(method === 'GET' ? {} : { headers, body: JSON.stringify(body ?? {}) }),
    })
    if (!reply.ok) throw new Error(`${method} ${path}: ${reply.status} ${await reply.text()}`)
    return (await reply.json()) as T
  }
  const summary = () => call<ProblemSummary>('GET', '/v1/problems/p/summary')
  const stop = () =>
    new Promise<void>((resolve) => {
      child.once('exit', () => resolve())
      child.kill('SIGTERM')
    })
  return { call, summary, stop, said: () => said }
}

const SECOND = 1000
const HOUR = 3_600_000
const DAY = 24 * HOUR
const WINDOW = HOUR / 2

test('jumps of a second, an hour and a month, forward and back, while it runs and between two starts', {
  timeout: 120_000,
}, async () => {
  setClock(0)
  let service = await serve()
  await service.call('PUT', '/v1/problems/p', {
    context: { x: { type: 'number', min: 0, max: 1 } },
    covariates: { z: { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } } },
    actions: ['a', 'b'],
    reward: { min: 0, max: 1, window: { milliseconds: WINDOW }, default: 0 },
    retention: { days: 30 },
  })
  const decide = () =>
    service.call<DecisionBatchReply>('POST', '/v1/problems/p/decisions/batch', {
      decisions: Array.from({ length: 10 }, () => ({ context: { x: 0.5 } })),
    })
  await decide()
  let decisions = 10
  for (const by of [SECOND, -SECOND, HOUR, -HOUR, 31 * DAY, -31 * DAY]) {
    setClock(by)
    // Several ticks.
    await pause(700)
    const before = Date.now()
    const { results } = await decide()
    decisions += 10
    for (const result of results)
      expect(Math.abs((result as { rewardDeadline: number }).rewardDeadline - before - WINDOW)).toBeLessThan(
        10 * SECOND,
      )
    const { open, closed, dropped, warnings } = await service.summary()
    expect({ by, open, closed, dropped }).toEqual({ by, open: decisions, closed: 0, dropped: 0 })
    expect(warnings.length).toBe(Math.abs(by) > SECOND ? 1 : 0)
    setClock(0)
    await expect.poll(async () => (await service.summary()).warnings, { timeout: 10_000 }).toEqual([])
  }
  expect(service.said()).toMatch(/the wall clock jumped: it is 2678\d{3} s ahead of/)
  await service.stop()

  setClock(31 * DAY)
  service = await serve()
  await pause(700)
  expect(await service.call<ClockInfo>('GET', '/v1/clock')).toMatchObject({ held: { why: 'start' } })
  expect(await service.summary()).toMatchObject({ decisions, open: decisions, closed: 0, dropped: 0 })
  // Until someone says that a month has passed: windows keep what was left of them, retention does its work.
  expect(await service.call<ClockInfo>('POST', '/v1/clock/confirm')).toEqual({ held: null })
  await expect.poll(async () => (await service.summary()).dropped, { timeout: 10_000 }).toBe(decisions)
  await service.stop()

  setClock(-31 * DAY)
  service = await serve('--confirm-clock')
  expect(await service.call<ClockInfo>('GET', '/v1/clock')).toEqual({ held: null })
  const { results } = await decide()
  const { rewardDeadline } = results[0] as { rewardDeadline: number }
  expect(Math.abs(rewardDeadline - (Date.now() - 31 * DAY) - WINDOW)).toBeLessThan(10 * SECOND)
  await service.stop()
})
