// Keys as an operator makes them: in a store, and in a service that runs.

import { spawn } from 'node:child_process'
import { join } from 'node:path'
import type { KeyList, NewKeyReply } from '@primo/contract'
import { expect, onTestFinished, test } from 'vitest'
import { jsonLines, primo, temporaryFolder } from '../primo.fixture.js'

const bin = join(import.meta.dirname, '../../bin/primo.js')
const one = <T>(text: string) => jsonLines(text)[0] as T

test('made in a store, then used, rotated and revoked in the service that runs on it', {
  timeout: 60_000,
}, async () => {
  const store = `sqlite:${join(temporaryFolder(), 'primo.db')}`
  const refused = await primo('keys', 'add', 'shop', '--role', 'decide', '--store', store)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('the first key must be of role admin') })
  const made = await primo('keys', 'add', 'ada', '--role', 'admin', '--store', store, '--json')
  const ada = one<NewKeyReply>(made.stdout)
  // With a key in the store it may listen everywhere.
  const child = spawn(process.execPath, [
    bin,
    'serve',
    '--host',
    '0.0.0.0',
    '--port',
    '0',
    '--store',
    store,
    '--log-level',
    'silent',
    '--json',
  ])
  let said = ''
  child.stdout.on('data', (data) => {
    said += data
  })
  const { PRIMO_KEY: before } = process.env
  onTestFinished(() => {
    child.kill('SIGKILL')
    if (before === undefined) delete process.env.PRIMO_KEY
    else process.env.PRIMO_KEY = before
  })
  await expect.poll(() => said, { timeout: 30_000 }).toContain('"url"')
  process.env.PRIMO_KEY = ada.secret
  const at = ['--url', String(one<{ url: string }>(said).url.replace('0.0.0.0', '127.0.0.1'))]
  const shop = await primo('keys', 'add', 'shop', '--role', 'read', '--problems', 'p', '--expires', '2100-01-31', ...at)
  expect(shop.stdout).toMatch(/shop {2}read {2}p {2}until 2100-01-31T00:00:00\.000Z\nsecret {2}primo_read_/)
  const again = await primo('keys', 'rotate', 'shop', '--json', ...at)
  expect(one<NewKeyReply>(again.stdout).secret).toMatch(/^primo_read_/)
  expect((await primo('keys', 'revoke', 'shop', ...at)).stdout).toMatch(/^shop {2}read {2}p {2}revoked /)
  const { keys } = one<KeyList>((await primo('keys', 'list', '--json', ...at)).stdout)
  expect(keys.map(({ name, revoked }) => [name, revoked !== null])).toEqual([
    ['ada', false],
    ['shop', true],
  ])
  process.env.PRIMO_KEY = 'primo_admin_guess'
  expect(await primo('keys', 'list', ...at)).toMatchObject({ code: 2, stderr: 'primo: the key is not known\n' })
})

test('says where, once, and what a date is', async () => {
  expect((await primo('keys', 'list')).stderr).toContain('--url of a running service or --store must be given')
  expect(
    (await primo('keys', 'add', 'a', '--role', 'read', '--expires', 'soon', '--store', 'sqlite:x')).stderr,
  ).toContain('--expires must be a date such as 2030-01-31, got "soon"')
})
