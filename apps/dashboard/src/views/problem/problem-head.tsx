// The head of a problem: status, the four figures, what needs attention, whether the page is live.

import type { Trend } from '@primo/contract'
import type { LiveSummary } from '../../api/use-live-summary.js'
import { RangePicker } from '../../charts/range-picker.js'
import type { TimeRange } from '../../charts/time-range.js'
import { ButtonLink } from '../../components/button.js'
import { Dot, Pill } from '../../components/pill.js'
import { problemHref } from '../../route.js'
import { attentionTo } from './attention.js'
import { AttentionList } from './attention-list.js'
import { HeadFigures } from './head-figures.js'
import { statusOf } from './problem-status.js'
import type { Verdict } from './verdict.js'

interface ProblemHeadProps {
  readonly problem: string
  /** The action that is played without Primo. */
  readonly baseline: string | null
  readonly live: LiveSummary
  /** Null until it is known. */
  readonly verdict: Verdict | null
  /** Whether the difference to the baseline is more than noise. */
  readonly settled: boolean
  readonly trend: Trend | null
  /** Whether figures and range belong to what is shown. */
  readonly figures: boolean
  readonly range: TimeRange
  readonly onRange: (range: TimeRange) => void
}

export function ProblemHead(props: ProblemHeadProps) {
  const { problem, baseline, live, verdict, settled, trend, figures, range, onRange } = props
  const { summary } = live
  const status = summary === null || verdict === null ? null : statusOf(summary, verdict)
  return (
    <div className="page-head">
      <div className="row spread">
        <div className="row name-row">
          <h1>{problem}</h1>
          {status === null ? null : live.connected ? (
            <Pill status={status.status}>{status.word}</Pill>
          ) : (
            <Pill status="idle">last seen: {status.word}</Pill>
          )}
          <span className="live" role="status" title={live.why}>
            <Dot
              status={live.connected ? 'good' : 'bad'}
              label={live.connected ? 'connected' : 'not connected, retrying'}
            />
            {live.connected ? 'live' : 'not connected, retrying'}
          </span>
        </div>
        <div className="row">
          {figures && summary !== null && summary.decisions > 0 ? (
            <RangePicker value={range} now={Date.now()} onChange={onRange} />
          ) : null}
          <ButtonLink href={problemHref(problem, 'try')} icon="play">
            Try a decision
          </ButtonLink>
        </div>
      </div>
      {summary?.mode === 'frozen' ? (
        <p className="banner frozen" role="status">
          Learning is frozen:{' '}
          {summary.learning.policyVersion === 0
            ? 'every action is equally likely'
            : `policy ${summary.learning.policyVersion} decides`}{' '}
          and nothing changes it. <a href={problemHref(problem, 'operate')}>Resume under Operate</a>
        </p>
      ) : null}
      {summary === null || summary.decisions === 0 || !figures ? null : (
        <HeadFigures summary={summary} trend={trend} baseline={baseline} settled={settled} />
      )}
      {summary === null || verdict === null ? null : (
        <AttentionList items={attentionTo(summary, verdict).map((attention) => ({ problem, attention }))} />
      )}
    </div>
  )
}
