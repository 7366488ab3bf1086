// An evaluation of a log without propensities: by the estimated ones of the better class of behaviour models, with every interval
// widened at both ends by how far the estimate is from that of the other class. What neither class can see is not in them.

import { BLOCK_ROUNDS } from '@primo/numeric'
import { formatNumber } from '../report/number-format.js'
import { textTable } from '../report/text-table.js'
import { type BehaviourModel, behaviourModel } from './behaviour-model.js'
import type { PolicyDifference } from './compare-policies.js'
import { type EvaluateLogOptions, evaluateLog, type LogEvaluation } from './evaluate-log.js'
import type { EvaluationLog } from './evaluation-log.js'
import type { EvaluationInterval } from './intervals.js'

/** An evaluation by estimated propensities, and the model behind them. */
export interface BehaviourEvaluation {
  readonly evaluation: LogEvaluation
  readonly behaviour: BehaviourModel
}

/** What other policies would have earned, from a log whose propensities are estimated. */
export function evaluateByBehaviour(log: EvaluationLog, options: EvaluateLogOptions): BehaviourEvaluation {
  const { seed = 0, folds = 5, onProgress } = options
  const models = (['linear', 'products'] as const).map((kind) => behaviourModel(log, { class: kind, seed, folds }))
  const [behaviour, other] = models.sort((a, b) => a.loss - b.loss) as [BehaviourModel, BehaviourModel]
  const half = (from: number) =>
    onProgress === undefined ? {} : { onProgress: (share: number) => onProgress(from + share / 2) }
  const main = evaluateLog(withPropensities(log, behaviour), { ...options, ...half(0) })
  const second = evaluateLog(withPropensities(log, other), { ...options, ...half(0.5) })
  return { evaluation: widened(main, second), behaviour }
}

/** The log as if these propensities had been logged; its rounds are given them too. */
function withPropensities(log: EvaluationLog, { propensities }: BehaviourModel): EvaluationLog {
  const { choices, rounds } = log
  const { rows, actions, action } = choices
  const propensity = Float64Array.from({ length: rows }, (_, i) => propensities[i * actions + action[i]!]!)
  for (let i = 0; i < rows; i++) rounds.block(i).propensity[i % BLOCK_ROUNDS] = propensity[i]!
  return { ...log, choices: { ...choices, propensity, propensities } }
}

function widened(main: LogEvaluation, second: LogEvaluation): LogEvaluation {
  const wider = <I extends EvaluationInterval | null>(found: I, by: number): I =>
    (found === null ? null : { low: found.low - by, high: found.high + by }) as I
  return {
    ...main,
    policies: main.policies.map((policy, k) => ({
      ...policy,
      estimates: policy.estimates.map((one, j) => {
        const by = Math.abs(one.value - second.policies[k]!.estimates[j]!.value)
        return {
          ...one,
          asymptotic: wider(one.asymptotic, by),
          bootstrap: wider(one.bootstrap, by),
          bernstein: wider(one.bernstein, by),
        }
      }),
    })),
    differences: main.differences.map((one, k): PolicyDifference => {
      const by = Math.abs(one.difference - second.differences[k]!.difference)
      return { ...one, asymptotic: wider(one.asymptotic, by) }
    }),
  }
}

/** The behaviour model for the terminal. */
export function behaviourText(model: BehaviourModel): string {
  const gain = model.sharesLoss - model.loss
  return [
    `Propensities are estimated (logit, ${model.class}): held-out log loss ${formatNumber(model.loss)}, ${formatNumber(gain)} less than by the actions’ shares; ${(100 * model.clippedShare).toFixed(1)}% of the rows were raised to the minimum, the smallest is ${formatNumber(model.smallest)}. Intervals are wider by what the other class of models would change. Whatever chose the actions and is not in the log is not accounted for.`,
    `Calibration of the estimated propensities\n\n${textTable(
      ['estimated', 'played', 'rows x actions'],
      model.calibration.map(({ predicted, played, count }) => [
        predicted.toFixed(3),
        played.toFixed(3),
        count.toLocaleString('en'),
      ]),
    )}`,
  ].join('\n\n')
}
