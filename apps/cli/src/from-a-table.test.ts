// The commands of docs/from-a-table.md, as they stand there, in a folder of their own.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryFolder } from './primo.fixture.js'

const folder = temporaryFolder()
const page = readFileSync(join(import.meta.dirname, '../../../docs/from-a-table.md'), 'utf8')
const bin = join(import.meta.dirname, '../bin/primo.js')

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}

test('a messy table becomes a served model, a log, an answer and the next model', { timeout: 300_000 }, async () => {
  const port = await freePort()
  const blocks = [...page.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block!)
  const commands = blocks
    .join('\n')
    .replaceAll('npx @primo/cli', `'${process.execPath}' '${bin}'`)
    .replaceAll('8642', String(port))
  const script = `set -e\ntrap 'kill $(jobs -p)' EXIT\n${commands}`
  const said = await new Promise<{ code: number | null; text: string }>((resolve) => {
    const shell = spawn('bash', ['-c', script], { cwd: folder })
    let text = ''
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (piece) => (text += String(piece)))
    shell.on('close', (code) => resolve({ code, text }))
  })
  expect(said).toMatchObject({ code: 0 })
  const { text } = said
  expect(text).toContain(
    'read as Latin-1 (Windows-1252), separated by semicolons, decimal commas; column 1 without a name',
  )
  expect(text).toMatch(/\d+ values of weight are -999, which looks like a missing value/)
  expect(text).toMatch(/1,\d{3} of 1,500 values observed/)
  expect(text).toContain('robust')
  expect(text).toMatch(/^.+: .+ to .+ per decision \(95% sure, however often one looks; [\d,]+ decisions so far\)/m)
  expect(text).toMatch(
    /weight: the model in the shadow is (better|not shown to be better) than the model in use: .* on \d+ truths/,
  )
  for (const report of ['replay', 'evaluation'])
    expect(readFileSync(join(folder, report, 'report.html'), 'utf8')).toContain('<h1>')
})
