// Runs the built command.

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, vi } from 'vitest'
import { fail } from '../dist/output.js'
import { program } from '../dist/program.js'

const bin = join(import.meta.dirname, '../bin/primo.js')

export interface Outcome {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** In a process of its own, as a user runs it. Starting one costs more than most commands: use `primo` unless the process matters. */
export function primoProcess(...args: readonly string[]): Promise<Outcome> {
  return run(process.execPath, [bin, ...args])
}

function run(file: string, args: readonly string[]): Promise<Outcome> {
  return new Promise((resolve) => {
    execFile(file, args, { maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr })
    })
  })
}

/** A command as a report prints it, run by a shell. */
export function shell(command: string): Promise<Outcome> {
  return run('sh', ['-c', command.replace(/^primo /, `'${process.execPath}' '${bin}' `)])
}

let last: Promise<unknown> = Promise.resolve()

/** In this process. One command runs at a time, because they share the output and the exit code. */
export function primo(...args: readonly string[]): Promise<Outcome> {
  const outcome = last.then(() => here(args))
  last = outcome.catch(() => undefined)
  return outcome
}

async function here(args: readonly string[]): Promise<Outcome> {
  const said = { stdout: '', stderr: '' }
  const spies = (['stdout', 'stderr'] as const).map((stream) =>
    vi.spyOn(process[stream], 'write').mockImplementation((text) => {
      said[stream] += String(text)
      return true
    }),
  )
  try {
    const primo = await program(args[0])
    await primo.parseAsync(['node', 'primo', ...args]).catch((error: unknown) => {
      fail(
        error,
        primo.commands.find((command) => command.name() === args[0]),
      )
    })
    return { code: Number(process.exitCode ?? 0), ...said }
  } finally {
    process.exitCode = undefined
    for (const spy of spies) spy.mockRestore()
  }
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
