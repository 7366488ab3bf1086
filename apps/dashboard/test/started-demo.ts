// The demo as a user starts it, in a process of its own, on a folder that is gone afterwards.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface StartedDemo {
  readonly url: string
  readonly stop: () => Promise<void>
}

const bin = join(import.meta.dirname, '../../cli/bin/primo.js')

export async function startDemo(): Promise<StartedDemo> {
  const folder = mkdtempSync(join(tmpdir(), 'primo-page-'))
  const child: ChildProcess = spawn(process.execPath, [
    bin,
    'demo',
    '--data',
    join(folder, 'demo'),
    '--port',
    '0',
    '--pace',
    '60',
  ])
  const url = await new Promise<string>((resolve, reject) => {
    let text = ''
    const hear = (bytes: Buffer) => {
      text += bytes.toString()
      const found = /http:\/\/\S+/.exec(text)
      if (found !== null) resolve(found[0])
    }
    child.stdout!.on('data', hear)
    child.stderr!.on('data', hear)
    child.once('exit', () => reject(new Error(`the demo ended: ${text}`)))
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  return {
    url,
    stop: async () => {
      child.kill('SIGINT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
