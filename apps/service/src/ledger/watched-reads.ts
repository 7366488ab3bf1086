// Reads of a store that note what they find damaged.

import type { ProblemTexts } from './checksums.js'
import type { DamageBook } from './damage-book.js'
import type { Store } from './store.js'
import { StoreDamaged, wholeProblem } from './store-damaged.js'

type Watched =
  | 'problem'
  | 'snapshot'
  | 'snapshots'
  | 'decision'
  | 'decisionsOf'
  | 'readLog'
  | 'readDecisions'
  | 'allDecisions'

interface Reads extends Pick<Store, Watched> {
  readonly allProblems: () => Promise<readonly (ProblemTexts & { checksum: number })[]>
}

export function watched(reads: Reads, { watch, note }: DamageBook): Pick<Store, Watched | 'problems'> {
  return {
    problems: async () => {
      const rows = await watch(null, reads.allProblems)
      return rows.flatMap((row) => {
        try {
          return [wholeProblem(row)]
        } catch (error) {
          if (!(error instanceof StoreDamaged)) throw error
          note({ problem: row.name, detail: error.message })
          return []
        }
      })
    },
    problem: (name) => watch(null, () => reads.problem(name)),
    snapshot: (problem, ...which) => watch(problem, () => reads.snapshot(problem, ...which)),
    snapshots: (problem) => watch(problem, () => reads.snapshots(problem)),
    decision: (problem, ref) => watch(problem, () => reads.decision(problem, ref)),
    decisionsOf: (problem, ...which) => watch(problem, () => reads.decisionsOf(problem, ...which)),
    readLog: (problem, ...which) => watch(problem, () => reads.readLog(problem, ...which)),
    readDecisions: (problem, ...which) => watch(problem, () => reads.readDecisions(problem, ...which)),
    allDecisions: reads.allDecisions,
  }
}
