// All problems: what needs attention, the demo's story where there is one, a card for each of a few or a table of many.

import { useComparisons, useSettings } from '../../api/use-settings.js'
import { ButtonLink } from '../../components/button.js'
import { attentionTo } from '../problem/attention.js'
import { AttentionList } from '../problem/attention-list.js'
import { ComparisonView } from '../problem/comparison-view.js'
import { comparisonVerdict, type Verdict } from '../problem/verdict.js'
import { VerdictView } from '../problem/verdict-view.js'
import { earnedVerdict, listedStatus, listedVerdict } from '../sidebar/listed-verdict.js'
import type { ListedProblem } from '../sidebar/use-problems.js'
import { NoProblem } from './no-problem.js'
import { ProblemCard } from './problem-card.js'
import { ProblemTable } from './problem-table.js'
import './overview.css'

const MOST_CARDS = 6

export function Overview({ problems }: { readonly problems: readonly ListedProblem[] }) {
  const expected = useSettings().value?.comparison === true
  const compared = useComparisons().value?.problems ?? []
  const [story] = compared
  const told = problems.find(({ problem }) => problem === story?.problem)
  const attention = problems.flatMap((listed) =>
    attentionTo(listed.summary, listedVerdict(listed, compared)).map((one) => ({
      problem: listed.problem,
      attention: one,
    })),
  )
  if (problems.length === 0) return <NoProblem />
  return (
    <div className="stack">
      <div className="row spread">
        <h1>Good decisions when part of the input is missing</h1>
        <ButtonLink kind="primary" icon="plus" href="#/new">
          New problem
        </ButtonLink>
      </div>
      <AttentionList items={attention} named />
      {story === undefined || told === undefined ? null : (
        <>
          <VerdictView verdict={comparisonVerdict(story, told.summary)} />
          <ComparisonView comparison={story} />
        </>
      )}
      {expected && story === undefined ? (
        <p className="card" role="status">
          The demo is starting and makes its first decisions. Its picture appears in a few seconds.
        </p>
      ) : null}
      {problems.length > MOST_CARDS ? (
        <ProblemTable problems={problems} />
      ) : (
        <div className="problem-cards">
          {problems.map((listed) => (
            <ProblemCard
              key={listed.problem}
              listed={listed}
              status={listedStatus(listed, compared)}
              verdict={listed === told ? beside(earnedVerdict(listed)) : listedVerdict(listed, compared)}
            />
          ))}
        </div>
      )}
    </div>
  )
}

/** Under a sentence that is settled, another one says what is known and not that nothing is settled. */
function beside(verdict: Verdict): Verdict {
  return verdict.tone === 'open' ? { ...verdict, sentence: '' } : verdict
}
