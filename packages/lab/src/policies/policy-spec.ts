// A policy to compare, as data: how the engine is set up and what of the world it sees. Everything that decides in the lab
// is one of these, so that any exploration rule runs on any imputation.

import type { EngineOptions } from '@primo/core/engine'
import { entryOf, PrimoError } from '@primo/numeric'

/** 'truth': missing values are shown too; 'none': the covariates are hidden altogether; 'world': what is observed. */
export type Sees = 'world' | 'truth' | 'none'

/** A policy to compare, as data. */
export type PolicySpec =
  | {
      readonly name: string
      readonly kind: 'engine'
      readonly options: EngineOptions
      readonly sees: Sees
      /** Share of the missing values whose truth is asked for, and told; default none. */
      readonly audit?: number
    }
  /** Ridge regression updated in every round, inverse gap weighting with gamma = scale sqrt(n); epochs only for imputation. */
  | {
      readonly name: string
      readonly kind: 'squarecb'
      readonly scale: number
      readonly options: EngineOptions
      readonly sees: Sees
    }
  | { readonly name: string; readonly kind: 'uniform' }
  /** The one action with the largest mean reward over these very rounds. */
  | { readonly name: string; readonly kind: 'best-fixed-action' }

const FIELDS: Readonly<Record<string, readonly string[]>> = {
  uniform: ['name', 'kind'],
  'best-fixed-action': ['name', 'kind'],
  engine: ['name', 'kind', 'options', 'sees', 'audit'],
  squarecb: ['name', 'kind', 'options', 'sees', 'scale'],
}

/** A policy that was written by hand, checked; `options` are checked when an engine is made of them. */
export function checkPolicySpec(policy: unknown): PolicySpec {
  if (typeof policy !== 'object' || policy === null) refuse('a policy', 'a name or an object', JSON.stringify(policy))
  const given = policy as Partial<Record<string, unknown>>
  if (typeof given.name !== 'string' || given.name === '')
    refuse('name of a policy', 'non-empty text', JSON.stringify(given.name))
  const fields = entryOf(FIELDS, given.kind)
  if (fields === undefined)
    refuse(`kind of policy "${given.name}"`, Object.keys(FIELDS).join(', '), JSON.stringify(given.kind))
  const extra = Object.keys(given).find((field) => !fields.includes(field))
  if (extra !== undefined) refuse(`policy "${given.name}"`, `an object with ${fields.join(', ')}`, `"${extra}"`)
  if (!fields.includes('options')) return given as unknown as PolicySpec
  if (typeof given.options !== 'object' || given.options === null)
    refuse(`options of policy "${given.name}"`, 'an object', JSON.stringify(given.options))
  const sees = given.sees ?? 'world'
  if (sees !== 'world' && sees !== 'truth' && sees !== 'none')
    refuse(`sees of policy "${given.name}"`, '"world", "truth" or "none"', JSON.stringify(sees))
  const { audit } = given
  if (audit !== undefined && !(typeof audit === 'number' && audit > 0 && audit <= 1))
    refuse(`audit of policy "${given.name}"`, 'in (0, 1]', JSON.stringify(audit))
  if (given.kind === 'squarecb' && !(typeof given.scale === 'number' && given.scale >= 0)) {
    refuse(`scale of policy "${given.name}"`, 'a number >= 0', JSON.stringify(given.scale))
  }
  return { ...given, sees } as unknown as PolicySpec
}

function refuse(field: string, rule: string, value: string | undefined): never {
  throw new PrimoError('invalid-option', `${field} must be ${rule}, got ${value ?? 'nothing'}`, { field, value })
}
