// The audit: for some of the missing values of a covariate the caller is asked to find out the truth. Whether a decision is asked follows from
// the probability of asking there (ask-probability.ts) and a draw that is a function of (seed, covariate, decision id), so it says
// nothing about the value, the action or the reward, and a replay asks the same questions.

import { compileDraws, deriveKey, drawOfRound, type RandomKey } from '@primo/numeric'
import { type AskProbability, compileAskProbability } from '../engine/ask-probability.js'
import type { Engine } from '../engine/engine.js'
import type { EpochState } from '../engine/epoch-state.js'
import { compileValueOfObserving, type ValueOfObserving } from '../engine/value-of-observing.js'
import { askProbabilityOf, Observed, type RoundBlock } from '../rounds/round-table.js'

/** A draw in [0, 1) by covariate and decision id. */
export interface AuditDraws {
  readonly ofId: (which: number, id: string) => number
  /** The same for the id of a round that has no id of its own: its number, counted from 1. */
  readonly ofRound: (which: number, number: number) => number
}

/** The draws that decide which missing values are asked for. */
export function auditDraws({ encoding }: Engine, root: RandomKey): AuditDraws {
  const keys = encoding.covariates.map(({ name }) => deriveKey(root, 'audit', name))
  const draws = keys.map(compileDraws)
  return {
    ofId: (which, id) => draws[which]!(id),
    ofRound: (which, number) => drawOfRound(keys[which]!, number),
  }
}

/** Asks on a decided row: marks it, and returns the probability of asking; 0: not asked. */
export type Asker = (which: number, draw: number, block: RoundBlock, row: number, eligible?: Int32Array) => number

/** null: no covariate is audited. */
export function compileAsker(
  engine: Engine,
  state: EpochState,
  observing: () => ValueOfObserving | null = lazily(() => compileValueOfObserving(engine, state)),
): Asker | null {
  const probability: AskProbability | null = compileAskProbability(engine, state, observing)
  if (probability === null) return null
  const { shape, encoding } = engine
  return (which, draw, block, row, eligible) => {
    const at = row * shape.covariateCount + which
    if (block.observed[at] !== Observed.missing) return 0
    const share = probability(which, block, row, eligible)
    if (!(draw < share)) return 0
    block.observed[at] = Observed.asked
    if (encoding.covariates[which]!.feature.audit!.budget !== undefined) askProbabilityOf(block, shape)[at] = share
    return share
  }
}

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
