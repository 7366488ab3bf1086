// A spool on a disk that is full in the middle of a line, and on one that loses writes that were not synced.

import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import type { Report } from './outbox.js'
import { fileSpool } from './spool.js'

const disk = vi.hoisted(() => ({ full: false, folders: 0 }))
vi.mock('node:fs', async (original) => {
  const real = await original<typeof import('node:fs')>()
  const half = (write: (file: number, text: string) => unknown) => (file: number, text: string, more?: object) => {
    if (!disk.full || typeof file !== 'number') return (write as (...given: unknown[]) => unknown)(file, text, more)
    real.writeSync(file, text.slice(0, text.length >> 1))
    throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  }
  const fsyncSync = (file: number) => {
    if (real.fstatSync(file).isDirectory()) disk.folders++
    real.fsyncSync(file)
  }
  return { ...real, fsyncSync, writeSync: half(real.writeSync), writeFileSync: half(real.writeFileSync) }
})

const folder = mkdtempSync(join(tmpdir(), 'primo-full-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const report = (id: string): Report => ({ id, call: 'reward', problem: 'p', decision: 'd', body: {}, since: 0 })

test('what is kept after a line that was cut off is whole', async () => {
  const path = join(folder, 'cut')
  const spool = fileSpool(path)
  await spool.add(report('1'))
  disk.full = true
  await expect(spool.add(report('2'))).rejects.toThrow('no space left')
  disk.full = false
  await spool.add(report('3'))
  spool.close()
  const again = fileSpool(path)
  expect((await again.kept()).map(({ id }) => id)).toEqual(['1', '3'])
  again.close()
})

test.skipIf(process.platform !== 'linux')('files that cannot be written anew are not left open', async () => {
  const spool = fileSpool(join(folder, 'open'))
  for (let k = 0; k < 1200; k++) await spool.add(report(String(k)))
  for (let k = 0; k < 700; k++) await spool.remove(String(k))
  const open = () => readdirSync('/proc/self/fd').length
  const before = open()
  disk.full = true
  for (let k = 700; k < 1200; k++) await spool.remove(String(k)).catch(() => undefined)
  disk.full = false
  expect(open()).toBeLessThan(before + 10)
  spool.close()
})

test.skipIf(process.platform === 'win32')('the name of a file that was written anew is on the disk, too', async () => {
  const spool = fileSpool(join(folder, 'synced'), { sync: true })
  expect(disk.folders).toBe(1)
  for (let k = 0; k < 600; k++) {
    await spool.add(report(String(k)))
    await spool.remove(String(k))
  }
  expect(disk.folders).toBeGreaterThan(1)
  spool.close()
})
