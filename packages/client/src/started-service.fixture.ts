// The real service as its own process, from the built files. Tests can kill it and start it again on the same port
// and store.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

export const problem = {
  context: { x: { type: 'number' as const, min: 0, max: 1 } },
  covariates: { z: { type: 'number' as const, min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 } } },
  actions: ['a', 'b'],
  reward: { min: 0, max: 1 },
}

const primo = join(import.meta.dirname, '../../../apps/cli/bin/primo.js')

export interface StartedService {
  readonly url: string
  readonly folder: string
  readonly kill: () => Promise<void>
  /** After a kill. */
  readonly startAgain: () => Promise<void>
}

/** Gone after the tests of the file; not to be called inside one. */
export async function startedService(...more: readonly string[]): Promise<StartedService> {
  const folder = mkdtempSync(join(tmpdir(), 'primo-client-'))
  let child: ChildProcess
  async function start(port: string): Promise<string> {
    const store = `sqlite:${join(folder, 'primo.db')}`
    const flags = ['--store', store, '--port', port, '--log-level', 'silent', '--json', ...more]
    child = spawn(process.execPath, [primo, 'serve', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [line] = (await once(child.stdout!, 'data')) as [Buffer]
    return (JSON.parse(line.toString()) as { url: string }).url
  }
  async function kill(): Promise<void> {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const url = await start('0')
  afterAll(async () => {
    await kill()
    rmSync(folder, { recursive: true, force: true })
  })
  return { url, folder, kill, startAgain: async () => void (await start(new URL(url).port)) }
}
