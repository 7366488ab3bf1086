// Policies on one world: regret and what it consists of, in the reward's units.

import type { Problem } from '@primo/core'
import { createEngine, type EngineOptions } from '@primo/core/engine'
import {
  type Checkpoint,
  createEnvironment,
  type Environment,
  type OnlineLinearOptions,
  onlineLinear,
  type PolicySpec,
  policyByName,
  runPolicy,
  type Sees,
  scenarioFromName,
  settingOf,
  simulate,
  type WorldBlock,
  worldOf,
} from '@primo/lab'
import type { Cell, Figures } from './study-spec.js'

/** LinUCB or LinTS as most would write them: a ridge regression per action, updated after every reward. */
export interface LinearPeer extends Omit<OnlineLinearOptions, 'seed'> {
  readonly name: string
  readonly kind: 'linear'
  readonly sees: Sees
}

/** A policy of the catalogue by name, one as data, or a peer; `problem` changes what it is told of the problem. */
export type Policy = string | ((PolicySpec | LinearPeer) & { readonly problem?: (problem: Problem) => Problem })

export interface Play {
  readonly environment: Pick<Environment, 'problem' | 'interactions'> & Partial<Environment>
  readonly blocks: readonly WorldBlock[]
  readonly policies: readonly Policy[]
  readonly seed: number
  /** Also regret and its unavoidable part after so many rounds, as `regret N` and `floor N`. */
  readonly marks?: readonly number[]
}

/** All policies on a scenario by name; `marks` as in `play`. */
export function playScenario(
  scenario: string,
  policies: readonly Policy[],
  {
    seed,
    size,
    marks,
  }: { readonly seed: number; readonly size: { readonly rounds: number }; readonly marks?: readonly number[] },
): Cell {
  const environment = createEnvironment(scenarioFromName(scenario))
  const blocks = blocksOf(environment, seed, size.rounds)
  return play({ environment, blocks, policies, seed, ...(marks === undefined ? {} : { marks }) })
}

/** The same rounds for every policy. */
export function blocksOf(environment: Environment, seed: number, rounds: number): readonly WorldBlock[] {
  return [...worldOf(environment, seed, rounds)]
}

/**
 * By policy: `regret`; `late`, the part of its last tenth; `floor`, the unavoidable part, and `excess` over it, where
 * that is known.
 */
export function play({ environment, blocks, policies, seed, marks = [] }: Play): Cell {
  const rounds = blocks.reduce((sum, { count }) => sum + count, 0)
  const tenth = Math.max(1, Math.floor(rounds / 10))
  const every = marks.reduce(divisor, rounds - tenth)
  const cell: Record<string, Figures> = {}
  for (const policy of policies) {
    const spec = typeof policy === 'string' ? policyByName(policy, settingOf(environment as Environment)) : policy
    const problem =
      (typeof policy === 'string' ? undefined : policy.problem)?.(environment.problem) ?? environment.problem
    const points = pointsOf(spec, problem, { blocks, seed, every, rounds })
    cell[spec.name] = figuresOf(points, rounds - tenth, marks)
  }
  return cell
}

function divisor(a: number, b: number): number {
  return b === 0 ? a : divisor(b, a % b)
}

interface Run {
  readonly blocks: readonly WorldBlock[]
  readonly seed: number
  readonly every: number
  readonly rounds: number
}

function pointsOf(
  spec: PolicySpec | LinearPeer,
  problem: Problem,
  { blocks, seed, every, rounds }: Run,
): readonly Checkpoint[] {
  if (spec.kind !== 'linear') return runPolicy({ spec, problem, world: blocks, seed, every }).checkpoints
  const seen = spec.sees === 'none' ? { ...problem, covariates: {} } : problem
  // The engine only fills in: its own epochs never end.
  const engine = createEngine(seen, { profile: 'primo', schedule: { kind: 'list', ends: [2 * rounds] } })
  const online = onlineLinear(engine, { ...spec, seed })
  const { tally } = simulate({ engine, world: blocks, seed, sees: spec.sees, every, online })
  const { min, max } = problem.reward.mean ?? problem.reward
  return tally.checkpoints.map((point) => ({
    ...point,
    regret: point.regret * (max - min),
    floor: point.floor === null ? null : point.floor * (max - min),
  }))
}

function figuresOf(points: readonly Checkpoint[], late: number, marks: readonly number[]): Figures {
  const at = (rounds: number) => points.find((point) => point.rounds === rounds)!
  const { regret, floor } = points.at(-1)!
  const figures: Record<string, number> = { regret, late: regret - at(late).regret }
  if (floor !== null) Object.assign(figures, { floor, excess: regret - floor })
  for (const mark of marks) {
    const point = at(mark)
    figures[`regret ${mark}`] = point.regret
    if (point.floor !== null) figures[`floor ${mark}`] = point.floor
  }
  return figures
}

/** The default profile under a name of its own, with changes. */
export function robustPolicy(name = 'robust', changes: EngineOptions = {}): Extract<PolicySpec, { kind: 'engine' }> {
  return { name, kind: 'engine', sees: 'world', options: { profile: 'robust', ...changes } }
}
