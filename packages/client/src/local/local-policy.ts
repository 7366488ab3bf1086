// A policy document made ready to decide: the functions of core that the service itself decides with.

import type { PolicyDocument } from '@primo/contract'
import type { Code } from '@primo/core'
import {
  createGuardedDecider,
  type Engine,
  type EpochState,
  type GuardedDecider,
  hashOfPolicy,
  type ServedProblem,
  servedEngine,
} from '@primo/core/engine'

/** A policy that decides in this process. */
export interface LocalPolicy {
  readonly document: PolicyDocument
  readonly engine: Engine
  readonly decider: GuardedDecider
  /** Whether anything was learnt. */
  readonly learnt: boolean
}

/** Throws for an incomplete document or another format. Reuses the engine of `before` for the same definition. */
export function readPolicy(
  document: PolicyDocument,
  code: readonly Code[] = [],
  before: LocalPolicy | null = null,
): LocalPolicy {
  if (document.format !== 2)
    throw new Error(
      `the policy has format ${document.format}, this client reads 2: use client and service of one version`,
    )
  if (hashOfPolicy(document) !== document.hash) throw new Error('the policy document is not whole')
  const definition = document.definition as unknown as ServedProblem
  const same = before !== null && definitionOf(before.document) === definitionOf(document)
  const engine = same ? before.engine : servedEngine(definition, code)
  const state = document.state as unknown as EpochState
  const decider = createGuardedDecider({ definition, engine, state, root: document.key })
  return { document, engine, decider, learnt: state.rewardModel !== null }
}

function definitionOf({ problem, policy }: PolicyDocument): string {
  return `${problem} ${policy.replace(/^[^.]*\.[^.]*\./, '')}`
}
