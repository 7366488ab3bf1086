// The command as a user starts it, in a process of its own, on a folder that is gone afterwards.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface StartedPrimo {
  readonly url: string
  readonly stop: () => Promise<void>
}

export const primoBin = join(import.meta.dirname, '../../cli/bin/primo.js')

export const startDemo = () => startPrimo((folder) => ['demo', '--data', join(folder, 'demo'), '--pace', '60'])

/** Arguments are told the folder. */
export async function startPrimo(given: (folder: string) => readonly string[]): Promise<StartedPrimo> {
  const folder = mkdtempSync(join(tmpdir(), 'primo-page-'))
  const child: ChildProcess = spawn(process.execPath, [primoBin, ...given(folder), '--port', '0'])
  const url = await new Promise<string>((resolve, reject) => {
    let text = ''
    const hear = (bytes: Buffer) => {
      text += bytes.toString()
      const found = /http:\/\/[\w.:[\]]+/.exec(text)
      if (found !== null) resolve(found[0])
    }
    child.stdout!.on('data', hear)
    child.stderr!.on('data', hear)
    child.once('exit', () => reject(new Error(`it ended: ${text}`)))
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
