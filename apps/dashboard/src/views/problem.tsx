// One problem: its panels, live.

import type { Epochs, History, HistoryRange, ProblemInfo } from '@primo/contract'
import { useMemo, useState } from 'react'
import { useResource } from '../api/resource.js'
import { get, problemPath } from '../api/service.js'
import { figure, moment, whole } from '../charts/number-format.js'
import { ActionsPanel } from '../panels/actions-panel.js'
import { CalibrationPanel } from '../panels/calibration-panel.js'
import { CostPanel } from '../panels/cost-panel.js'
import { EpochsPanel } from '../panels/epochs-panel.js'
import { JoinsPanel } from '../panels/joins-panel.js'
import { LatencyPanel } from '../panels/latency-panel.js'
import { learntEpochs } from '../panels/learnt.js'
import { MissingAtRandomPanel } from '../panels/missing-at-random-panel.js'
import { MissingPanel } from '../panels/missing-panel.js'
import { Facts, Panel } from '../panels/panel.js'
import { ValuePanel } from '../panels/value-panel.js'
import { Failure } from './failure.js'
import { useLiveSummary } from './use-live-summary.js'

const HISTORY_EVERY = 2500
const RANGES: readonly (readonly [HistoryRange, string])[] = [
  ['recent', 'last 15 minutes'],
  ['day', 'last 24 hours'],
  ['all', 'all time'],
]

export function Problem({ problem }: { readonly problem: string }) {
  const [range, setRange] = useState<HistoryRange>('all')
  const [turn, setTurn] = useState(0)
  const live = useLiveSummary(problem, turn)
  const info = useResource(`info ${problem} ${turn}`, (signal) => get<ProblemInfo>(problemPath(problem), signal))
  const history = useResource(
    `history ${problem} ${range} ${turn}`,
    (signal) => get<History>(problemPath(problem, `/history?range=${range}`), signal),
    HISTORY_EVERY,
  )
  const epochs = useResource(`epochs ${problem} ${live.policies} ${turn}`, (signal) =>
    get<Epochs>(problemPath(problem, '/epochs'), signal),
  )
  // While the next list is on its way the last one stays.
  const [kept, setKept] = useState<{ problem: string; epochs: Epochs } | null>(null)
  if (epochs.value !== null && kept?.epochs !== epochs.value) setKept({ problem, epochs: epochs.value })
  const shown = epochs.value ?? (kept?.problem === problem ? kept.epochs : null)
  const learnt = useMemo(() => (shown === null ? [] : learntEpochs(shown)), [shown])
  const reload = () => setTurn((count) => count + 1)
  const failure = info.failure ?? history.failure ?? epochs.failure
  const { summary } = live
  const times = learnt.filter(({ current }) => current).map(({ time }) => time)
  return (
    <>
      <div className="row spread">
        <h1>{problem}</h1>
        <div className="row">
          <span className={`live small${live.connected ? '' : ' off'}`} role="status" title={live.why}>
            {live.connected ? 'live' : 'not connected, retrying'}
          </span>
          <label className="small">
            Time range{' '}
            <select value={range} onChange={(event) => setRange(event.target.value as HistoryRange)}>
              {RANGES.map(([value, name]) => (
                <option key={value} value={value}>
                  {name}
                </option>
              ))}
            </select>
          </label>
        </div>
      </div>
      {failure === null ? null : <Failure failure={failure} onRetry={reload} />}
      {summary === null || info.value === null || history.value === null ? (
        failure === null ? (
          <p role="status">Loading {problem}.</p>
        ) : null
      ) : (
        <>
          <Facts
            facts={[
              [
                'decisions',
                <span key="decisions" data-figure="decisions">
                  {whole(summary.decisions)}
                </span>,
              ],
              [
                'closed',
                <span key="closed" data-figure="closed">
                  {whole(summary.closed)}
                </span>,
              ],
              [
                'mean reward',
                <span key="mean" data-figure="mean" title={String(summary.reward.mean)}>
                  {summary.reward.mean === null ? 'none yet' : figure(summary.reward.mean)}
                </span>,
              ],
              ['mode', summary.mode],
              [
                'policy',
                <span key="policy" data-figure="policy">
                  {summary.learning.policyVersion}
                </span>,
              ],
              ['epoch', summary.learning.epoch],
              ['gamma', figure(summary.learning.gamma)],
            ]}
          />
          {history.value.complete ? null : (
            <p className="note small" role="status">
              The log is still being read ({whole(history.value.upTo)} records so far); the curves below will grow.
            </p>
          )}
          <div className="grid">
            <ValuePanel definition={info.value.definition} history={history.value} epochs={times} />
            <ActionsPanel
              summary={summary}
              history={history.value}
              actions={info.value.definition.actions}
              epochs={times}
            />
            <MissingPanel summary={summary} history={history.value} />
            <CalibrationPanel definition={info.value.definition} epochs={learnt} />
            <CostPanel
              history={history.value}
              epochs={learnt}
              rewardRange={rangeOf(info.value.definition.reward.mean ?? info.value.definition.reward)}
            />
            <MissingAtRandomPanel summary={summary} epochs={learnt} />
            <JoinsPanel summary={summary} history={history.value} />
            <LatencyPanel />
            <LatestPanel problem={problem} latest={history.value.latest} />
            <EpochsPanel summary={summary} epochs={learnt} onChanged={reload} />
          </div>
        </>
      )}
    </>
  )
}

function rangeOf({ min, max }: { readonly min: number; readonly max: number }): number {
  return max - min
}

/** (9) The way to the explorer. */
function LatestPanel({ problem, latest }: { readonly problem: string; readonly latest: History['latest'] }) {
  return (
    <Panel
      id="latest"
      title={latest.length === 0 ? 'No decision yet' : `Decision ${whole(latest[0]!.round)} was the newest`}
      note={
        <>
          Open one to see it explained, or <a href={`#/problems/${problem}/decisions`}>look one up by its id</a>.
        </>
      }
    >
      <div className="scroll">
        <table>
          <thead>
            <tr>
              <th scope="col">decision</th>
              <th scope="col">when</th>
              <th scope="col">action</th>
              <th scope="col">missing</th>
            </tr>
          </thead>
          <tbody>
            {latest.slice(0, 8).map(({ decisionId, round, time, action, missing }) => (
              <tr key={decisionId}>
                <td>
                  <a href={`#/problems/${problem}/decisions/${encodeURIComponent(decisionId)}`}>{whole(round)}</a>
                </td>
                <td>{moment(time)}</td>
                <td>{action}</td>
                <td>{missing.join(', ') || 'nothing'}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Panel>
  )
}
