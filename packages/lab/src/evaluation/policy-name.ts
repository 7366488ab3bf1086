// Policies for `primo evaluate` by name: fixed:ACTION, uniform, snapshot:FILE (read by the caller), or the name of a policy
// that is learnt from the log itself (primo, primo-cal, robust, greedy:mean, ...).

import type { Interactions, Snapshot } from '@primo/core'
import { PrimoError } from '@primo/numeric'
import { policyByName } from '../policies/catalog.js'
import type { EvaluationLog } from './evaluation-log.js'
import type { TargetPolicy } from './target-policy.js'

export interface PolicyNameOptions {
  /** Learnt policies keep their exploration; default false. */
  readonly explore?: boolean
  readonly interactions?: Interactions
  /** Reads what stands after "snapshot:". */
  readonly readSnapshot?: (path: string) => Snapshot
}

/** A policy to evaluate by its name: `fixed:ACTION`, `uniform`, `snapshot:FILE`, or one that learns from the log. */
export function targetPolicy(
  log: Pick<EvaluationLog, 'header'>,
  name: string,
  options: PolicyNameOptions = {},
): TargetPolicy {
  const { interactions = 'none', explore = false, readSnapshot } = options
  if (name === 'uniform') return { kind: 'uniform', name }
  if (name.startsWith('fixed:')) {
    const action = name.slice('fixed:'.length)
    if (log.header.actions.includes(action)) return { kind: 'fixed', name, action }
    throw refuse(`fixed: with one of the actions ${log.header.actions.join(', ')}`, name)
  }
  if (name.startsWith('snapshot:')) {
    if (readSnapshot === undefined) throw refuse('a policy that needs no file', name)
    return { kind: 'snapshot', name, snapshot: readSnapshot(name.slice('snapshot:'.length)) }
  }
  const covariates = Object.keys(log.header.covariates)
  const products =
    interactions === 'none'
      ? []
      : interactions === 'all'
        ? covariates.flatMap((z) => Object.keys(log.header.context).map((x) => [z, x]))
        : interactions
  const policy = policyByName(name, { actions: log.header.actions.length, covariates, interactions: products })
  if (policy.kind !== 'engine' || policy.sees !== 'world') {
    throw refuse('one that learns from what was observed (primo, primo-cal, robust, igw:mean, ...)', name)
  }
  return { kind: 'learnt', name, options: policy.options, explore }
}

function refuse(rule: string, name: string): PrimoError {
  return new PrimoError('invalid-option', `policy must be ${rule}, got "${name}"`, { field: 'policy', value: name })
}
