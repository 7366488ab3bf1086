// A service started for pictures, on a folder that is gone afterwards.

import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const bin = join(import.meta.dirname, '../../cli/bin/primo.js')

/** Arguments are told the folder. */
export async function startService(given) {
  const folder = mkdtempSync(join(tmpdir(), 'primo-screenshots-'))
  const child = spawn(process.execPath, [bin, ...given(folder), '--port', '0'])
  const url = await new Promise((resolve, reject) => {
    let text = ''
    const hear = (bytes) => {
      text += bytes
      const found = /http:\/\/[\w.:[\]]+/.exec(text)
      if (found !== null) resolve(found[0])
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('exit', () => reject(new Error(`it ended: ${text}`)))
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  let stopped = false
  const stop = async () => {
    if (stopped) return
    stopped = true
    child.kill('SIGINT')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  return { url, stop }
}
