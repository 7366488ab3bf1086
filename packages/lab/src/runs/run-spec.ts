// A run: scenarios x policies x repeats, as JSON. Cells are numbered scenario by scenario, repeat by repeat, policy by
// policy; a cell's result depends on nothing but the spec and its number.

import { PrimoError } from '@primo/numeric'
import type { Environment } from '../environments/environment.js'
import type { ScenarioSpec } from '../environments/scenario-spec.js'
import type { OnlinePolicy } from '../policies/online-policy.js'
import type { PolicySpec } from '../policies/policy-spec.js'
import type { CodeRef } from './code-ref.js'

/** Scenarios x policies x repeats, as JSON. */
export interface RunSpec {
  /** Scenarios as data, environments of your own, or files of them; environments themselves run in one thread. */
  readonly scenarios: readonly (ScenarioSpec | Environment | CodeRef)[]
  /** Names from the catalogue, whole policies, policies of your own, or files of them; policies with code run in one thread. */
  readonly policies: readonly (string | PolicySpec | OnlinePolicy | CodeRef)[]
  readonly rounds: number
  readonly repeats: number
  /** Seed of the first repeat; repeat r has seed + r. */
  readonly seed: number
}

/** One scenario, policy and repeat of a run. */
export interface Cell {
  readonly index: number
  readonly scenario: number
  readonly policy: number
  readonly repeat: number
}

/** All cells of a run in their order. */
export function cellsOf(spec: RunSpec): readonly Cell[] {
  const cells: Cell[] = []
  spec.scenarios.forEach((_, scenario) => {
    for (let repeat = 0; repeat < spec.repeats; repeat++) {
      spec.policies.forEach((_, policy) => {
        cells.push({ index: cells.length, scenario, policy, repeat })
      })
    }
  })
  return cells
}

/** A part of a run: the `index`th of `of`. */
export interface Shard {
  /** From 1. */
  readonly index: number
  readonly of: number
}

/** "2/5": the second of five parts; whole repeats stay together so that worlds are made once. */
export function parseShard(text: string): Shard {
  const match = /^(\d+)\/(\d+)$/.exec(text)
  const index = Number(match?.[1])
  const of = Number(match?.[2])
  if (match === null || index < 1 || index > of) {
    throw new PrimoError('invalid-option', `shard must be i/n with 1 <= i <= n, got "${text}"`, {
      field: 'shard',
      value: text,
    })
  }
  return { index, of }
}

/** The cells of a part of a run; null: all. */
export function cellsOfShard(spec: RunSpec, shard: Shard | null): readonly Cell[] {
  const cells = cellsOf(spec)
  if (shard === null) return cells
  return cells.filter((cell) => (cell.scenario * spec.repeats + cell.repeat) % shard.of === shard.index - 1)
}

function policyName(policy: RunSpec['policies'][number]): string {
  return typeof policy === 'string' ? policy : policy.name
}

/** Refuses a run that cannot be run, with a sentence. */
export function checkRunSpec(spec: RunSpec): void {
  const whole = (field: string, value: number, least: number) => {
    if (!Number.isSafeInteger(value) || value < least) {
      throw new PrimoError('invalid-option', `${field} must be a whole number >= ${least}, got ${value}`, {
        field,
        value,
      })
    }
  }
  whole('rounds', spec.rounds, 1)
  whole('repeats', spec.repeats, 1)
  whole('seed', spec.seed, 0)
  distinct('policies', spec.policies.map(policyName))
  distinct(
    'scenarios',
    spec.scenarios.map((scenario) => scenarioName(scenario)),
  )
}

function distinct(field: string, names: readonly string[]): void {
  if (names.length === 0) throw new PrimoError('invalid-option', `${field} must name at least one, got none`, { field })
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) {
    throw new PrimoError('invalid-option', `${field} must be distinct, got "${twice}" twice`, { field, value: twice })
  }
}

export function scenarioName(scenario: RunSpec['scenarios'][number]): string {
  return isEnvironment(scenario) ? scenario.name : (scenario.name ?? scenario.kind)
}

export function isEnvironment(value: unknown): value is Environment {
  return typeof value === 'object' && value !== null && typeof (value as Partial<Environment>).block === 'function'
}

/** Whether the run is data throughout, so that other threads and a folder can have it. */
export function isData(spec: RunSpec): boolean {
  const plain = (value: unknown): boolean =>
    typeof value === 'object' && value !== null ? Object.values(value).every(plain) : typeof value !== 'function'
  return plain(spec)
}
