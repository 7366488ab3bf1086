// primo archive: the complete months of a log, as Parquet files in a folder or an object storage. Nothing leaves the
// store: retention deletes old decisions there, and archive.json counts those deleted before they were archived.

import { join } from 'node:path'
import { type ArchivedFile, readArchive, writeArchive, writeLog } from '@primo/lab/log'
import {
  exportHeader,
  exportRows,
  openRawStore,
  pagedDecisions,
  type RawStore,
  type StoredDecision,
} from '@primo/service'
import { Command } from 'commander'
import { type ArchivePlace, openArchivePlace } from '../archive-place.js'
import { print, printJson, UsageError } from '../output.js'

interface Flags {
  store: string
  problem: string
  out: string
  before?: string
  json?: boolean
}

export function archiveCommand(): Command {
  return new Command('archive')
    .requiredOption('--store <address>', 'sqlite:PATH or postgres://...')
    .requiredOption('--problem <name>', 'the problem; its running version')
    .requiredOption('--out <place>', 'a folder, or s3://BUCKET/PREFIX (keys, region and address in AWS_... variables)')
    .option('--before <date>', 'only months that ended by then, such as 2026-11-01 (default: now)')
    .option('--json', 'one JSON object on stdout')
    .addHelpText(
      'after',
      `
A month is written when all its rounds are final, once: run it again to add what is new. archive.json lists the files. Read them with
"primo evaluate FOLDER", or with the store's newer decisions by --archive of "primo export" and "primo train".

Example:
  primo archive --store postgres://... --problem dose --out cold/dose
  primo export --store postgres://... --problem dose --archive cold/dose --out dose.parquet
`,
    )
    .action(async ({ store: address, problem, out, before, json }: Flags) => {
      const now = Date.now()
      const asked = before === undefined ? now : Date.parse(before)
      if (Number.isNaN(asked)) throw new UsageError(`--before must be a date such as 2026-11-01, got "${before}"`)
      // Reads beside a service that has the store open.
      const store = await openRawStore(address)
      let place: ArchivePlace | undefined
      try {
        place = await openArchivePlace(out)
        // A month that goes on would be written again, in place of what is there.
        const files = await archiveLog(store, problem, place, Math.min(asked, now))
        if (json === true) printJson({ problem, files })
        else if (files.length === 0) print('nothing to archive: no month is over and final that is not there yet')
        for (const { file, rows, missing } of json === true ? [] : files) {
          print(`wrote ${rows} decisions to ${out}/${file}`)
          if (missing !== undefined)
            print(
              `${missing} decisions before them are missing: retention removed them; archive more often to keep such`,
            )
        }
      } finally {
        place?.close()
        await store.close()
      }
    })
}

/** Writes the months that ended by `until` and are not there yet; returns their files. */
async function archiveLog(
  store: RawStore,
  problem: string,
  place: ArchivePlace,
  until: number,
): Promise<readonly ArchivedFile[]> {
  const row = await store.problem(problem)
  if (row === undefined) throw new UsageError(`--problem must be in the store, got "${problem}"`)
  const known = readArchive(place.folder)
  if (known !== null && (known.problem !== problem || known.problemVersion !== row.version))
    throw new UsageError(
      `--out must be of version ${row.version} of "${problem}", got version ${known.problemVersion} of "${known.problem}"`,
    )
  const files = [...(known?.files ?? [])]
  const before = files.length
  for (;;) {
    const from = files.at(-1)?.lastRound ?? 0
    const month = await finalMonth(store, row.id, row.version, from, until)
    if (month === null) break
    const file = `${month}.parquet`
    let lastRound = from
    let missing = 0
    const ofMonth = async function* (): AsyncGenerator<StoredDecision> {
      for await (const decision of pagedDecisions(store, row.id, row.version, from)) {
        if (monthOf(decision.entry.time) !== month) break
        missing += decision.round.round - lastRound
        // Rounds are counted from 0 in a store and from 1 in a log.
        lastRound = decision.round.round + 1
        yield decision
      }
    }
    const rows = await writeLog(join(place.folder, file), exportHeader(row), exportRows(row, ofMonth()))
    await place.written(file)
    files.push({ file, month, rows, lastRound, ...(missing === 0 ? {} : { missing }) })
    writeArchive(place.folder, { problem, problemVersion: row.version, files })
    await place.written('archive.json')
  }
  return files.slice(before)
}

/** The month of the first decision from a round on, if it is over and none of its rounds is open. */
async function finalMonth(
  store: RawStore,
  problem: number,
  version: number,
  from: number,
  until: number,
): Promise<string | null> {
  let month: string | null = null
  for await (const { round, entry } of pagedDecisions(store, problem, version, from)) {
    month ??= monthOf(entry.time)
    if (monthOf(entry.time) !== month) return month
    if (endOf(month) > until || round.state === 'open' || round.state === 'pending') return null
  }
  return month
}

function monthOf(time: number): string {
  return new Date(time).toISOString().slice(0, 7)
}

function endOf(month: string): number {
  const [year, number] = month.split('-').map(Number)
  return Date.UTC(year!, number!, 1)
}
