// SQLite's own check of its pages and indexes: a row that an index does not lead to would be taken for one that never was. A
// small file is checked before the store opens, a large one beside the work.

import { existsSync, statSync } from 'node:fs'
import AsyncDatabase from 'libsql/promise'

interface StructureCheck {
  /** Resolves when the store may open. */
  readonly first: Promise<void>
  readonly close: () => Promise<void>
}

const SMALL = 64 << 20
const MAX_FINDINGS = 10

export function checkStructure(path: string, onDamage: (detail: string) => void): StructureCheck {
  let closed = false
  let open = true
  const db = new AsyncDatabase(path, {})
  const done = findingsOf(db)
    .then((findings) => {
      if (findings.length > 0) onDamage(`the file is damaged: ${findings.join('; ')}`)
    })
    // What cannot be read is said by the reading that needs it; an interrupted check says nothing.
    .catch((error: Error) => {
      if (!closed) onDamage(`the file is damaged: ${error.message}`)
    })
    .finally(() => {
      open = false
      db.close()
    })
  return {
    first: sizeOf(path) + sizeOf(`${path}-wal`) <= SMALL ? done : Promise.resolve(),
    close: async () => {
      closed = true
      if (open) db.interrupt()
      await done
    },
  }
}

/** Empty: all is well. */
export async function findingsOf(db: InstanceType<typeof AsyncDatabase>): Promise<readonly string[]> {
  const statement = await db.prepare(`pragma integrity_check(${MAX_FINDINGS})`)
  const rows = (await statement.all()) as { integrity_check: string }[]
  return rows.map((row) => row.integrity_check).filter((finding) => finding !== 'ok')
}

function sizeOf(path: string): number {
  return existsSync(path) ? statSync(path).size : 0
}
