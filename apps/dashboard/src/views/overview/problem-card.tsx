// One problem on the overview: its state, its sentence, three figures.

import { percent, whole } from '../../charts/number-format.js'
import { CutName } from '../../components/cut-name.js'
import { Facts } from '../../components/facts.js'
import { Pill } from '../../components/pill.js'
import { Sparkline } from '../../components/sparkline.js'
import { problemHref } from '../../route.js'
import type { ProblemStatus } from '../problem/problem-status.js'
import { trendValues } from '../problem/trend-values.js'
import { inWords, type Verdict } from '../problem/verdict.js'
import type { ListedProblem } from '../sidebar/use-problems.js'

interface ProblemCardProps {
  readonly listed: ListedProblem
  readonly status: ProblemStatus
  /** Another one than is said above the cards. */
  readonly verdict: Verdict
}

export function ProblemCard({
  listed,
  status: { status, word },
  verdict: { tone, sentence, detail },
}: ProblemCardProps) {
  const { problem, summary, trend } = listed
  return (
    <section className="card problem-card" aria-labelledby={`${problem}-card`}>
      <h2 id={`${problem}-card`}>
        <a href={problemHref(problem)}>
          <CutName name={problem} />
        </a>
        <Pill status={status}>{word}</Pill>
      </h2>
      <p className="small">
        {sentence} {tone === 'open' ? detail : ''}
      </p>
      <Sparkline values={trendValues(trend, ({ reward }) => reward)} width={300} height={36} fill />
      <Facts
        facts={[
          [
            'decisions',
            <span key="decisions" data-figure="decisions">
              {whole(summary.decisions)}
            </span>,
          ],
          ['rewards back', summary.decisions === 0 ? 'none yet' : percent(summary.closed / summary.decisions)],
          ...Object.entries(summary.covariates).map(
            ([name, { missingShare }]) =>
              [`${inWords(name)} missing`, missingShare === null ? 'none yet' : percent(missingShare)] as const,
          ),
        ]}
      />
    </section>
  )
}
