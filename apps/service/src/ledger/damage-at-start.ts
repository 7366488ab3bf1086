// Checks when a store is opened: the rows of its problems, the last acknowledged write, the newest record and the policies in
// use. Every other record is checked when it is read.

import { type ProblemTexts, problemChecksum } from './checksums.js'
import type { Store } from './store.js'
import { type Damage, present, StoreDamaged, wholeProblem } from './store-damaged.js'
import type { Acknowledged } from './sums.js'

export interface StartReads extends Pick<Store, 'readLog' | 'snapshot'> {
  /** Damaged ones too. */
  readonly allProblems: () => Promise<readonly (ProblemTexts & { checksum: number })[]>
}

/** `atOnce` lets all reads see the store at one moment: replicas may write meanwhile, and a row of a problem fits only its own log. */
export function damageAtStart(
  atOnce: <T>(look: (reads: StartReads) => Promise<T>) => Promise<T>,
  acknowledged: ReadonlyMap<number, Acknowledged>,
): Promise<readonly Damage[]> {
  return atOnce((reads) => damageOf(reads, acknowledged))
}

async function damageOf(
  reads: StartReads,
  acknowledged: ReadonlyMap<number, Acknowledged>,
): Promise<readonly Damage[]> {
  const damage: Damage[] = []
  const problems = await reads.allProblems()
  for (const stored of problems) {
    try {
      await checkProblem(reads, stored, acknowledged.get(stored.id))
    } catch (error) {
      if (!(error instanceof StoreDamaged)) throw error
      damage.push({ problem: stored.name, detail: error.message })
    }
  }
  for (const [id, { seq }] of acknowledged)
    if (!problems.some((stored) => stored.id === id))
      damage.push({ problem: `number ${id}`, detail: `the problem with number ${id}, of ${seq} records, is gone` })
  return damage
}

async function checkProblem(
  reads: StartReads,
  stored: ProblemTexts & { checksum: number },
  last: Acknowledged | undefined,
): Promise<void> {
  const { id, version, book, sums } = wholeProblem(stored)
  if (last !== undefined && sums.writes < last.writes)
    throw new StoreDamaged(
      `what was acknowledged last is gone: the log ends with record ${book.seq}, it had ${last.seq} (after a restored backup remove the file that ends in -head)`,
      id,
    )
  if (last !== undefined && sums.writes === last.writes && problemChecksum(stored) !== last.checksum)
    throw new StoreDamaged(`the log up to record ${book.seq} is not the one that was acknowledged`, id)
  const newest = await reads.readLog(id, book.seq - 1, 2)
  present(newest.length === 1 ? newest[0] : undefined, `record ${book.seq}`, id)
  for (const policy of new Set([book.policy, book.learnt]))
    if (policy > 0) present(await reads.snapshot(id, version, policy), `policy ${policy}`, id)
}
