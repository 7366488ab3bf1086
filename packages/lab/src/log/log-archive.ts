// An archive: a folder of decision logs of one version of a problem, a file per month, and archive.json, which says what they hold.

import { existsSync, readFileSync, renameSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tableError } from '../tables/table-error.js'

/** What an archive holds. */
export interface LogArchive {
  readonly problem: string
  readonly problemVersion: number
  /** In the order of their rounds. */
  readonly files: readonly ArchivedFile[]
}

/** One file of an archive: the decisions of a month. */
export interface ArchivedFile {
  readonly file: string
  /** Such as 2026-11, in UTC. */
  readonly month: string
  readonly rows: number
  /** The last round in the store that it goes up to, counted from 1; what follows it begins after it. */
  readonly lastRound: number
  /** How many rounds since the file before are not in the store any more: its retention removed them. */
  readonly missing?: number
}

const LIST = 'archive.json'

/** Whether a path is a folder, which openLog takes for an archive. */
export function isArchive(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory()
}

/** The list of an archive; null: the folder has none yet. */
export function readArchive(folder: string): LogArchive | null {
  const path = join(folder, LIST)
  if (!existsSync(path)) return null
  try {
    const read = JSON.parse(readFileSync(path, 'utf8')) as LogArchive
    if (Array.isArray(read.files) && typeof read.problem === 'string') return read
  } catch {
    // It is said below.
  }
  throw tableError('table-bad-header', path, 'must be the list of an archive, as primo archive writes it')
}

/** Writes the list, whole or not at all: files that are not in it do not count. */
export function writeArchive(folder: string, archive: LogArchive): void {
  const path = join(folder, LIST)
  writeFileSync(`${path}.part`, `${JSON.stringify(archive, null, 2)}\n`, { mode: 0o600 })
  renameSync(`${path}.part`, path)
}
