// A dropped table replayed: its rows in a random order per seed, every policy on the same rows.

import {
  policyByName,
  policySetting,
  readCsv,
  runPolicy,
  type Table,
  type TableSpec,
  type TextOrigin,
  tableWorld,
} from '@primo/lab'
import { Random } from '@primo/numeric'
import type { Curve } from './curves.js'
import { MOST_ACTIONS, type ReplayPlan } from './table-roles.js'

export interface ReplayedCell extends Curve {
  /** Reward per decision up to each mark. */
  readonly reward: readonly number[]
}

export interface ReplayFacts {
  readonly rounds: number
  readonly actions: readonly string[]
  readonly notes: readonly string[]
  readonly policies: readonly string[]
}

const POLICIES = ['best-fixed-action', 'zero-fill', 'complete-case', 'primo', 'primo-cal', 'robust']
const MARKS = 48
const HIDDEN = 'primo: known'

export function replayTable(
  text: TextOrigin,
  plan: ReplayPlan,
  seeds: number,
  tell: (message: { readonly cell: ReplayedCell } | { readonly facts: ReplayFacts }) => void,
): void {
  const { table, spec } = prepared(text, plan)
  const first = tableWorld(table, spec)
  const policies = [...POLICIES, ...(first.truthKnown ? ['sees-all-values'] : [])]
  tell({ facts: { rounds: first.rounds, actions: first.problem.actions, notes: first.notes, policies } })
  const setting = policySetting(first, undefined)
  const every = Math.max(1, Math.floor(first.rounds / MARKS))
  for (let seed = 1; seed <= seeds; seed++) {
    const world = tableWorld(table, spec, { order: 'shuffled', seed })
    const blocks = [...world.blocks]
    for (const name of policies) {
      const { checkpoints } = runPolicy({
        spec: policyByName(name, setting),
        problem: world.problem,
        world: blocks,
        seed,
        every,
      })
      const even = checkpoints.filter(({ rounds }) => rounds % every === 0)
      tell({
        cell: {
          policy: name,
          seed,
          marks: even.map(({ rounds }) => rounds),
          reward: even.map(({ rounds, reward }) => reward! / rounds),
        },
      })
    }
  }
}

/** With a column of rewards per right answer, and with values hidden, where the plan says so. */
function prepared(text: TextOrigin, { spec, label, hide }: ReplayPlan): { table: Table; spec: TableSpec } {
  const table = readCsv(text, label === null ? spec : { ...spec, context: [...spec.context, label] })
  const columns = new Map(table.columns)
  const added: { rewards?: string[]; rewardRange?: readonly [number, number]; observed?: string } = {}
  if (label !== null) {
    const answers = answersOf(table, label)
    const levels = [...new Set(answers)].sort()
    if (levels.length < 2 || levels.length > MOST_ACTIONS)
      throw new Error(`the right answer must have 2 to ${MOST_ACTIONS} different values, got ${levels.length}`)
    added.rewards = levels.map((level) => `${label}=${level}`)
    added.rewardRange = [0, 1]
    levels.forEach((level, k) => {
      columns.set(added.rewards![k]!, {
        kind: 'number',
        values: Float64Array.from(answers, (answer) => (answer === level ? 1 : 0)),
      })
    })
  }
  if (hide > 0) {
    const random = Random.fromSeed(1).split('playground', 'hide')
    columns.set(HIDDEN, {
      kind: 'number',
      values: Float64Array.from({ length: table.rows }, () => (random.uniform() < hide ? 0 : 1)),
    })
    added.observed = HIDDEN
  }
  return { table: { ...table, columns }, spec: { ...spec, ...added } }
}

function answersOf(table: Table, label: string): string[] {
  const column = table.columns.get(label)!
  const answers =
    column.kind === 'text'
      ? Array.from(column.codes, (code) => column.levels[code])
      : Array.from(column.values, (value) => (Number.isNaN(value) ? undefined : String(value)))
  const empty = answers.indexOf(undefined)
  if (empty >= 0) throw new Error(`the right answer must be in every row, row ${empty + 1} has none`)
  return answers as string[]
}
