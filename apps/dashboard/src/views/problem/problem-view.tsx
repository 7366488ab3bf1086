// One problem: its head, its tabs, live. Each tab is loaded when it is first opened.

import type { Epochs, ProblemInfo, Trend } from '@primo/contract'
import { lazy, Suspense, useMemo, useRef, useState } from 'react'
import { hashOf, useAddress, useAddressState } from '../../address.js'
import { useResource } from '../../api/resource.js'
import { get, problemPath } from '../../api/service.js'
import { useHistory } from '../../api/use-history.js'
import { useLiveSummary } from '../../api/use-live-summary.js'
import { useComparisons } from '../../api/use-settings.js'
import { ChartGroup } from '../../charts/chart-group.js'
import { whole } from '../../charts/number-format.js'
import { historyRangeOf, rangeFromText, rangeText, shownPart, type TimeRange } from '../../charts/time-range.js'
import { Tabs } from '../../components/tabs.js'
import { isTab, type Place, problemHref, tabs } from '../../route.js'
import { Failure } from '../failure.js'
import { learntEpochs } from '../learning/learnt.js'
import { NotFound } from '../not-found.js'
import { BaselineBanner } from '../operate/baseline-banner.js'
import { ProblemHead } from './problem-head.js'
import { comparisonVerdict, valueVerdict } from './verdict.js'

const OverviewTab = lazy(async () => ({ default: (await import('../overview/overview-tab.js')).OverviewTab }))
const LearningTab = lazy(async () => ({ default: (await import('../learning/learning-tab.js')).LearningTab }))
const DataTab = lazy(async () => ({ default: (await import('../data/data-tab.js')).DataTab }))
const DecisionsTab = lazy(async () => ({ default: (await import('../decisions/decisions-tab.js')).DecisionsTab }))
const EvaluateTab = lazy(async () => ({ default: (await import('../evaluate/evaluate-tab.js')).EvaluateTab }))
const OperateTab = lazy(async () => ({ default: (await import('../operate/operate-tab.js')).OperateTab }))
const EditProblem = lazy(async () => ({ default: (await import('../define/define-view.js')).EditProblem }))
const FirstSteps = lazy(async () => ({ default: (await import('../define/first-steps.js')).FirstSteps }))
const TryView = lazy(async () => ({ default: (await import('../try/try-view.js')).TryView }))

const PLACES = {
  overview: OverviewTab,
  learning: LearningTab,
  data: DataTab,
  decisions: DecisionsTab,
  evaluate: EvaluateTab,
  operate: OperateTab,
  try: TryView,
  edit: EditProblem,
} as const

const NAMES = {
  overview: 'Overview',
  learning: 'Learning',
  data: 'Data',
  decisions: 'Decisions',
  evaluate: 'Evaluate',
  operate: 'Operate',
} as const

interface ProblemViewProps {
  readonly problem: string
  readonly place: Place
  readonly id: string | null
  readonly trend: Trend | null
}

/** Where a problem without decisions has nothing to show. */
const NEEDS_DECISIONS: readonly Place[] = ['overview', 'learning', 'decisions', 'evaluate']

export function ProblemView({ problem, place, id, trend }: ProblemViewProps) {
  const { query } = useAddress()
  const [rangeGiven, setRangeGiven] = useAddressState<string>('range', 'all')
  const chosen = useMemo(() => rangeFromText(rangeGiven), [rangeGiven])
  const choose = (next: TimeRange) => setRangeGiven(rangeText(next))
  // What zooming out comes back to.
  const before = useRef<TimeRange>({ kind: 'all' })
  if (chosen.kind !== 'custom') before.current = chosen
  const range = historyRangeOf(chosen, Date.now())
  const [turn, setTurn] = useState(0)
  const live = useLiveSummary(problem, turn)
  const info = useResource(`info ${problem}`, (signal) => get<ProblemInfo>(problemPath(problem), signal))
  const history = useHistory(problem, range)
  const epochs = useResource(`epochs ${problem} ${live.policies} ${turn}`, (signal) =>
    get<Epochs>(problemPath(problem, '/epochs'), signal),
  )
  // While the next list is on its way the last one stays.
  const [kept, setKept] = useState<{ problem: string; epochs: Epochs } | null>(null)
  if (epochs.value !== null && kept?.epochs !== epochs.value) setKept({ problem, epochs: epochs.value })
  const shown = epochs.value ?? (kept?.problem === problem ? kept.epochs : null)
  const learnt = useMemo(() => (shown === null ? [] : learntEpochs(shown)), [shown])
  const reload = () => {
    setTurn((count) => count + 1)
    info.reload()
    history.reload()
  }
  const failure = info.failure ?? history.failure ?? epochs.failure
  const { summary } = live
  // A range in which nothing happened does not know it.
  const value = history.value?.buckets.at(-1)?.value ?? trend?.value ?? null
  const compared = useComparisons().value?.problems.find((one) => one.problem === problem)
  const earned =
    info.value === null || summary === null || history.value === null
      ? null
      : valueVerdict(info.value.definition, summary, value)
  const verdict =
    earned === null || summary === null || compared === undefined ? earned : comparisonVerdict(compared, summary)
  if (info.failure?.code === 'unknown-problem') return <NotFound what={`problem “${problem}”`} />
  const View = PLACES[place]
  const carried = { range: query.range ?? '' }
  return (
    <>
      <ProblemHead
        problem={problem}
        baseline={info.value?.definition.guards?.baseline ?? null}
        live={live}
        verdict={verdict}
        settled={earned !== null && earned.tone !== 'open'}
        trend={trend}
        figures={isTab(place)}
        range={chosen}
        onRange={choose}
      />
      <Tabs
        label={`Parts of ${problem}`}
        tabs={tabs.map((tab) => ({
          name: NAMES[tab],
          href: hashOf({ path: problemHref(problem, tab).slice(1), query: carried }),
          here: tab === place,
        }))}
      />
      <div style={{ height: 16 }} />
      {failure === null ? null : <Failure failure={failure} onRetry={reload} />}
      {summary === null || info.value === null || history.value === null || verdict === null ? (
        failure === null ? (
          <p role="status">Loading {problem}.</p>
        ) : null
      ) : (
        <>
          <BaselineBanner info={info.value} />
          {history.value.complete || !isTab(place) ? null : (
            <p className="note small" role="status">
              The log is still being read ({whole(history.value.upTo)} records so far); the curves below will grow.
            </p>
          )}
          <ChartGroup
            range={shownPart(chosen)}
            onRange={(part) => choose(part === null ? before.current : { kind: 'custom', ...part })}
          >
            <Suspense fallback={<p role="status">Loading.</p>}>
              {summary.decisions === 0 && NEEDS_DECISIONS.includes(place) ? (
                <FirstSteps info={info.value} />
              ) : (
                <View
                  problem={problem}
                  info={info.value}
                  summary={summary}
                  history={history.value}
                  range={range}
                  epochs={learnt}
                  verdict={verdict}
                  id={id}
                  reload={reload}
                />
              )}
            </Suspense>
          </ChartGroup>
        </>
      )}
    </>
  )
}
