// What rewards say of a covariate where it is missing (method#missing-set), asked of closed rounds in columns. Rewards are compared within
// actions, at contexts that include what the model said and the other covariates as they were used; missing rows of an action
// are weighted by 1 / propensity to stand for all missing rows. At most 2^13 rows or so are asked, in blocks that are spread over all.

import type { MissingSet } from '../bounds/equations.js'
import { categoryLevels } from '../bounds/levels.js'
import { missingSet } from '../bounds/missing-set.js'
import { type AnyCorrection, compileCorrection } from '../calibration/correction.js'
import type { Encoding } from '../problem/encoding.js'
import type { ModelCompiler } from '../regression/function-class.js'
import { blockParts, type RoundRange, spreadParts } from '../rounds/block-parts.js'
import { Observed, RoundStatus, type RoundTable } from '../rounds/round-table.js'

/** The mean of a covariate over rows where it is missing: what rewards allow, and what the correction says. Inside units. */
export interface RewardSet {
  /** 95% and 99% limits; null: no values agree with the rewards, whose noise then depends on what is missing. */
  readonly set: MissingSet
  readonly wide: MissingSet
  /** The range of what was seen. */
  readonly range: { readonly lower: number; readonly upper: number }
  /** The mean of what stands in for it. */
  readonly used: number
  /** Equations behind the set; 0: too few rows, nothing can be said. */
  readonly equations: number
}

export interface RewardSetInput {
  readonly rounds: RoundTable
  readonly memory: RoundRange
  readonly encoding: Encoding
  readonly which: number
  readonly correction: AnyCorrection
  readonly clip: 'range' | 'none'
  /** Of models of a user's class. */
  readonly compile?: ModelCompiler
}

const ASKED_ROWS = 2 ** 13
/** Weights of 1 / propensity end here. */
const LEAST_PROPENSITY = 0.02

/** Of a covariate of one column; null: nothing is missing, or nothing seen. */
export function rewardSet(input: RewardSetInput): RewardSet | null {
  const { rounds, memory, encoding, which, correction, clip, compile } = input
  const { contextWidth: p, covariateWidth: m, covariates, actions } = encoding
  const covariate = covariates[which]!
  const { at, feature } = covariate
  const others = m - 1
  const width = p + 1 + others
  const all = [...blockParts(rounds, memory)]
  const parts = spreadParts(all, ASKED_ROWS, ({ start, end }) => end - start)
  const total = parts.reduce((sum, { start, end }) => sum + end - start, 0)
  const context = new Float64Array(total * width)
  const z = new Float64Array(total)
  const rewards = new Float64Array(total)
  const weights = new Float64Array(total)
  const observed = new Uint8Array(total)
  const played = new Uint16Array(total)
  const correct = compileCorrection(correction, encoding.context, covariate, clip, compile)
  const value = new Float64Array(1)
  let used = 0
  let count = 0
  let missing = 0
  for (const { block, start, end } of parts) {
    for (let row = start; row < end; row++) {
      const pretrained = block.pretrained[row * m + at]!
      if (block.status[row] !== RoundStatus.closed || Number.isNaN(pretrained)) continue
      const seen = block.observed[row * covariates.length + which] === Observed.atDecision
      for (let k = 0; k < p; k++) context[count * width + k] = block.context[row * p + k]!
      for (let k = 0, to = count * width + p; k < m; k++)
        context[to++] = k === at ? pretrained : block.covariates[row * m + k]!
      observed[count] = seen ? 1 : 0
      z[count] = seen ? block.covariates[row * m + at]! : 0
      rewards[count] = block.reward[row]!
      played[count] = block.action[row]!
      weights[count] = 1 / Math.max(LEAST_PROPENSITY, block.propensity[row]!)
      if (!seen) {
        value[0] = pretrained
        correct(block.context, row * p, value, 0)
        used += value[0]!
        missing++
      }
      count++
    }
  }
  if (missing === 0 || missing === count) return null
  const found = missingSet({
    count,
    context,
    contextWidth: width,
    observed,
    covariate: z,
    ...(feature.type === 'number' ? {} : { category: categoryLevels(2), target: Float64Array.of(0, 1) }),
    witnesses: [{ name: 'reward', values: rewards, group: { of: played, count: actions.length }, weights }],
  })
  return { ...found, used: used / missing }
}

/** Whether the 99% limits exclude the mean that is used. */
export function excludes({ set, wide, used }: RewardSet): boolean {
  return set !== null && wide !== null && (used < wide.lower || used > wide.upper)
}
