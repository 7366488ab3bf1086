// Runs the built command as a user does.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, vi } from 'vitest'
import { fail } from './output.js'
import { program } from './program.js'

const bin = join(import.meta.dirname, '../bin/primo.js')

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

export function primo(...args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(process.execPath, [bin, ...args], { maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

/** A command as a report prints it, run by a shell. */
export function shell(command: string): Promise<Outcome> {
  const run = command.replace(/^primo /, `'${process.execPath}' '${bin}' `)
  return new Promise((resolve) => {
    execFile('sh', ['-c', run], { maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

/** In this process, for help and refusals: starting a process for each would take most of the time. */
export async function primoHere(...args: readonly string[]): Promise<Outcome> {
  const said = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      said[stream] += String(text)
      return true
    }),
  )
  const primo = await program(args[0])
  try {
    await primo.parseAsync(['node', 'primo', ...args])
  } catch (error) {
    fail(
      error,
      primo.commands.find((command) => command.name() === args[0]),
    )
  }
  const code = Number(process.exitCode ?? 0)
  process.exitCode = undefined
  for (const spy of spies) spy.mockRestore()
  return { code, ...said }
}

export function startPrimo(...args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [bin, ...args], { stdio: 'ignore' })
}

/** A folder that is gone after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'primo-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

export function jsonLines(text: string): Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}
