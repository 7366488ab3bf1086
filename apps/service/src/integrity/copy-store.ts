// A store copied as of one moment, and checked: a backup is a SQLite file that is a store itself; a restore is the way back.

import { existsSync, renameSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Code } from '@primo/core'
import type { RawStore } from '../ledger/raw-store.js'
import { StoreUnavailable } from '../ledger/store.js'
import { openRestore } from '../store/open-restore.js'
import { openRawStore } from '../store/open-store.js'
import { copyFile } from '../store/sqlite/copy-file.js'
import { readHeads } from '../store/sqlite/head-file.js'
import { copyRows } from './copy-rows.js'
import { type Depth, type Verified, verifyStore } from './verify-store.js'

/** How a copy is checked. */
export interface CopyOptions {
  /** How much of the copy is checked. */
  readonly depth?: Depth
  /** What its problems name of the operator's code. */
  readonly code?: readonly Code[]
}

/** Copies a store into a new one, while a service runs on it or not. A copy that is damaged is told, and is no store if it is a file. */
export async function copyStore(
  from: string,
  to: string,
  { depth = 'all', code = [] }: CopyOptions = {},
): Promise<Verified> {
  if (!to.startsWith('sqlite:')) {
    await rows(from, to)
    return check(to, depth, code)
  }
  const path = pathOf(to)
  if (existsSync(path)) throw new StoreUnavailable(`the copy must not be there yet, got ${path}`)
  const part = `${path}.part`
  try {
    // Before the copy, which may be ahead of it by then, not behind.
    const heads = from.startsWith('sqlite:') ? readHeads(pathOf(from)) : new Map()
    if (from.startsWith('sqlite:')) copyFile(pathOf(from), part)
    else await rows(from, `sqlite:${part}`)
    const verified = await check(`sqlite:${part}`, depth, code, heads)
    if (verified.damage.length === 0) renameSync(part, path)
    return { ...verified, place: to }
  } finally {
    for (const end of ['', '-wal', '-shm', '-lock', '-head']) rmSync(`${part}${end}`, { force: true })
  }
}

function pathOf(address: string): string {
  return resolve(address.slice('sqlite:'.length))
}

async function rows(from: string, to: string): Promise<void> {
  const source = await openRawStore(from)
  try {
    const target = await openRestore(to)
    try {
      await copyRows(source, target)
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}

async function check(
  address: string,
  depth: Depth,
  code: readonly Code[],
  heads: ReturnType<RawStore['acknowledged']> = new Map(),
): Promise<Verified> {
  const copy = await openRawStore(address)
  try {
    return await verifyStore({ ...copy, acknowledged: () => heads }, code, depth)
  } finally {
    await copy.close()
  }
}
