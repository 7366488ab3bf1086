// All policies on one world and seed. Regret is counted in the reward's units; "late" is that of the last tenth of the rounds, "early"
// that of the first ones.

import type { Problem } from '@primo/core'
import { createEngine, type EngineOptions } from '@primo/core/engine'
import {
  type Checkpoint,
  type OnlineLinearOptions,
  onlineLinear,
  policyByName,
  runPolicy,
  type Sees,
  settingOf,
  simulate,
  worldOf,
} from '@primo/lab'
import type { World } from './world.js'

export interface Regret {
  readonly total: number
  readonly late: number
  /** After each of EARLY that is less than all rounds. */
  readonly early: readonly number[]
}

/** Rounds after which the beginning of a run is looked at. */
export const EARLY = [100, 300, 1000]
const EVERY = 100

export interface WorldOutcome {
  readonly world: string
  readonly seed: number
  /** No check acts on play any more. */
  readonly latched: boolean
  readonly regrets: Readonly<Record<string, Regret>>
}

/** Every rule with each alpha; ridge 1 per action, updated after every reward. */
const ALPHAS = [1, 0.3]
type Peer = Pick<OnlineLinearOptions, 'rule' | 'indicator'> & { readonly sees: Sees }
const ONLINE: Readonly<Record<string, Peer>> = {
  LinUCB: { rule: 'linucb', sees: 'world' },
  'LinUCB, indicator': { rule: 'linucb', indicator: 'intercept', sees: 'world' },
  'LinUCB, interacted': { rule: 'linucb', indicator: 'interacted', sees: 'world' },
  'LinUCB, no z': { rule: 'linucb', sees: 'none' },
  LinTS: { rule: 'lints', sees: 'world' },
}
export const PRODUCTS = 'robust, own products'

/** `alone`: robust and uniform play only. */
export function runWorld(world: World, seed: number, rounds: number, alone = false): WorldOutcome {
  const environment = world.environment()
  const { problem, interactions } = environment
  const blocks = [...worldOf(environment, seed, rounds)]
  const { min, max } = problem.reward.mean ?? problem.reward
  const tenth = Math.max(1, Math.floor(rounds / 10))
  const every = rounds % (10 * EVERY) === 0 ? EVERY : tenth
  const regrets: Record<string, Regret> = {}
  /** A tally counts in units of the mean reward's range, a row of a run in the reward's own. */
  const keep = (name: string, marks: readonly Checkpoint[], unit = max - min) => {
    const total = marks.at(-1)!.regret
    const after = (count: number) => marks.find((mark) => mark.rounds >= count)!.regret
    const early = every === EVERY ? EARLY.filter((count) => count < rounds) : []
    regrets[name] = {
      total: total * unit,
      late: (total - after(rounds - tenth)) * unit,
      early: early.map((count) => after(count) * unit),
    }
  }
  const run = (options: EngineOptions, online?: OnlineLinearOptions, seen: Problem = problem, sees: Sees = 'world') => {
    const engine = createEngine(seen, options)
    const rule = online === undefined ? {} : { online: onlineLinear(engine, online) }
    return simulate({ engine, world: blocks, seed, sees, every, ...rule })
  }

  const robust = run({ profile: 'robust' })
  keep('robust', robust.tally.checkpoints)
  const outcome = { world: world.name, seed, regrets, latched: false }
  if (world.against !== undefined) return outcome
  const setting = { ...settingOf(environment), interactions: [] }
  const keepNamed = (name: string) =>
    keep(name, runPolicy({ spec: policyByName(name, setting), problem, world: blocks, seed, every }).checkpoints, 1)
  keepNamed('uniform')
  if (alone) return outcome
  if (interactions.length > 0) keep(PRODUCTS, run({ profile: 'robust', oracle: { interactions } }).tally.checkpoints)
  const blind = Object.keys(problem.covariates).length === 0
  // The engine only fills in: its own epochs never end.
  const idle: EngineOptions = { profile: 'primo', schedule: { kind: 'list', ends: [2 * rounds] } }
  for (const [name, { sees, ...rule }] of Object.entries(ONLINE)) {
    if (blind && (sees === 'none' || rule.indicator !== undefined)) continue
    for (const alpha of ALPHAS) {
      const seen = sees === 'none' ? { ...problem, covariates: {} } : problem
      keep(`${name}, ${alpha}`, run(idle, { ...rule, alpha, seed }, seen, sees).tally.checkpoints)
    }
  }
  keepNamed('primo')
  if (!blind) keepNamed('primo-cal')
  return outcome
}
