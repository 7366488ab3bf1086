// Forgetting as an operator does it: in the service that runs, and in its file afterwards.

import { spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { jsonLines, primo, temporaryFolder } from '../primo.fixture.js'

const bin = join(import.meta.dirname, '../../bin/primo.js')

test('of a running service, and of a store that no service has open', { timeout: 120_000 }, async () => {
  const folder = temporaryFolder()
  const store = `sqlite:${join(folder, 'primo.db')}`
  const found = (text: string) => readdirSync(folder).filter((name) => readFileSync(join(folder, name)).includes(text))
  const given = ['serve', '--port', '0', '--store', store, '--log-level', 'silent', '--json']
  const child = spawn(process.execPath, [bin, ...given])
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (data) => {
    said += data
  })
  await expect.poll(() => said, { timeout: 30_000 }).toContain('"url"')
  const { url } = jsonLines(said)[0] as { url: string }
  const send = async (method: string, path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const reply = await fetch(`${url}/v1/problems/p${path}`, { method, headers, body: JSON.stringify(body) })
    expect(reply.ok).toBe(true)
  }
  await send('PUT', '', {
    context: { x: { type: 'number', min: 0, max: 1 } },
    covariates: { z: { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } } },
    actions: ['a', 'b'],
    reward: { min: 0, max: 1 },
  })
  for (const [subject, x] of [
    ['Ada', 0.123450001],
    ['Bob / 7', 0.123450002],
    ['Eve', 0.123450003],
  ] as const)
    await send('POST', '/decisions', { subject, context: { x } })
  const running = await primo('forget', '--problem', 'p', '--subject', 'Bob / 7', '--url', url)
  expect(running.stdout).toBe(
    'forgot what 1 decisions said of the subject; actions, rewards, counts and policies stay\n',
  )
  expect([found('0.123450002'), found('0.123450001').length]).toEqual([[], 1])
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
  const after = await primo('forget', '--problem', 'p', '--subject', 'Ada', '--store', store, '--json')
  expect(jsonLines(after.stdout)).toEqual([{ problem: 'p', decisions: 1, erased: true }])
  expect([found('0.123450001'), found('Ada'), found('0.123450003').length]).toEqual([[], [], 1])
  expect((await primo('verify', store)).stderr).toBe('')
  expect((await primo('verify', store)).code).toBe(0)
  expect((await primo('forget', '--problem', 'q', '--subject', 'Ada', '--store', store)).stderr).toBe(
    'primo: no problem is called "q"\n',
  )
})

test('says where, once', async () => {
  expect((await primo('forget', '--problem', 'p', '--subject', 's')).stderr).toContain(
    '--url of a running service or --store must be given',
  )
})
