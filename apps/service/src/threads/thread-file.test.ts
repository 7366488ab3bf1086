import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { threadFile } from '../../dist/threads/thread-file.js'
import { temporaryFolder } from '../running.fixture.js'

test('a thread runs its bundle, or the compiled file where there is no bundle or a later compilation', () => {
  const folder = temporaryFolder()
  const dist = pathToFileURL(`${folder}/dist/`)
  const compiled = new URL('store/writer-thread.js', dist)
  const written = (path: string, seconds: number) => {
    mkdirSync(join(folder, path, '..'), { recursive: true })
    writeFileSync(join(folder, path), '')
    utimesSync(join(folder, path), seconds, seconds)
  }
  expect(threadFile(compiled, dist)).toEqual(compiled)
  written('dist/bundle/writer-thread.js', 20)
  expect(threadFile(compiled, dist).pathname).toBe(`${folder}/dist/bundle/writer-thread.js`)
  written('tsconfig.tsbuildinfo', 10)
  expect(threadFile(compiled, dist).pathname).toBe(`${folder}/dist/bundle/writer-thread.js`)
  written('tsconfig.tsbuildinfo', 30)
  expect(threadFile(compiled, dist)).toEqual(compiled)
})
