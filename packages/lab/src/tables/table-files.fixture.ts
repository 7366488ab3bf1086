// Tables for tests, in a folder that is gone after the tests of the file; and how they look at errors.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PrimoError } from '@primo/numeric'
import { afterAll, expect } from 'vitest'

export const folder = mkdtempSync(join(tmpdir(), 'primo-tables-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

let files = 0
export function fileOf(content: string | Buffer, extension = 'csv'): string {
  const file = join(folder, `t${files++}.${extension}`)
  writeFileSync(file, content)
  return file
}

/** The PrimoError that `result` is rejected with; anything else fails the test. */
export async function refusal(result: Promise<unknown>): Promise<PrimoError> {
  const error = await result.then(
    () => null,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(PrimoError)
  return error as PrimoError
}
