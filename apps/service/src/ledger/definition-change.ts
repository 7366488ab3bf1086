// What a changed definition keeps of what was learnt, and why not where it does not. Kept: another model of a covariate (only its
// calibration restarts), limits of imputers, fallbacks, guards, mode, activation, retention, reward window and default, audit, minimum
// propensity, labels, actions added at the end, features that grow (core's growth). Other changes start anew.

import type { ProblemDefinition } from '@primo/contract'
import { type Columns, growthOf, sameColumns } from '@primo/core/ledger'
import type { ProblemRow } from './book.js'
import { sameJson } from './canonical-json.js'

/** What a definition does to a problem, with the reasons in sentences. */
export interface DefinitionChange {
  readonly change: 'created' | 'updated' | 'unchanged' | 'grown' | 'recalibrated' | 'renewed' | 'refused'
  /** What stays, and how it grows. */
  readonly kept: readonly string[]
  /** What begins anew, or would, and why. */
  readonly anew: readonly string[]
  /** Covariates with another model. */
  readonly models: readonly string[]
  /** Actions that are new. */
  readonly added: readonly string[]
  /** Whether rounds so far have other columns from here on. */
  readonly columns: boolean
}

const NONE = { kept: [], anew: [], models: [], added: [], columns: false }

/** `renew`: learning may restart. */
export function changeOf(
  row: Pick<ProblemRow, 'definition' | 'retired' | 'name'> | undefined,
  after: ProblemDefinition,
  renew: boolean,
): DefinitionChange {
  if (row === undefined) return { ...NONE, change: 'created' }
  if (row.retired !== null) return { ...NONE, change: 'refused', anew: [`problem "${row.name}" was retired`] }
  const { definition: before } = row
  if (sameJson(inOrder(before), inOrder(after))) return { ...NONE, change: 'unchanged' }
  const { grown, obstacles } = growthOf(before as Columns, after as Columns)
  const anew = [
    ...obstacles,
    ...otherObstacles(before, after).map((what) => `changing ${what} would invalidate what was learnt`),
  ]
  const models = changedModels(before, after)
  if (anew.length > 0) return { ...NONE, change: renew ? 'renewed' : 'refused', anew }
  if (models.length > 0 && renew) return { ...NONE, change: 'renewed', anew: models.map(anotherModel) }
  const added = after.actions.slice(before.actions.length)
  const columns = !sameColumns(before as Columns, after as Columns)
  return {
    change: models.length > 0 ? 'recalibrated' : columns ? 'grown' : 'updated',
    kept: [
      'what was learnt of rewards',
      ...grown,
      ...(columns ? ['the policy decides as before until the next fit, which learns the new columns'] : []),
      ...added.map((action) => `action "${action}" is added; the next fit includes it`),
    ],
    anew: models.map(anotherModel),
    models,
    added,
    columns,
  }
}

function anotherModel(name: string): string {
  return `calibration of ${name}: its model is another one`
}

/** Order matters for context, covariates and levels: columns follow it. */
function inOrder(definition: ProblemDefinition): unknown {
  return {
    ...definition,
    context: Object.entries(definition.context),
    covariates: Object.entries(definition.covariates),
  }
}

/** The imputer without what may change at any time: how long, how often and how many at once it is asked. */
function modelOf(imputer: object): unknown {
  const { limits: _, members, ...kept } = imputer as { limits?: unknown; members?: Readonly<Record<string, object>> }
  if (typeof members !== 'object' || members === null) return kept
  return {
    ...kept,
    members: Object.entries(members).map(([name, member]) => [name, modelOf(member)]),
  }
}

function differ(a: unknown, b: unknown): boolean {
  return !sameJson(a ?? null, b ?? null)
}

/** Covariates whose model is another one. */
function changedModels(before: ProblemDefinition, after: ProblemDefinition): readonly string[] {
  return Object.keys(after.covariates).filter((name) => {
    const old = before.covariates[name]?.imputer
    return old !== undefined && differ(modelOf(old), modelOf(after.covariates[name]!.imputer))
  })
}

/** What else would invalidate what was learnt. */
function otherObstacles(before: ProblemDefinition, after: ProblemDefinition): readonly string[] {
  const found: string[] = []
  for (const [name, { reveals, reasons }] of Object.entries(before.covariates)) {
    const now = after.covariates[name]
    if (now === undefined) continue
    if (differ(reveals, now.reveals)) found.push(`covariates.${name}.reveals`)
    // Their order is that in which they strike.
    if (differ(Object.entries(reasons ?? {}), Object.entries(now.reasons ?? {})))
      found.push(`covariates.${name}.reasons`)
  }
  if (differ(before.actions, after.actions.slice(0, before.actions.length)))
    found.push('actions other than by adding some')
  for (const field of ['min', 'max', 'mean', 'aggregate', 'learnFrom'] as const)
    if (differ(before.reward[field], after.reward[field])) found.push(`reward.${field}`)
  if ((before.reward.window === undefined) !== (after.reward.window === undefined))
    found.push('whether reward has a window')
  const learning = ({ learning: given }: ProblemDefinition) => {
    const { maxEpochAge: _, ...kept } = given ?? {}
    return kept
  }
  if (differ(learning(before), learning(after))) found.push('learning')
  return found
}
