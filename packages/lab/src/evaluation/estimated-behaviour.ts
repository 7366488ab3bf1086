// An evaluation of a log without propensities, by the estimated ones of the class of behaviour models with the smallest held-out loss.
// Intervals are those of an estimate by fitted propensities (behaviour-influence.ts), widened by the classes that the held-out rows cannot
// tell from the best: half -> sqrt(half^2 + d^2), d the largest change that one of them makes. What no class can see is not in them.

import { BLOCK_ROUNDS } from '@primo/numeric'
import { behaviourInfluence } from './behaviour-influence.js'
import { type BehaviourModel, behaviourModel, type FittedBehaviour } from './behaviour-model.js'
import { behaviourClasses } from './behaviour-scores.js'
import type { PolicyDifference } from './compare-policies.js'
import { type EvaluateLogOptions, evaluateLog, type LogEvaluation } from './evaluate-log.js'
import type { EvaluationLog } from './evaluation-log.js'
import { type EvaluationInterval, studentEstimate } from './intervals.js'

/** An evaluation by estimated propensities, and the model behind them. */
export interface BehaviourEvaluation {
  readonly evaluation: LogEvaluation
  readonly behaviour: BehaviourModel
}

/** Standard errors of the difference of held-out losses below which two classes are not told apart. */
const TOLD_APART = 2

/** What other policies would have earned, from a log whose propensities are estimated. */
export function evaluateByBehaviour(log: EvaluationLog, options: EvaluateLogOptions): BehaviourEvaluation {
  const { seed = 0, folds = 5, onProgress } = options
  const fits = behaviourClasses(log).map((kind) => behaviourModel(log, { class: kind, seed, folds }))
  const best = fits.reduce((least, one) => (one.model.loss < least.model.loss ? one : least))
  const asGood = [best, ...fits.filter((one) => one !== best && !toldApart(one, best))]
  const [main, ...others] = asGood.map((one, k) =>
    evaluateLog(withPropensities(log, one), {
      ...options,
      // Limits that hold at all times need the propensities that were played.
      interval: 'fixed',
      adjust: behaviourInfluence(log.choices, one),
      ...(k === 0 ? {} : { observing: false, replicates: 0 }),
      ...(onProgress === undefined ? {} : { onProgress: (share) => onProgress((k + share) / asGood.length) }),
    }),
  )
  return {
    evaluation: widened(main!, others),
    behaviour: { ...best.model, rivals: asGood.slice(1).map(({ model }) => model.class) },
  }
}

function toldApart({ losses }: FittedBehaviour, best: FittedBehaviour): boolean {
  const excess = losses.map((loss, i) => loss - best.losses[i]!)
  const mean = excess.reduce((sum, value) => sum + value, 0) / excess.length
  const { standardError } = studentEstimate(
    mean,
    excess.map((value) => value - mean),
    0.95,
  )
  return mean > TOLD_APART * standardError
}

/** The log as if these propensities had been logged; its rounds are given them too. */
function withPropensities(log: EvaluationLog, { propensities }: FittedBehaviour): EvaluationLog {
  const { choices, rounds } = log
  const { rows, actions, action } = choices
  const propensity = Float64Array.from({ length: rows }, (_, i) => propensities[i * actions + action[i]!]!)
  for (let i = 0; i < rows; i++) rounds.block(i).propensity[i % BLOCK_ROUNDS] = propensity[i]!
  return { ...log, choices: { ...choices, propensity, propensities } }
}

function widened(main: LogEvaluation, others: readonly LogEvaluation[]): LogEvaluation {
  const farthest = (value: number, of: (other: LogEvaluation) => number | undefined) =>
    others.reduce((most, other) => Math.max(most, Math.abs((of(other) ?? value) - value)), 0)
  const wider = <I extends EvaluationInterval | null>(found: I, value: number, by: number): I =>
    (found === null
      ? null
      : { low: value - Math.hypot(value - found.low, by), high: value + Math.hypot(found.high - value, by) }) as I
  return {
    ...main,
    policies: main.policies.map((policy, k) => ({
      ...policy,
      estimates: policy.estimates.map((one) => {
        const by = farthest(
          one.value,
          ({ policies }) => policies[k]!.estimates.find(({ estimator }) => estimator === one.estimator)?.value,
        )
        return {
          ...one,
          asymptotic: wider(one.asymptotic, one.value, by),
          bootstrap: wider(one.bootstrap, one.value, by),
        }
      }),
    })),
    differences: main.differences.map((one): PolicyDifference => {
      const same = (two: PolicyDifference) => two.policy === one.policy && two.estimator === one.estimator
      const by = farthest(one.difference, ({ differences }) => differences.find(same)?.difference)
      return { ...one, asymptotic: wider(one.asymptotic, one.difference, by) }
    }),
  }
}
