// Many problems: one row each, sortable.

import { figure, percent, whole } from '../../charts/number-format.js'
import { Card } from '../../components/card.js'
import { CutName } from '../../components/cut-name.js'
import { Pill } from '../../components/pill.js'
import { Sparkline } from '../../components/sparkline.js'
import { type Column, Table } from '../../components/table.js'
import { problemHref } from '../../route.js'
import { statusOf } from '../problem/problem-status.js'
import { trendValues } from '../problem/trend-values.js'
import { earnedVerdict } from '../sidebar/listed-verdict.js'
import type { ListedProblem } from '../sidebar/use-problems.js'

const ORDER = ['bad', 'warn', 'frozen', 'learning', 'idle', 'good']

const missingOf = ({ summary }: ListedProblem): number | null => {
  const shares = Object.values(summary.covariates).flatMap(({ missingShare }) => missingShare ?? [])
  return shares.length === 0 ? null : Math.max(...shares)
}
/** Only where it is more than noise. */
const gainOf = (listed: ListedProblem): number | null => {
  const { reward, baseline } = listed.trend.hour
  return reward === null || baseline === null || earnedVerdict(listed).tone === 'open' ? null : reward - baseline
}
const backOf = ({ summary: { decisions, closed } }: ListedProblem): number | null =>
  decisions === 0 ? null : closed / decisions

const orNone = (value: number | null, show: (value: number) => string, none = 'none yet') =>
  value === null ? <span className="quiet">{none}</span> : show(value)

const COLUMNS: readonly Column<ListedProblem>[] = [
  {
    name: 'problem',
    cell: ({ problem }) => (
      <a href={problemHref(problem)}>
        <CutName name={problem} />
      </a>
    ),
    by: ({ problem }) => problem,
  },
  {
    name: 'status',
    cell: (listed) => {
      const { status, word } = statusOf(listed.summary, earnedVerdict(listed))
      return <Pill status={status}>{word}</Pill>
    },
    by: (listed) => ORDER.indexOf(statusOf(listed.summary, earnedVerdict(listed)).status),
  },
  {
    name: 'reward over time',
    wide: true,
    cell: ({ trend }) => <Sparkline values={trendValues(trend, ({ reward }) => reward)} width={96} />,
  },
  {
    name: 'reward, last hour',
    cell: ({ trend }) => orNone(trend.hour.reward, figure),
    by: ({ trend }) => trend.hour.reward,
    number: true,
  },
  {
    name: 'against baseline',
    cell: (listed) =>
      orNone(
        gainOf(listed),
        (gain) => `${gain >= 0 ? '+' : '−'}${figure(Math.abs(gain))}`,
        listed.summary.decisions === 0 ? 'none yet' : 'no verdict yet',
      ),
    by: gainOf,
    number: true,
  },
  { name: 'missing', cell: (listed) => orNone(missingOf(listed), percent), by: missingOf, number: true },
  { name: 'rewards back', cell: (listed) => orNone(backOf(listed), percent), by: backOf, number: true },
  {
    name: 'decisions',
    cell: ({ summary }) => <span data-figure="decisions">{whole(summary.decisions)}</span>,
    by: ({ summary }) => summary.decisions,
    number: true,
  },
]

export function ProblemTable({ problems }: { readonly problems: readonly ListedProblem[] }) {
  return (
    <Card id="problems" title={`${problems.length} problems`}>
      <Table caption="All problems" columns={COLUMNS} rows={problems} rowKey={({ problem }) => problem} />
    </Card>
  )
}
