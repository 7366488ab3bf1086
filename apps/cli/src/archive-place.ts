// Where an archive is: a folder, or an object storage with a folder here for what was fetched or is still to be sent.

import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type LogFile, type LogRow, openLog, readArchive } from '@primo/lab/log'
import { openObjectStorage } from './object-storage.js'
import { UsageError } from './output.js'

const LIST = 'archive.json'

export interface ArchivePlace {
  /** It holds the list, if there is one. */
  readonly folder: string
  /** Called when a file of the folder was written. */
  readonly written: (file: string) => Promise<void>
  /** Brings all files of the list into the folder. */
  readonly fetchAll: () => Promise<void>
  readonly close: () => void
}

export async function openArchivePlace(address: string): Promise<ArchivePlace> {
  if (!address.startsWith('s3://')) {
    mkdirSync(address, { recursive: true, mode: 0o700 })
    const nothing = async () => undefined
    return { folder: address, written: nothing, fetchAll: nothing, close: () => undefined }
  }
  const storage = openObjectStorage(address, process.env)
  const folder = mkdtempSync(join(tmpdir(), 'primo-archive-'))
  const close = () => rmSync(folder, { recursive: true, force: true })
  await storage.get(LIST, join(folder, LIST)).catch((error: unknown) => {
    close()
    throw error
  })
  return {
    folder,
    written: async (file) => {
      await storage.put(file, join(folder, file))
      if (file !== LIST) rmSync(join(folder, file))
    },
    fetchAll: async () => {
      for (const { file } of readArchive(folder)?.files ?? [])
        if (!(await storage.get(file, join(folder, file))))
          throw new UsageError(`${address}/${file} must be there: ${LIST} names it`)
    },
    close,
  }
}

interface Archived {
  readonly rows: () => AsyncIterable<LogRow>
  readonly close: () => void
}

/** The rows of an archive, then those of the store that come after them, from a round on that is counted from 0. */
export async function withArchive(
  address: string | undefined,
  { problem, problemVersion }: LogFile['header'],
  rowsFrom: (round: number) => AsyncIterable<LogRow>,
): Promise<Archived> {
  if (address === undefined) return { rows: () => rowsFrom(0), close: () => undefined }
  // A folder that is not there is a wrong name: what it should have would be left out without a word.
  if (!address.startsWith('s3://') && !existsSync(address))
    throw new UsageError(`--archive must be a folder that is there, or s3://BUCKET/PREFIX, got "${address}"`)
  const place = await openArchivePlace(address)
  try {
    const list = readArchive(place.folder)
    if (list === null || list.files.length === 0) return { rows: () => rowsFrom(0), close: place.close }
    if (list.problem !== problem || list.problemVersion !== problemVersion)
      throw new UsageError(
        `--archive must be of version ${problemVersion} of "${problem}", got version ${list.problemVersion} of "${list.problem}"`,
      )
    await place.fetchAll()
    const archived = await openLog(place.folder)
    const { lastRound } = list.files.at(-1)!
    return {
      rows: async function* () {
        yield* archived.rows()
        yield* rowsFrom(lastRound)
      },
      close: place.close,
    }
  } catch (error) {
    place.close()
    throw error
  }
}
