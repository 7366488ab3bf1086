import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

it('two processes sum the blocks of a log, and the fit has the bits of one process', async () => {
  const check = join(import.meta.dirname, '../checks/block-sums.mjs')
  const { stdout } = await promisify(execFile)(process.execPath, [check, '--rounds', '600000', '--processes', '2'])
  expect(stdout).toContain('the fits are the same to the last bit')
  expect(stdout).toMatch(/memory of each process: \d+ MB, \d+ MB\n/)
})
