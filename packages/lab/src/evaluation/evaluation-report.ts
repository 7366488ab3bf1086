// An evaluation as tables and a picture, for the terminal and for the HTML report that studies have too.

import { formatEstimate, formatInterval, formatNumber, levelText } from '../report/number-format.js'
import { seriesStyles } from '../report/series-style.js'
import type { StudyPlot, StudyResult, StudyTable } from '../report/study.js'
import { studyDotPlot } from '../report/study-dot-plot.js'
import { textTable } from '../report/text-table.js'
import { anytimeTables } from './anytime/anytime-text.js'
import type { BehaviourModel } from './behaviour-model.js'
import { behaviourFacts, behaviourPlots, behaviourTables } from './behaviour-report.js'
import type { LogEvaluation } from './evaluate-log.js'
import { FEWEST_DEGREES } from './evaluate-policy.js'
import { evaluationConclusion, headline } from './evaluation-conclusion.js'
import type { EvaluationInterval } from './intervals.js'
import { missingRewardTables } from './missing-reward-limits.js'
import { readableEvaluation, TOO_FEW } from './readable-evaluation.js'

/** An evaluation as tables. */
export function evaluationTables(evaluation: LogEvaluation): readonly StudyTable[] {
  const { policies, differences, against, observing, level, missingRewards, limits, anytime, few } =
    readableEvaluation(evaluation)
  const percent = levelText(level)
  return [
    ...(anytime === null ? [] : anytimeTables(anytime, few)),
    {
      title: 'Value per decision',
      header: ['policy', 'estimator', 'value', `${percent} interval`, 'bootstrap', 'Bernstein', 'effective rows'],
      rows: policies.flatMap(({ policy, estimates, weights }) => [
        ...(few.has(policy)
          ? [[policy, '-', TOO_FEW, '-', '-', '-', Math.round(weights.effectiveRows).toLocaleString('en')]]
          : []),
        ...estimates.map(
          ({ estimator, value, standardError, asymptotic, degrees, bootstrap, bernstein, threshold }) => [
            policy,
            threshold === undefined ? estimator : `${estimator} (M = ${formatNumber(threshold)})`,
            asymptotic === null ? formatNumber(value, 4) : formatEstimate({ mean: value, standardError }),
            asymptotic !== null && degrees < FEWEST_DEGREES ? `${interval(asymptotic)} !` : interval(asymptotic),
            interval(bootstrap),
            interval(bernstein),
            estimator === 'direct' ? '-' : Math.round(weights.effectiveRows).toLocaleString('en'),
          ],
        ),
      ]),
    },
    {
      title: `Difference from ${against}, paired`,
      header: ['policy', 'estimator', 'difference', `${percent} interval`],
      rows: [
        ...differences.map(({ policy, estimator, difference, standardError, asymptotic }) => [
          policy,
          estimator,
          asymptotic === null ? formatNumber(difference, 3) : formatEstimate({ mean: difference, standardError }),
          interval(asymptotic),
        ]),
        ...[...few].filter((policy) => policy !== against).map((policy) => [policy, '-', TOO_FEW, '-']),
      ],
    },
    ...(missingRewards === undefined ? [] : missingRewardTables(missingRewards, limits ?? [])),
    ...(observing.length === 0
      ? []
      : [
          {
            title:
              'What seeing the covariates always would add, per decision (values missing at random given the context)',
            header: ['policy', 'observed now', 'value now', 'value if always seen', 'gain', `${percent} interval`],
            rows: observing.map(({ policy, observedShare, now, always, gain, unsupported }) => [
              policy,
              `${(100 * observedShare).toFixed(1)}%`,
              formatEstimate({ mean: now.value, standardError: now.standardError }),
              formatEstimate({ mean: always.dr.value, standardError: always.dr.standardError }),
              formatEstimate({ mean: gain.value, standardError: gain.standardError }),
              unsupported === null ? interval(gain.asymptotic) : `none: ${unsupported}`,
            ]),
          },
        ]),
  ]
}

function interval(found: EvaluationInterval | null): string {
  return found === null ? '-' : formatInterval([found.low, found.high])
}

function sentences({ policies, warnings }: LogEvaluation): readonly string[] {
  const own = policies.flatMap(({ policy, warnings: found }) =>
    found.map(({ code, sentence }) => ({ code, sentence, policy })),
  )
  // What is wrong with the log itself is said once.
  const shared = own.filter(({ code }, k) => LOG_CODES.has(code) && own.findIndex((one) => one.code === code) === k)
  return [
    ...warnings.map(({ sentence }) => sentence),
    ...shared.map(({ sentence }) => sentence),
    ...own.filter(({ code }) => !LOG_CODES.has(code)).map(({ policy, sentence }) => `${policy}: ${sentence}`),
  ]
}

const LOG_CODES: ReadonlySet<string> = new Set(['small-propensities', 'propensities-disagree', 'not-uniform'])

function summary(evaluation: LogEvaluation): string {
  const { rows, actions, logged, leftOut } = evaluation
  const unused = Object.values(leftOut).reduce((sum, count) => sum + count, 0)
  const value = formatEstimate({ mean: logged.value, standardError: logged.standardError })
  return `${rows.toLocaleString('en')} decisions among ${actions.length} actions${unused > 0 ? ` (${unused.toLocaleString('en')} more cannot be used)` : ''}; what was played earned ${value} per decision.`
}

/** An evaluation for the terminal. */
export function evaluationText(evaluation: LogEvaluation): string {
  const found = sentences(evaluation)
  const conclusion = evaluationConclusion(evaluation)
  return [
    ...(conclusion === null ? [] : [conclusion]),
    summary(evaluation),
    ...evaluationTables(evaluation)
      .filter(({ rows }) => rows.length > 0)
      .map(({ title, header, rows }) => `${title}\n\n${textTable(header, rows)}`),
    ...(evaluation.policies.some(({ estimates }) => estimates.some(({ estimator }) => estimator === 'direct'))
      ? ['direct has no interval: its error is that of the reward model, which its rows do not show.']
      : []),
    ...(found.length > 0 ? [found.map((sentence) => `! ${sentence}`).join('\n')] : []),
  ].join('\n\n')
}

function differencePlots(evaluation: LogEvaluation): readonly StudyPlot[] {
  const { differences, against, level } = readableEvaluation(evaluation)
  const estimator = headline(differences)
  const shown = differences.flatMap((one) =>
    one.estimator === estimator && one.asymptotic !== null ? [{ ...one, asymptotic: one.asymptotic }] : [],
  )
  if (shown.length === 0) return []
  const styles = seriesStyles(shown.map(({ policy }) => policy))
  return [
    studyDotPlot({
      title: `Value per decision less that of ${against}`,
      subtitle: `${estimator}, paired, with ${levelText(level)} intervals`,
      xLabel: 'difference',
      less: 'worse',
      more: 'better',
      whole: true,
      rows: shown.map(({ policy, difference, standardError, asymptotic }) => ({
        name: policy,
        color: styles.get(policy)!.color,
        seeds: [],
        estimate: { mean: difference, standardError, interval: [asymptotic.low, asymptotic.high] },
      })),
    }),
  ]
}

/** The same as the result of a study, whose report it shares. */
export function evaluationResult(evaluation: LogEvaluation, behaviour: BehaviourModel | null = null): StudyResult {
  const { level, seed, folds, rows } = evaluation
  const differences = differencePlots(evaluation)
  return {
    settings: { rows, level, folds, seed },
    tables: [
      ...evaluationTables(evaluation),
      ...(behaviour === null ? [] : [behaviourFacts(behaviour), ...behaviourTables(behaviour)]),
      { title: 'Warnings', header: ['warning'], rows: sentences(evaluation).map((sentence) => [sentence]) },
    ].filter((table) => table.rows.length > 0),
    plots: [...differences, ...(behaviour === null ? [] : behaviourPlots(behaviour))],
    verdicts: [],
    conclusion: [
      evaluationConclusion(evaluation),
      summary(evaluation),
      behaviour === null
        ? null
        : 'Propensities are estimated: what chose the actions and is not in the log is not accounted for.',
    ]
      .filter((text) => text !== null)
      .join(' '),
  }
}
