// All that a store can be asked: the database's own check, what was acknowledged last, every row, every decision, every policy.

import type { Code } from '@primo/core'
import { replayProblem } from '../learning/replay.js'
import { damageAtStart } from '../ledger/damage-at-start.js'
import type { RawStore, StoredProblem } from '../ledger/raw-store.js'
import { type Damage, StoreDamaged } from '../ledger/store-damaged.js'
import { checkDecisions } from './check-decisions.js'
import { checkRows } from './check-rows.js'

/** What was checked of a store, and what is damaged. */
export interface Verified {
  readonly place: string
  readonly problems: number
  readonly rows: number
  readonly decisions: number
  /** Decisions whose propensities were computed again. */
  readonly propensities: number
  /** Policies that were learnt again. */
  readonly policies: number
  /** Those that come out otherwise because another version of Primo fitted them. */
  readonly otherVersion: readonly string[]
  /** Those whose rounds retention has removed, or whose subjects were forgotten. */
  readonly beyond: readonly string[]
  readonly damage: readonly Damage[]
}

/** `rows`: all rows, sums and the database's own check; `all`: every decision and policy again, too. */
export type Depth = 'rows' | 'all'

/** Checks everything in a store; nothing is written. `code`: what its problems name of the operator's code. */
export async function verifyStore(
  store: RawStore,
  code: readonly Code[] = [],
  depth: Depth = 'all',
): Promise<Verified> {
  const damage: Damage[] = []
  const found = (one: Damage) => {
    if (!damage.some(({ problem, detail }) => problem === one.problem && detail === one.detail)) damage.push(one)
  }
  for (const finding of await attempt(store.structure, found, null, [])) found({ problem: null, detail: finding })
  const { problems, rows } = await checkRows(store, found)
  const whole = new Set(problems.map(({ id }) => id))
  const atStart = { ...store, allProblems: () => wholeProblems(store, whole) }
  for (const one of await attempt(() => damageAtStart((look) => look(atStart), store.acknowledged()), found, null, []))
    found(one)
  let decisions = 0
  let propensities = 0
  let policies = 0
  const otherVersion: string[] = []
  const beyond: string[] = []
  for (const row of depth === 'all' ? problems : []) {
    const nothing = { decisions: 0, propensities: 0 }
    const checked = await attempt(() => checkDecisions(store, row, found, code), found, row.name, nothing)
    decisions += checked.decisions
    propensities += checked.propensities
    const replayed = await attempt(() => replayProblem(store, row.name, code), found, row.name, null)
    if (replayed === null) continue
    policies += replayed.policies
    for (const policy of replayed.different)
      found({ problem: row.name, detail: `policy ${policy} is not the one that the log gives` })
    otherVersion.push(...replayed.otherVersion.map((policy) => `${row.name} ${policy}`))
    beyond.push(...replayed.beyond.map((policy) => `${row.name} ${policy}`))
  }
  const counts = { problems: problems.length, rows, decisions, propensities, policies }
  return { place: store.place, ...counts, otherVersion, beyond, damage }
}

async function wholeProblems(store: RawStore, whole: ReadonlySet<number>): Promise<readonly StoredProblem[]> {
  const rows: StoredProblem[] = []
  for await (const stored of store.problems())
    if (!('unreadable' in stored) && whole.has(stored.problem)) rows.push(stored.row)
  return rows
}

/** What cannot be checked because of damage is damage, and the check goes on. */
async function attempt<T>(
  check: () => Promise<T>,
  found: (damage: Damage) => void,
  problem: string | null,
  otherwise: T,
): Promise<T> {
  try {
    return await check()
  } catch (error) {
    const detail = error instanceof Error ? error.message : String(error)
    found({ problem, detail: error instanceof StoreDamaged ? detail : `cannot be checked further: ${detail}` })
    return otherwise
  }
}
