// Policies that a log can be asked about, and what each would have done in every logged row. A policy that imputes does so
// as it would have: with its own correction of the logged predictions, seeing only what was seen at the decision.
// A policy learnt from the log itself is, in every row, one that was learnt from other rows; uniform before the first fit.

import type { Snapshot } from '@primo/core'
import {
  compilePolicy,
  createEngine,
  type Engine,
  type EngineOptions,
  type EpochState,
  endEpoch,
  initialState,
  type Policy,
  RoundTable,
  restoreState,
} from '@primo/core/engine'
import { BLOCK_ROUNDS, PrimoError, Random } from '@primo/numeric'
import type { EvaluationLog } from './evaluation-log.js'
import { copyRound, subsetOf } from './folds.js'
import type { LogPart } from './log-parts.js'
import type { LoggedChoices, TargetPropensities } from './logged-choices.js'

/** A policy that a log can be asked about. */
export type TargetPolicy =
  /** Always the same action; where it is not eligible, uniform. */
  | { readonly kind: 'fixed'; readonly name: string; readonly action: string }
  | { readonly kind: 'uniform'; readonly name: string }
  /** Learnt from the log by an engine; `explore` (default false) keeps its exploration, else it plays its best action. */
  | { readonly kind: 'learnt'; readonly name: string; readonly options: EngineOptions; readonly explore?: boolean }
  /** As a saved learner would decide, exploration included. */
  | { readonly kind: 'snapshot'; readonly name: string; readonly snapshot: Snapshot }

export interface TargetOptions {
  readonly parts: readonly LogPart[]
  readonly seed: number
}

/** What a policy would have done in every logged row: rows x actions. */
export function targetPropensities(log: EvaluationLog, policy: TargetPolicy, options: TargetOptions): Float64Array {
  switch (policy.kind) {
    case 'fixed': {
      const action = log.header.actions.indexOf(policy.action)
      if (action < 0) {
        const known = log.header.actions.join(', ')
        throw new PrimoError('unknown-action', `action of a policy must be one of ${known}, got "${policy.action}"`)
      }
      return fixedPropensities(log.choices, action)
    }
    case 'uniform':
      return fixedPropensities(log.choices, -1)
    case 'snapshot': {
      const engine = createEngine(log.problem, policy.snapshot.options)
      const state = restoreState(
        { ...policy.snapshot, rounds: { count: Number.MAX_SAFE_INTEGER, columns: {} } },
        engine,
      )
      const out = new Float64Array(log.choices.rows * log.choices.actions)
      decideRows(log, compilePolicy(engine, state), () => true, out)
      return out
    }
    case 'learnt': {
      const engine = createEngine(
        log.problem,
        policy.explore === true ? policy.options : { ...policy.options, exploration: { kind: 'greedy' } },
      )
      const out = fixedPropensities(log.choices, -1)
      for (const { learns, judges, number } of options.parts) {
        const training = subsetOf(log.rounds, learns)
        const random = Random.fromSeed(options.seed).split('learn', number)
        const state = learntState(engine, training, random)
        decideRows(log, compilePolicy(engine, state), judges, out)
      }
      return out
    }
  }
}

/** What the engine learns from these rounds at once. */
function learntState(engine: Engine, rounds: RoundTable, random: Random): EpochState {
  return endEpoch(initialState(engine.encoding.covariates.length), rounds, engine, rounds.count, random)
}

/** One action (-1: all alike) among those eligible. */
function fixedPropensities({ rows, actions, eligible }: LoggedChoices, action: number): TargetPropensities {
  const out = new Float64Array(rows * actions)
  for (let i = 0; i < rows; i++) {
    const at = i * actions
    const allowed = (a: number) => eligible === null || eligible[at + a] === 1
    if (action >= 0 && allowed(action)) {
      out[at + action] = 1
      continue
    }
    let count = 0
    for (let a = 0; a < actions; a++) if (allowed(a)) count++
    for (let a = 0; a < actions; a++) if (allowed(a)) out[at + a] = 1 / count
  }
  return out
}

/** The policy's propensities for the rows that `keep` says; decided on a copy, as deciding writes. */
function decideRows(log: EvaluationLog, policy: Policy, keep: (row: number) => boolean, out: Float64Array): void {
  const { rounds, choices } = log
  const { rows, actions, eligible } = choices
  const scratch = new RoundTable(rounds.shape)
  scratch.append()
  const block = scratch.blocks[0]!
  for (let i = 0; i < rows; i++) {
    if (!keep(i)) continue
    copyRound(rounds.block(i), i % BLOCK_ROUNDS, block, 0, rounds)
    policy.decide(block, 0, 0, eligible === null ? undefined : eligibleIn(eligible, i, actions))
    out.set(policy.propensities, i * actions)
  }
}

function eligibleIn(eligible: Uint8Array, row: number, actions: number): Int32Array {
  const found: number[] = []
  for (let a = 0; a < actions; a++) if (eligible[row * actions + a] === 1) found.push(a)
  return Int32Array.from(found)
}
