// What it would be worth to see the covariates always, or more often (two propensities: p for actions, e for observation).
// With s_i = d_i + w_i (r_i - q_i) the doubly robust score of row i, b_i = 1 where every covariate was seen, e(x) = P(b = 1 | x)
// and m(x) = E[s | x, b = 1], both cross-fitted, under MAR
//   ips   V_always = mean of b/e * w r                     weight 1/(e p): both propensities
//   dr    V_always = mean of m + c b/e (s - m), c = n / sum b/e
// and V_now = mean of s over all rows, where missing values are imputed as the policy would. Seeing a share h of the values that
// are now missing gives V_now + h (V_always - V_now). Where b = 1 the policy already sees z, so nothing else is needed.

import {
  type CrossFit,
  crossFit,
  influenceInterval,
  type MissingTable,
  Observed,
  unsupportedBy,
} from '@primo/core/engine'
import { BLOCK_ROUNDS, type Random } from '@primo/numeric'
import type { EvaluatedPolicy } from './evaluate-policy.js'
import type { EvaluationLog } from './evaluation-log.js'
import { type EvaluationInterval, estimateOf, type ValueEstimate } from './intervals.js'

/** What seeing the covariates always, or more often, would be worth to a policy. */
export interface ValueOfObserving {
  readonly policy: string
  readonly observedShare: number
  /** Value as things are. */
  readonly now: ValueEstimate
  /** Value if nothing were missing; by ips, and doubly robust. */
  readonly always: { readonly ips: ValueEstimate; readonly dr: ValueEstimate }
  /** V_always - V_now per decision, doubly robust, paired; without an interval where too little is seen (`unsupported`). */
  readonly gain: {
    readonly value: number
    readonly standardError: number
    readonly asymptotic: EvaluationInterval | null
  }
  /** Why there is no interval; null: there is one. */
  readonly unsupported: string | null
  /** The gain if this share of the missing values were seen. */
  readonly gainAt: readonly { readonly share: number; readonly gain: number }[]
  /** Smallest e-hat and effective rows of 1/e. */
  readonly overlap: { readonly smallest: number; readonly effectiveRows: number }
}

export interface ObservingOptions {
  readonly random: Random
  /** Default 5. */
  readonly folds?: number
}

/** Who sees what in a log: the same for every policy. */
export interface ObservationFit {
  readonly table: MissingTable
  readonly nuisances: CrossFit
}

/** null where nothing or everything is missing. */
export function fitObserving(log: EvaluationLog, options: ObservingOptions): ObservationFit | null {
  const table = missingTable(log)
  const seen = table.observed.reduce((sum, b) => sum + b, 0)
  if (seen === 0 || seen === table.observed.length) return null
  const { random, folds = 5 } = options
  return { table, nuisances: crossFit(table, { random: random.split('observing'), folds }) }
}

/** null where the policy was evaluated without a reward model. */
export function valueOfObserving(
  { table, nuisances }: ObservationFit,
  { terms, evaluation }: EvaluatedPolicy,
): ValueOfObserving | null {
  const scores = terms.get('dr')?.top
  const plain = terms.get('ips')?.top
  if (scores === undefined || plain === undefined) return null
  const rows = table.observed.length
  const seen = table.observed.reduce((sum, b) => sum + b, 0)
  const { probabilities } = nuisances
  const { fitted: regression } = nuisances.regression(scores)
  const { level } = evaluation
  const weight = probabilities.map((e, i) => table.observed[i]! / e)
  const total = weight.reduce((sum, w) => sum + w, 0)
  const square = weight.reduce((sum, w) => sum + w * w, 0)
  const always = regression.map((m, i) => m + ((rows * weight[i]!) / total) * (scores[i]! - m))
  const difference = always.map((value, i) => value - scores[i]!)
  const gain = difference.reduce((sum, value) => sum + value, 0) / rows
  const centred = difference.map((value) => value - gain)
  const { standardError, lower, upper } = influenceInterval(gain, centred, { level, scale: 'linear' })
  const unsupported = unsupportedBy(table.observed, probabilities)
  return {
    policy: evaluation.policy,
    observedShare: seen / rows,
    now: estimateOf({ top: scores, bottom: null, bounds: null }, level),
    always: {
      ips: estimateOf({ top: plain.map((value, i) => weight[i]! * value), bottom: null, bounds: null }, level),
      dr: estimateOf({ top: always, bottom: null, bounds: null }, level),
    },
    gain: { value: gain, standardError, asymptotic: unsupported === null ? { low: lower, high: upper } : null },
    unsupported: unsupported?.message ?? null,
    gainAt: [0.25, 0.5, 0.75, 1].map((share) => ({ share, gain: share * gain })),
    overlap: {
      smallest: probabilities.reduce((least, e) => Math.min(least, e), 1),
      effectiveRows: square > 0 ? (total * total) / square : 0,
    },
  }
}

/** Contexts, and whether every covariate was known at the decision. */
function missingTable({ rounds }: EvaluationLog): MissingTable {
  const { contextWidth, covariateCount } = rounds.shape
  const context = new Float64Array(rounds.count * contextWidth)
  const observed = new Uint8Array(rounds.count)
  for (let i = 0; i < rounds.count; i++) {
    const block = rounds.block(i)
    const row = i % BLOCK_ROUNDS
    context.set(block.context.subarray(row * contextWidth, (row + 1) * contextWidth), i * contextWidth)
    let all = 1
    for (let c = 0; c < covariateCount; c++) {
      if (block.observed[row * covariateCount + c] !== Observed.atDecision) all = 0
    }
    observed[i] = all
  }
  return { context, contextWidth, observed }
}
