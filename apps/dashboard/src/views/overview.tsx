// All problems, and the demo's picture where a comparison is known.

import type { Comparisons, PageSettings, ProblemInfo, ProblemSummary } from '@primo/contract'
import { useResource } from '../api/resource.js'
import { get, problemPath } from '../api/service.js'
import { figure, percent, whole } from '../charts/number-format.js'
import { Facts } from '../panels/panel.js'
import { ComparisonView } from './comparison-view.js'
import { Failure } from './failure.js'

const EVERY = 1500

interface Overviewed {
  readonly problems: readonly { readonly info: ProblemInfo; readonly summary: ProblemSummary }[]
  readonly comparisons: Comparisons | null
}

async function load(signal: AbortSignal): Promise<Overviewed> {
  const settings = await get<PageSettings>('/page/settings', signal)
  const [{ problems }, comparisons] = await Promise.all([
    get<{ problems: ProblemInfo[] }>('/v1/problems/', signal),
    settings.comparison ? get<Comparisons>('/demo/comparison', signal) : null,
  ])
  const active = problems.filter(({ retired }) => retired === null)
  const summaries = await Promise.all(
    active.map(({ problem }) => get<ProblemSummary>(problemPath(problem, '/summary'), signal)),
  )
  return { problems: active.map((info, i) => ({ info, summary: summaries[i]! })), comparisons }
}

export function Overview() {
  const { value, failure, reload } = useResource('overview', load, EVERY)
  return (
    <>
      <h1>Good decisions when part of the input is missing</h1>
      {failure === null ? null : <Failure failure={failure} onRetry={reload} />}
      {value === null ? (
        failure === null ? (
          <p role="status">Loading the problems of this service.</p>
        ) : null
      ) : (
        <div className="grid">
          {value.comparisons?.problems.map((comparison) => (
            <ComparisonView key={comparison.problem} comparison={comparison} />
          ))}
          {value.comparisons !== null && value.comparisons.problems.length === 0 ? (
            <p className="card wide" role="status">
              The shadow baselines are being computed; the picture will appear in a few seconds.
            </p>
          ) : null}
          {value.problems.map(({ info, summary }) => (
            <ProblemCard key={info.problem} info={info} summary={summary} />
          ))}
          {value.problems.length === 0 ? <NoProblem /> : null}
        </div>
      )}
    </>
  )
}

function ProblemCard({ info, summary }: { readonly info: ProblemInfo; readonly summary: ProblemSummary }) {
  const { problem, definition } = info
  const shares = Object.entries(summary.covariates)
  return (
    <section className="card" aria-labelledby={`${problem}-card`}>
      <h2 id={`${problem}-card`}>
        <a href={`#/problems/${problem}`}>{problem}</a> <span className="chip">{summary.mode}</span>
      </h2>
      <p className="small quiet">
        {definition.actions.length} actions: {definition.actions.slice(0, 6).join(', ')}
        {definition.actions.length > 6 ? ' and more' : ''}
      </p>
      <Facts
        facts={[
          [
            'decisions',
            <span key="decisions" data-figure="decisions">
              {whole(summary.decisions)}
            </span>,
          ],
          ['with reward', summary.decisions === 0 ? 'none yet' : percent(summary.closed / summary.decisions)],
          ['mean reward', summary.reward.mean === null ? 'none yet' : figure(summary.reward.mean)],
          ['policy', summary.learning.policyVersion === 0 ? 'uniform' : `version ${summary.learning.policyVersion}`],
          ...shares.map(
            ([name, { missingShare }]) =>
              [`${name} missing`, missingShare === null ? 'none yet' : percent(missingShare)] as const,
          ),
        ]}
      />
    </section>
  )
}

function NoProblem() {
  return (
    <section className="card wide">
      <h2>No problem is defined yet</h2>
      <p>Define one, then decide. This page shows it as soon as it exists.</p>
      <pre className="scroll small">{`curl -X PUT ${location.origin}/v1/problems/dose -H 'content-type: application/json' -d '{
  "context": {"age": {"type": "number", "min": 18, "max": 95}},
  "covariates": {"genotype": {"type": "number", "min": 0, "max": 2, "imputer": {"kind": "constant", "value": 1}}},
  "actions": ["low", "high"], "reward": {"min": 0, "max": 1}}'`}</pre>
      <p>
        Or watch it learn: <code>npx @primo/cli demo</code>.
      </p>
    </section>
  )
}
