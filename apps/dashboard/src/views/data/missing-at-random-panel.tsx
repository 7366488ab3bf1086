// Whether values are missing at random given the context, and how far the seen ones stand for the missing ones; by covariate.

import type { ProblemSummary } from '@primo/contract'
import { figure, percent, whole } from '../../charts/number-format.js'
import { Card } from '../../components/card.js'
import { CutName } from '../../components/cut-name.js'
import { Term } from '../../components/tooltip.js'
import { type LearntEpoch, newestDiagnosis } from '../learning/learnt.js'

interface MissingAtRandomPanelProps {
  readonly summary: ProblemSummary
  readonly epochs: readonly LearntEpoch[]
}

const SAID = {
  'not-tested': 'not tested yet',
  'not-rejected': 'no evidence against it',
  rejected: 'rejected',
} as const

type Row = readonly [name: string, meaning: string, value: string]

export function MissingAtRandomPanel({ summary, epochs }: MissingAtRandomPanelProps) {
  const diagnosis = newestDiagnosis(epochs)
  const of = (state: keyof typeof SAID) =>
    (diagnosis?.covariates ?? []).flatMap(({ covariate, missingAtRandom }) =>
      missingAtRandom === state ? [covariate] : [],
    )
  const rejected = of('rejected')
  const title =
    rejected.length > 0
      ? `${rejected.join(' and ')}: whether it is missing depends on the value itself`
      : of('not-rejected').length > 0
        ? `No sign that ${of('not-rejected').join(' or ')} is missing because of its value`
        : 'Whether values are missing because of what they are is not tested yet'
  return (
    <Card id="missing-at-random" title={title} note="Learning relies on seen values standing for the missing ones.">
      {diagnosis === null ? (
        <p className="quiet small">The first report comes with the first policy that was learnt.</p>
      ) : (
        diagnosis.covariates.map((one) => (
          <div key={one.covariate} className="scroll">
            <table>
              <caption>
                <CutName name={one.covariate} />
              </caption>
              <tbody>
                {rowsOf(one, summary.covariates[one.covariate]?.audit).map(([name, meaning, value]) => (
                  <tr key={name}>
                    <th scope="row">
                      <Term meaning={meaning}>{name}</Term>
                    </th>
                    <td>{value}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        ))
      )}
    </Card>
  )
}

type Diagnosed = NonNullable<ReturnType<typeof newestDiagnosis>>['covariates'][number]

function rowsOf(
  { missingAtRandom, overlap, known, observation, audit }: Diagnosed,
  asked: { readonly asked: number; readonly answered: number } | undefined,
): readonly Row[] {
  const unknown = 'not known'
  return [
    [
      'missing at random',
      'Given the context, whether the value is missing does not depend on the value. Tested with audited values.',
      SAID[missingAtRandom],
    ],
    [
      'chance of being seen',
      'How often the value is seen in a context, over the contexts. Where it is close to zero, corrections are guesses.',
      overlap === null
        ? unknown
        : `at least ${percent(overlap.smallest)}, in half of the contexts ${percent(overlap.quantiles[3] ?? 0)} or more`,
    ],
    [
      'seen values that count',
      'As many seen values would say as much if each context were seen equally often.',
      overlap === null ? unknown : `${whole(overlap.effectiveRows)} of ${whole(known)}`,
    ],
    [
      'almost never seen',
      'Share of contexts whose chance of being seen is taken as its minimum.',
      overlap === null ? unknown : percent(overlap.shareAtFloor),
    ],
    [
      'predictable',
      'Whether the context tells that the value will be missing: 0.5 not at all, 1 always (AUC).',
      observation?.auc == null ? unknown : figure(observation.auc),
    ],
    [
      'audit',
      'Some of the missing values, drawn with known probabilities, whose truth is asked for.',
      asked === undefined || asked.asked === 0
        ? 'asks for nothing'
        : `${whole(asked.answered)} of ${whole(asked.asked)} truths came back${audit?.test ? `; they ${audit.test.rejected ? 'differ from' : 'agree with'} what seen values say${audit.test.eValue === undefined ? '' : ` (evidence ${figure(audit.test.eValue)}, enough at 125)`}` : ''}`,
    ],
    ...(audit?.limits == null ? [] : [errorRow(audit.limits)]),
  ]
}

/** The sentence about the models on missing values, in the covariate's units. */
function errorRow({ used, drift }: NonNullable<NonNullable<Diagnosed['audit']>['limits']>): Row {
  const sentence =
    used.low > 0
      ? 'decisions used values that were too low'
      : used.high < 0
        ? 'decisions used values that were too high'
        : 'no mean error of the values used is seen'
  return [
    'error where missing',
    'Mean of the truth minus the value that decisions used, over all missing values. The limits hold however often you look.',
    `${sentence}: between ${figure(used.low)} and ${figure(used.high)}${drift?.changed === true ? `; the model itself has changed since decision ${whole(drift.from)}` : ''}`,
  ]
}
