// Policies on a log that a learning policy made, with answers that hold however often one looks: limits of each one's value and of the
// differences, at all times at once; the policies that may still be best, and the row after which one could have stopped. Beside them an
// interval for the whole log that allows for adaptive propensities.
// All fits look back only: the model and a learnt policy are, in every row, those of the rows before it. The limits are about the mean,
// over the rows so far, of what the policy earns there; for a learnt policy that includes its beginnings.

import type { Interactions } from '@primo/core'
import { Random } from '@primo/numeric'
import type { EvaluationLog } from '../evaluation-log.js'
import type { EvaluationInterval, ValueEstimate } from '../intervals.js'
import { forwardParts } from '../log-parts.js'
import { crossFittedRewards } from '../reward-model.js'
import { type TargetPolicy, targetPropensities } from '../target-policy.js'
import { checkpoints } from './checkpoints.js'
import { DifferenceSequence } from './difference-sequence.js'
import { type JudgedRow, SignedValue } from './signed-value.js'
import { StabilisedValue } from './stabilised-value.js'

/** Which policies are followed along a log, and how. */
export interface AnytimeOptions {
  readonly policies: readonly TargetPolicy[]
  /** Whom the others are compared with; null: what was played, where every propensity is in the log. */
  readonly against?: string | null
  /** Default 0.95. */
  readonly level?: number
  /** Default 0. */
  readonly seed?: number
  /** Products in the reward model's linear class; default 'none'. */
  readonly interactions?: Interactions
}

/** A quantity on a log: limits that hold at all times, and an estimate for the whole log. */
export interface AnytimeLimits {
  /** Of all values at once, and of all differences at once: one is missed ever with probability 1 - level at most. */
  readonly anytime: EvaluationInterval
  /** For the whole log, looked at once; allows for adaptive propensities. */
  readonly atEnd: ValueEstimate
}

/** Limits after some rows. */
export interface AnytimePoint {
  readonly rows: number
  /** In the order of the policies. */
  readonly values: readonly EvaluationInterval[]
  /** In the order of the differences. */
  readonly differences: readonly EvaluationInterval[]
}

/** Policies along a log, with answers that hold however often one looks. */
export interface AnytimeEvaluation {
  readonly level: number
  readonly rows: number
  readonly policies: readonly (AnytimeLimits & { readonly policy: string })[]
  readonly differences: readonly (AnytimeLimits & { readonly policy: string; readonly against: string })[]
  /** Policies that may be best over the rows so far: the one that is is missing ever with probability 1 - level at most. */
  readonly mayBeBest: readonly string[]
  /** Rows since which one policy is left; null: there are still several. */
  readonly decidedAfter: number | null
  /** Limits along the log. */
  readonly path: readonly AnytimePoint[]
}

/** What policies would have earned on an adaptive log, with limits that hold at all times. */
export function evaluateAnytime(log: EvaluationLog, options: AnytimeOptions): AnytimeEvaluation {
  const { policies, against = null, level = 0.95, seed = 0, interactions = 'none' } = options
  const { choices } = log
  const { rows, actions, rewardRange } = choices
  const span = rewardRange.max - rewardRange.min
  const parts = forwardParts(rows)
  const random = Random.fromSeed(seed).split('anytime')
  const model = crossFittedRewards(log, { parts, random: random.split('model'), interactions })
  const targets = policies.map((policy) => targetPropensities(log, policy, { parts, seed }))
  const row = rowReader(log, model)
  const names = policies.map(({ name }) => name)
  const values = policies.map(() => ({ low: new SignedValue(0), high: new SignedValue(0), end: new StabilisedValue() }))
  const complete = choices.propensities !== null && !choices.propensities.some(Number.isNaN)
  const reference = against === null ? null : names.indexOf(against)
  const compared = names.flatMap((_, k) => (k === reference || (reference === null && !complete) ? [] : [k]))
  const differences = compared.map(() => ({
    gain: new DifferenceSequence(actions),
    end: new StabilisedValue({ alike: reference === null }),
  }))
  // duels[j][k]: whether j is better than k.
  const duels = names.map(() => names.map(() => new SignedValue(1)))
  const weights = new Float64Array(actions)
  const alpha = 1 - level
  let left = names.map((_, k) => k)
  let decidedAfter: number | null = names.length === 1 ? 0 : null
  const path: AnytimePoint[] = []
  const looks = checkpoints(rows)
  let look = 0

  const subtract = (one: Float64Array, other: Float64Array | null, judged: JudgedRow, i: number) => {
    for (let a = 0; a < actions; a++) {
      const second = other === null ? judged.propensities[a]! : other[i * actions + a]!
      weights[a] = one[i * actions + a]! - second
    }
  }

  for (let i = 0; i < rows; i++) {
    const { judged, mirrored } = row(i)
    targets.forEach((target, k) => {
      const d = target.subarray(i * actions, (i + 1) * actions)
      values[k]!.low.add(judged, d)
      values[k]!.high.add(mirrored, d)
      values[k]!.end.add(judged, d)
    })
    compared.forEach((k, which) => {
      subtract(targets[k]!, reference === null ? null : targets[reference]!, judged, i)
      differences[which]!.gain.add(judged, weights)
      differences[which]!.end.add(judged, weights)
    })
    targets.forEach((one, j) => {
      targets.forEach((other, k) => {
        if (j === k) return
        subtract(one, other, judged, i)
        duels[j]![k]!.add(judged, weights)
      })
    })
    if (i + 1 !== looks[look]) continue
    look++
    path.push({ rows: i + 1, values: values.map(valueLimits), differences: differences.map(differenceLimits) })
    // Which one is best may change with what policies learn and with the contexts, so nobody is out for good, and all duels must hold.
    const share = alpha / Math.max(1, names.length * (names.length - 1))
    const unbeaten = names.flatMap((_, k) => (duels.some((of, j) => j !== k && of[k]!.lower(share) > 0) ? [] : [k]))
    const same = unbeaten.length === 1 && left.length === 1 && unbeaten[0] === left[0]
    if (unbeaten.length > 0 && !same) {
      left = unbeaten
      decidedAfter = left.length === 1 ? i + 1 : null
    }
  }

  function valueLimits({ low, high }: { low: SignedValue; high: SignedValue }): EvaluationInterval {
    return {
      low: rewardRange.min + span * low.lower(alpha / 2 / names.length),
      high: rewardRange.max - span * high.lower(alpha / 2 / names.length),
    }
  }

  function differenceLimits({ gain }: { gain: DifferenceSequence }): EvaluationInterval {
    const { low, high } = gain.limits(alpha / 2 / compared.length)
    return { low: span * low, high: span * high }
  }

  return {
    level,
    rows,
    policies: values.map((value, k) => ({
      policy: names[k]!,
      anytime: valueLimits(value),
      atEnd: inUnits(value.end.estimate(level), rewardRange.min, span),
    })),
    differences: differences.map((difference, which) => ({
      policy: names[compared[which]!]!,
      against: against ?? 'logged',
      anytime: differenceLimits(difference),
      atEnd: inUnits(difference.end.estimate(level), 0, span),
    })),
    mayBeBest: left.map((k) => names[k]!),
    decidedAfter,
    path,
  }
}

/** A row for the sums, and the same with reward and model counted from the other end. */
function rowReader({ choices }: EvaluationLog, model: Float64Array) {
  const { actions, action, propensity, propensities, reward, rewardRange } = choices
  const span = rewardRange.max - rewardRange.min
  const unknown = new Float64Array(actions).fill(Number.NaN)
  const scaled = new Float64Array(actions)
  const other = new Float64Array(actions)
  return (i: number): { readonly judged: JudgedRow; readonly mirrored: JudgedRow } => {
    for (let a = 0; a < actions; a++) {
      scaled[a] = Math.min(1, Math.max(0, (model[i * actions + a]! - rewardRange.min) / span))
      other[a] = 1 - scaled[a]!
    }
    const judged = {
      action: action[i]!,
      reward: (reward[i]! - rewardRange.min) / span,
      propensity: propensity[i]!,
      propensities: propensities === null ? unknown : propensities.subarray(i * actions, (i + 1) * actions),
      model: scaled,
    }
    return { judged, mirrored: { ...judged, reward: 1 - judged.reward, model: other } }
  }
}

function inUnits({ value, standardError, degrees, asymptotic }: ValueEstimate, from: number, span: number) {
  return {
    value: from + span * value,
    standardError: span * standardError,
    degrees,
    asymptotic: asymptotic === null ? null : { low: from + span * asymptotic.low, high: from + span * asymptotic.high },
  }
}
