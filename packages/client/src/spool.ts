// A spool in a file, for Node: one line per report, and one line when the service has taken it. The next program that
// opens the file sends the reports that a killed one left.

import { closeSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { KeptPolicy, PolicyKeep } from './local/policy-source.js'
import type { Report, Spool } from './outbox.js'

/** A spool in a file, and its end. */
export interface FileSpool extends Spool {
  /** Lets another program use the file. */
  readonly close: () => void
}

/** How a spool writes. */
export interface FileSpoolOptions {
  /** Wait until each report is on the disk, so that it survives a power failure too; default false. */
  readonly sync?: boolean
}

type Line = { readonly add: Report } | { readonly done: string }

/** Lines of reports that were taken before the file is written anew. */
const MAX_STALE = 1000

/** Files that this process has open. */
const own = new Set<string>()

/**
 * Keeps reports in a file until the service has taken them. One program at a time may use a file.
 * @example
 * const client = createClient({ url: 'http://127.0.0.1:8642', reports: { spool: fileSpool('rewards.spool') } })
 */
export function fileSpool(path: string, { sync = false }: FileSpoolOptions = {}): FileSpool {
  const unlock = lock(`${path}.lock`)
  let file = openSync(path, 'a+', 0o600)
  let lines = 0
  /** A line may have been written in part. */
  let torn = false
  let closed = false
  const left = new Map<string, Report>()
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    const read = parsed(line)
    if (read === null) continue
    if ('add' in read) left.set(read.add.id, read.add)
    else left.delete(read.done)
  }
  rewrite()

  function write(line: Line): void {
    // The number of a closed file may be that of another one by now.
    if (closed) throw new Error(`the spool ${path} was closed`)
    const start = torn ? '\n' : ''
    torn = true
    writeFileSync(file, `${start}${JSON.stringify(line)}\n`)
    torn = false
    if (sync) fsyncSync(file)
    lines++
  }

  /** Puts a file in place of this one that has only what still waits. */
  function rewrite(): void {
    const next = openSync(`${path}.new`, 'w', 0o600)
    try {
      writeFileSync(next, [...left.values()].map((add) => `${JSON.stringify({ add })}\n`).join(''))
      fsyncSync(next)
      renameSync(`${path}.new`, path)
    } catch (error) {
      closeSync(next)
      throw error
    }
    closeSync(file)
    file = next
    torn = false
    lines = left.size
    if (sync) syncFolder(dirname(path))
  }

  return {
    kept: async () => [...left.values()],
    add: async (report) => {
      left.set(report.id, report)
      write({ add: report })
    },
    remove: async (id) => {
      if (!left.delete(id)) return
      if (!closed && lines > MAX_STALE + 2 * left.size) rewrite()
      else write({ done: id })
    },
    close: () => {
      if (closed) return
      closed = true
      closeSync(file)
      unlock()
    },
  }
}

/**
 * Keeps the policy of a program that decides locally in a file, for its next start.
 * @example
 * const keep = filePolicy('dose.policy')
 * const local = await openLocal({ url, problem: 'dose', caller: 'web-1', default: 'low', keep })
 */
export function filePolicy(path: string): PolicyKeep {
  return {
    load: async () => {
      try {
        return JSON.parse(readFileSync(path, 'utf8')) as KeptPolicy
      } catch {
        return null
      }
    },
    save: async (kept) => {
      const next = `${path}.${process.pid}.new`
      writeFileSync(next, JSON.stringify(kept), { mode: 0o600 })
      renameSync(next, path)
    },
  }
}

/** The name of a file is on the disk when its folder is; Windows has no such call. */
function syncFolder(path: string): void {
  if (process.platform === 'win32') return
  const folder = openSync(path, 'r')
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}

/** A line that was being written when the program ended is none. */
function parsed(line: string): Line | null {
  try {
    return JSON.parse(line) as Line
  } catch {
    return null
  }
}

/** Throws when a program that runs holds it. */
function lock(path: string): () => void {
  const holder = holderOf(path)
  if (holder !== null) throw new Error(`one program at a time may use a spool: process ${holder} holds ${path}`)
  writeFileSync(path, String(process.pid), { mode: 0o600 })
  own.add(path)
  return () => {
    own.delete(path)
    rmSync(path, { force: true })
  }
}

/** A program that was killed left its number, which may be ours by now. */
function holderOf(path: string): number | null {
  if (own.has(path)) return process.pid
  try {
    const holder = Number(readFileSync(path, 'utf8'))
    if (!(holder > 0) || holder === process.pid) return null
    process.kill(holder, 0)
    return holder
  } catch (error) {
    const { code } = error as { readonly code?: string }
    return code === 'EPERM' ? Number(readFileSync(path, 'utf8')) : null
  }
}
