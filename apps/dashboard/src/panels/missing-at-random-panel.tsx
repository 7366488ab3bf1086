// (6) The MAR check, overlap e(x), effective sample size, audit.

import type { ProblemSummary } from '@primo/contract'
import { figure, percent, whole } from '../charts/number-format.js'
import { type LearntEpoch, newestDiagnosis } from './learnt.js'
import { Panel } from './panel.js'

interface MissingAtRandomPanelProps {
  readonly summary: ProblemSummary
  readonly epochs: readonly LearntEpoch[]
}

const SAID = {
  'not-tested': 'not tested yet',
  'not-rejected': 'no evidence against it',
  rejected: 'rejected',
} as const

export function MissingAtRandomPanel({ summary, epochs }: MissingAtRandomPanelProps) {
  const diagnosis = newestDiagnosis(epochs)
  const rejected = diagnosis?.covariates.filter(({ missingAtRandom }) => missingAtRandom === 'rejected') ?? []
  const tested = diagnosis?.covariates.some(({ missingAtRandom }) => missingAtRandom !== 'not-tested') ?? false
  const title =
    rejected.length > 0
      ? `${rejected.map(({ covariate }) => covariate).join(' and ')}: whether a value is missing depends on the value itself`
      : tested
        ? 'No evidence against "missing at random given the context"'
        : 'Whether values are missing at random has not been tested yet'
  return (
    <Panel id="missing-at-random" title={title} note="Calibration relies on observed rows standing for missing ones.">
      {diagnosis === null ? (
        <p className="quiet small">The first report appears at the end of the first epoch.</p>
      ) : (
        <div className="scroll">
          {diagnosis.covariates.map((covariate) => {
            const { overlap, guard, audit, observation } = covariate
            const asked = summary.covariates[covariate.covariate]?.audit
            const rows: readonly (readonly [string, string])[] = [
              [
                'missing at random',
                `${SAID[covariate.missingAtRandom]}${guard?.test ? ` (statistic ${figure(guard.test.statistic)}, 1% limit ±2.58)` : ''}`,
              ],
              [
                'overlap e(x)',
                overlap === null
                  ? 'not known'
                  : `smallest ${percent(overlap.smallest)}, 5% quantile ${percent(overlap.quantiles[1] ?? 0)}, median ${percent(overlap.quantiles[3] ?? 0)}`,
              ],
              [
                'effective rows',
                overlap === null
                  ? 'not known'
                  : `${whole(overlap.effectiveRows)} of ${whole(covariate.known)} seen values`,
              ],
              ['at the observation minimum', overlap === null ? 'not known' : percent(overlap.shareAtFloor)],
              [
                'observation predictable',
                observation?.auc == null
                  ? 'not known'
                  : `from the context, AUC ${figure(observation.auc)} (0.5: not at all)`,
              ],
              [
                'audit',
                asked === undefined || asked.asked === 0
                  ? 'asks for nothing'
                  : `${whole(asked.answered)} of ${whole(asked.asked)} truths came back${audit === null ? '' : `; claim ${audit.claim}`}${audit?.test ? `, ${audit.test.rejected ? 'rejects' : 'does not reject'} missing at random` : ''}`,
              ],
            ]
            return (
              <table key={covariate.covariate}>
                <caption className="hidden">Checks of {covariate.covariate}</caption>
                <tbody>
                  {rows.map(([name, value]) => (
                    <tr key={name}>
                      <th scope="row">{name}</th>
                      <td>{value}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )
          })}
        </div>
      )}
      {diagnosis?.warnings.map(({ code, message, covariate }) => (
        <p key={`${code}${covariate ?? ''}`} className="note small">
          {covariate === undefined ? '' : `${covariate}: `}
          {message}
        </p>
      ))}
    </Panel>
  )
}
