// What an operator should know of a store before it matters: is it whole, does this version know it, is there room, is the
// clock right, is it its owner's alone.

import { statSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { APART, AWAY, TOLERANCE } from '../ledger/clock.js'
import type { RawStore } from '../ledger/raw-store.js'
import { wholeProblem } from '../ledger/store-damaged.js'
import { missingUploads, uploadsOf } from '../reports/missing-uploads.js'
import { meansOf } from '../reports/summary.js'
import { verifyStore } from './verify-store.js'

/** One thing that was looked at. */
export interface Finding {
  readonly check: 'integrity' | 'format' | 'disk' | 'clock' | 'rights' | 'uploads'
  readonly state: 'ok' | 'warning' | 'failure'
  /** In a sentence. */
  readonly says: string
}

/** Below this a service soon cannot write. */
const LEAST_FREE = 256 << 20

/** Looks at a store; nothing is written. `now`: milliseconds since 1970. */
export async function examineStore(store: RawStore, now: number): Promise<readonly Finding[]> {
  const { migrations, known, bytes, file, ahead } = await store.surroundings()
  const found: Finding[] = [formatOf(migrations, known)]
  found.push(...(await integrityOf(store)))
  found.push(...(await uploadsIn(store)), await diskOf(file, bytes))
  found.push(...clockOf(await lastTime(store, migrations), now, ahead))
  if (file !== null) found.push(rightsOf(file))
  return found
}

function formatOf(migrations: readonly string[], known: readonly string[]): Finding {
  const newer = migrations.filter((name) => !known.includes(name))
  if (newer.length > 0)
    return failure('format', `written by a newer version of Primo (${newer.join(', ')}), which must be used for it`)
  if (migrations.length < known.length)
    return warning('format', `${migrations.at(-1)}: the next start migrates it to ${known.at(-1)}; make a backup first`)
  return ok('format', `${known.at(-1)}, the newest that this version knows`)
}

async function integrityOf(store: RawStore): Promise<readonly Finding[]> {
  const { problems, rows, damage } = await verifyStore(store, [], 'rows')
  if (damage.length > 0)
    return damage.map(({ problem, detail }) =>
      failure('integrity', problem === null ? detail : `${problem}: ${detail}`),
    )
  return [ok('integrity', `${rows} rows of ${problems} problems are whole (primo verify decides and learns all again)`)]
}

/** Silent where no decision was uploaded. */
async function uploadsIn(store: RawStore): Promise<readonly Finding[]> {
  const found: Finding[] = []
  for await (const stored of store.problems()) {
    if ('unreadable' in stored || !stored.whole) continue
    const row = wholeProblem(stored.row)
    const uploads = uploadsOf(row)
    const warnings = missingUploads(uploads, meansOf(row.book))
    const counts = `${uploads.decisions} decisions of local callers, ${uploads.missing} missing`
    for (const says of warnings) found.push(warning('uploads', `${row.name}: ${says}`))
    if (warnings.length === 0 && uploads.decisions > 0) found.push(ok('uploads', `${row.name}: ${counts}`))
  }
  return found
}

async function diskOf(file: string | null, bytes: number): Promise<Finding> {
  if (file === null) return ok('disk', `${size(bytes)}; what is free, its server knows`)
  const { bavail, bsize } = await statfs(dirname(file))
  const free = bavail * bsize
  const says = `${size(bytes)}, ${size(free)} free`
  if (free < LEAST_FREE) return failure('disk', `${says}: soon nothing can be written`)
  if (free < bytes) return warning('disk', `${says}: a backup beside it, or primo forget, does not fit`)
  return ok('disk', says)
}

function clockOf(last: number | null, now: number, ahead: number | null): readonly Finding[] {
  const found: Finding[] = []
  if (ahead !== null && Math.abs(ahead) > APART)
    found.push(warning('clock', `the database's clock is ${span(ahead)} this machine's: windows and expiries wait`))
  const since = last === null ? 0 : now - last
  if (since > AWAY || since < -TOLERANCE)
    found.push(
      warning(
        'clock',
        `this machine's clock is ${span(since)} the last known time: if it is right, start with --confirm-clock`,
      ),
    )
  if (found.length > 0) return found
  return [ok('clock', last === null ? 'no time is known yet' : `${span(since)} the last known time`)]
}

function rightsOf(file: string): Finding {
  const mode = statSync(file).mode & 0o777
  const text = `mode ${mode.toString(8).padStart(4, '0')}`
  return (mode & 0o077) === 0 ? ok('rights', text) : warning('rights', `${text}: others may read it; chmod 600 ${file}`)
}

/** Schemas before 004 know none. */
async function lastTime(store: RawStore, migrations: readonly string[]): Promise<number | null> {
  return migrations.includes('004-clock') ? store.time() : null
}

const ok = (check: Finding['check'], says: string): Finding => ({ check, state: 'ok', says })
const warning = (check: Finding['check'], says: string): Finding => ({ check, state: 'warning', says })
const failure = (check: Finding['check'], says: string): Finding => ({ check, state: 'failure', says })

function size(bytes: number): string {
  return bytes < 1e9 ? `${(bytes / 1e6).toFixed(1)} MB` : `${(bytes / 1e9).toFixed(1)} GB`
}

function span(milliseconds: number): string {
  const seconds = Math.abs(milliseconds) / 1000
  const text =
    seconds < 120
      ? `${seconds.toFixed(1)} s`
      : seconds < 7200
        ? `${Math.round(seconds / 60)} minutes`
        : seconds < 172_800
          ? `${Math.round(seconds / 3600)} hours`
          : `${Math.round(seconds / 86_400)} days`
  return `${text} ${milliseconds < 0 ? 'before' : 'after'}`
}
