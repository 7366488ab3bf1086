// primo study classes: trees, kernel, network and the selector as reward class of robust, all else as shipped.
//   Lock-in: in two-action worlds, a run whose regret is more than 2/3 of uniform play's, or in its last fifth more than all of it there.
//   Choice: on tables, the mean reward of the selector over that of the best single class (by its mean over seeds), paired.

import type { LearningOptions, Problem } from '@primo/core'
import { pairedRatio, runPolicy, summarise, type WorldBlock, worldOf } from '@primo/lab'
import type { Study, StudyOptions, StudyResult, StudyTable, Verdict } from '@primo/lab/node'
import { type ClassTable, classTables } from './class-tables.js'
import { twoActionWorlds } from './class-worlds.js'

const TREES = { kind: 'trees', rounds: 60 } as const
const KERNEL = { kind: 'kernel', landmarks: 60, exact: 60, folds: 2 } as const
const SELECT = 'select'
const CLASSES = {
  linear: {},
  trees: TREES,
  kernel: KERNEL,
  network: { kind: 'network', steps: 400, hidden: 8 },
  [SELECT]: { kind: 'select', ladder: [{ kind: 'linear' }, TREES, KERNEL], folds: 3 },
} as const satisfies Readonly<Record<string, LearningOptions['oracle']>>
type ClassName = keyof typeof CLASSES

/** Parts of uniform play's regret that a run which is not locked in stays below, over all rounds and in the last fifth. */
const LOCKED = { all: 2 / 3, last: 1 }
const WITHIN = 0.99

export interface ClassesSize {
  /** Rounds of a two-action run, and runs per class over all worlds. */
  readonly rounds: number
  readonly runs: number
  /** Rows of a table, at most, and orders of it. */
  readonly rows: number
  readonly orders: number
  readonly classes?: readonly ClassName[]
  readonly tables?: (name: string) => boolean
}

export interface LockResult {
  readonly world: string
  readonly name: string
  /** By run: regret, all of it and in the last fifth, over that of uniform play. */
  readonly all: readonly number[]
  readonly last: readonly number[]
}

export interface TableResult {
  readonly table: string
  /** By class: mean reward per round, one entry per order. */
  readonly rewards: Readonly<Record<string, readonly number[]>>
}

/** Regret of uniform play and reward of the best actions, both from round `from` on. */
function referenceOf(blocks: Iterable<WorldBlock>, actions: number, from: number) {
  let round = 0
  let regret = 0
  let best = 0
  for (const { count, means, rewards } of blocks) {
    const values = means ?? rewards
    for (let row = 0; row < count; row++, round++) {
      if (round < from) continue
      const own = values.subarray(row * actions, (row + 1) * actions)
      const top = Math.max(...own)
      best += top
      regret += top - own.reduce((sum, value) => sum + value, 0) / actions
    }
  }
  return { regret, best, rounds: round - from }
}

interface ClassRun {
  readonly problem: Problem
  readonly blocks: Iterable<WorldBlock>
  readonly seed: number
  readonly every: number
}

/** Regret at every mark, in units of the mean reward's range. */
function regretsOf(name: ClassName, { problem, blocks, seed, every }: ClassRun) {
  const spec = { name, kind: 'engine', sees: 'world', options: { profile: 'robust', oracle: CLASSES[name] } } as const
  const { checkpoints } = runPolicy({ spec, problem, world: blocks, seed, every })
  const { min, max } = problem.reward.mean ?? problem.reward
  return checkpoints.map(({ rounds, regret }) => ({ rounds, regret: regret / (max - min) }))
}

export async function runClasses(options: StudyOptions, size: ClassesSize): Promise<StudyResult> {
  const { rounds, runs, rows, orders, tables: wanted = () => true } = size
  const names: readonly ClassName[] = size.classes ?? (Object.keys(CLASSES) as ClassName[])
  const found = classTables()
  const tables = found.tables.filter(({ name }) => wanted(name))
  const seeds = Math.ceil(runs / twoActionWorlds.length)
  const steps = names.length * (seeds * twoActionWorlds.length + 4 * orders * tables.length)
  let done = 0
  const progress = async (by: number) => {
    done += by
    options.onProgress?.(done / steps)
    await new Promise((resolve) => setImmediate(resolve))
  }
  const locks: LockResult[] = []
  for (const environment of twoActionWorlds) {
    const own = names.map((name) => ({ name, all: [] as number[], last: [] as number[] }) as const)
    for (let seed = options.seed; seed < options.seed + seeds; seed++) {
      const blocks = [...worldOf(environment, seed, rounds)]
      const from = rounds - Math.floor(rounds / 5)
      const [whole, end] = [referenceOf(blocks, 2, 0).regret, referenceOf(blocks, 2, from).regret]
      for (const { name, all, last } of own) {
        const marks = regretsOf(name, { problem: environment.problem, blocks, seed, every: from })
        const total = marks.at(-1)!.regret
        all.push(total / whole)
        last.push((total - marks.find((mark) => mark.rounds === from)!.regret) / end)
        await progress(1)
      }
    }
    locks.push(...own.map((one) => ({ world: environment.name, ...one })))
  }
  const results: TableResult[] = []
  for (const table of tables)
    results.push(await tableResult(table, names, { seed: options.seed, rows, orders }, progress))
  const absent = found.absent.length === 0 ? 'none' : `${found.absent.join(', ')} (PRIMO_DATA names the folder)`
  return {
    settings: {
      'rounds of a two-action run': rounds,
      'runs per class': seeds * twoActionWorlds.length,
      'rows of a table, at most': rows,
      orders,
      'tables passed over': absent,
      'first seed': options.seed,
      scale: options.scale,
    },
    tables: [lockTable(locks), rewardTable(results, names)],
    plots: [],
    verdicts: classVerdicts(locks, results),
  }
}

async function tableResult(
  { name: table, world }: ClassTable,
  names: readonly ClassName[],
  { seed, rows, orders }: { readonly seed: number; readonly rows: number; readonly orders: number },
  progress: (by: number) => Promise<void>,
): Promise<TableResult> {
  const rewards = Object.fromEntries(names.map((name) => [name, [] as number[]]))
  for (let order = seed; order < seed + orders; order++) {
    const { problem, blocks } = world(order, rows)
    const { best, rounds } = referenceOf(blocks, problem.actions.length, 0)
    for (const name of names) {
      const { regret } = regretsOf(name, { problem, blocks, seed: order, every: rounds }).at(-1)!
      rewards[name]!.push((best - regret) / rounds)
      await progress(4)
    }
  }
  return { table, rewards }
}

function lockedIn({ all, last }: Pick<LockResult, 'all' | 'last'>): number {
  return all.filter((part, i) => part > LOCKED.all || last[i]! > LOCKED.last).length
}

function lockTable(locks: readonly LockResult[]): StudyTable {
  return {
    title: 'Two actions: regret over that of uniform play',
    header: ['world', 'class', 'runs', 'all rounds', 'se', 'largest', 'last fifth', 'largest', 'locked in'],
    rows: locks.map(({ world, name, all, last }) => {
      const { mean, standardError } = summarise(all)
      const locked = lockedIn({ all, last })
      const largest = [Math.max(...all), summarise(last).mean, Math.max(...last)]
      const figures = [mean, standardError, ...largest].map((value) => value.toFixed(3))
      return [world, name, String(all.length), ...figures, String(locked)]
    }),
  }
}

function rewardTable(results: readonly TableResult[], names: readonly ClassName[]): StudyTable {
  return {
    title: 'Tables: mean reward per round',
    header: ['table', ...names.flatMap((name) => [name, 'se'])],
    rows: results.map(({ table, rewards }) => [
      table,
      ...names.flatMap((name) => {
        const { mean, standardError } = summarise(rewards[name]!)
        return [mean.toFixed(4), standardError.toFixed(4)]
      }),
    ]),
  }
}

export function classVerdicts(locks: readonly LockResult[], results: readonly TableResult[]): readonly Verdict[] {
  const names = [...new Set(locks.map(({ name }) => name))]
  const locked = names.map((name) => {
    const own = locks.filter((one) => one.name === name)
    const count = own.reduce((sum, one) => sum + lockedIn(one), 0)
    const runs = own.reduce((sum, { all }) => sum + all.length, 0)
    return { held: count === 0, sentence: `${name}: ${count} of ${runs} two-action runs are locked in.` }
  })
  const mean = (rewards: TableResult['rewards'], name: string) => summarise(rewards[name]!).mean
  const chosen = results
    .filter(({ rewards }) => SELECT in rewards)
    .map(({ table, rewards }) => {
      const single = Object.keys(rewards).filter((name) => name !== SELECT)
      const best = single.reduce((found, name) => (mean(rewards, name) > mean(rewards, found) ? name : found))
      const { ratio, standardError } = pairedRatio(rewards[SELECT]!, rewards[best]!)
      return {
        held: ratio >= WITHIN,
        sentence: `${table}: the selector's reward is ${ratio.toFixed(4)} ± ${standardError.toFixed(4)} of that of the best single class there, ${best} (target: at least ${WITHIN}).`,
      }
    })
  return [...locked, ...chosen]
}

export const classes: Study = {
  name: 'classes',
  title: 'Function classes as reward model of the robust profile',
  claim:
    'With trees, kernels, networks and the selector robust does not lock in on the worse of two actions, and the selector’s reward is within 1% of that of the best single class.',
  run: (options) =>
    runClasses(
      options,
      options.scale === 'full'
        ? { rounds: 2000, runs: 200, rows: 5000, orders: 4 }
        : { rounds: 600, runs: 4, rows: 1500, orders: 1 },
    ),
}
