// The command ends with a code and a sentence where it cannot serve.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const bin = join(import.meta.dirname, '../../bin/primo.js')

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'primo-serve-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

function serve(more: readonly string[]) {
  const child = spawn(process.execPath, [bin, 'serve', ...more])
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (data) => {
    said += data
  })
  child.stderr.on('data', (data) => {
    said += data
  })
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve))
  return { said: () => said, ended }
}

test('a port that is in use', { timeout: 60_000 }, async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void other.close())
  const { port } = other.address() as AddressInfo
  const { said, ended } = serve(['--store', `sqlite:${folder()}/p.db`, '--port', String(port)])
  expect(await ended).toBe(2)
  expect(said()).toContain(`--port must be free, got ${port}`)
})

test('a SQLite store that another process has open', { timeout: 60_000 }, async () => {
  const store = `sqlite:${folder()}/p.db`
  const first = serve(['--store', store, '--port', '0', '--json'])
  await expect.poll(first.said, { timeout: 30_000 }).toContain('"url"')
  const second = serve(['--store', store, '--port', '0'])
  expect(await second.ended).toBe(2)
  expect(second.said()).toContain('a SQLite store takes one process at a time')
})
