// One decision, explained: what was asked and missing, what each model said, scores, propensities, the drawn action, and how
// the choice would change along the covariate's range.

import type { DecisionExplained } from '@primo/contract'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useResource } from '../api/resource.js'
import { get, problemPath } from '../api/service.js'
import { figure, moment, percent, whole } from '../charts/number-format.js'
import { Facts, Panel } from '../panels/panel.js'
import { Failure } from './failure.js'
import { SweepView } from './sweep-view.js'

interface ExplorerProps {
  readonly problem: string
  readonly id: string | null
}

export function Explorer({ problem, id }: ExplorerProps) {
  return (
    <>
      <p className="small">
        <a href={`#/problems/${problem}`}>{problem}</a>
      </p>
      <h1>One decision, explained</h1>
      <LookUp problem={problem} id={id} />
      {id === null ? (
        <p className="quiet">
          Paste a decision id or an event id; the newest decisions are listed on the problem's page.
        </p>
      ) : (
        <Explained problem={problem} id={id} />
      )}
    </>
  )
}

function LookUp({ problem, id }: ExplorerProps) {
  const [text, setText] = useState(id ?? '')
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() !== '') location.hash = `#/problems/${problem}/decisions/${encodeURIComponent(text.trim())}`
  }
  return (
    <form onSubmit={submit} className="row">
      <label htmlFor="decision">Decision id or event id</label>
      <input id="decision" type="text" size={28} value={text} onChange={(event) => setText(event.target.value)} />
      <button type="submit">Explain</button>
    </form>
  )
}

function Explained({ problem, id }: { readonly problem: string; readonly id: string }) {
  const { value, failure, reload } = useResource(
    `${problem} ${id}`,
    (signal) => get<DecisionExplained>(problemPath(problem, `/decisions/${encodeURIComponent(id)}`), signal),
    5000,
  )
  if (failure !== null) return <Failure failure={failure} onRetry={reload} />
  if (value === null) return <p role="status">Loading the decision.</p>
  const { request, reply, round, time, status, reward, revealed, sweep } = value
  const missing = Object.entries(reply.covariates).filter(([, { status: how }]) => how !== 'observed')
  const missed = missing.map(([name]) => name)
  return (
    <>
      <p className="sentence">
        In round {whole(round)} Primo played <b data-figure="action">{reply.action}</b> with probability{' '}
        <b>{percent(reply.propensity)}</b>
        {missed.length === 0 ? ', with everything known' : `, not knowing ${missed.join(' and ')}`}.{' '}
        {reward === null ? (
          `It is ${status}; no reward counts yet.`
        ) : (
          <>
            The reward was <b>{figure(reward)}</b>.
          </>
        )}
      </p>
      <Facts
        facts={[
          ['when', moment(time)],
          ['status', status],
          ['policy', `version ${reply.policy.version}`],
          ['epoch', reply.policy.epoch],
          ['profile', reply.policy.profile],
          ['holdout', reply.holdout === true ? 'yes: the baseline was played' : 'no'],
        ]}
      />
      <div className="grid">
        <Panel id="context" title="What was known">
          <table>
            <tbody>
              {Object.entries(request.context).map(([name, given]) => (
                <tr key={name}>
                  <th scope="row">{name}</th>
                  <td>{String(given)}</td>
                </tr>
              ))}
              {Object.entries(reply.covariates)
                .filter(([, { status: how }]) => how === 'observed')
                .map(([name, { value: used }]) => (
                  <tr key={name}>
                    <th scope="row">{name} (observed)</th>
                    <td>{shown(used)}</td>
                  </tr>
                ))}
            </tbody>
          </table>
          <p className="small quiet">
            {value.eventId === null ? 'No event id.' : `Event ${value.eventId}.`} Decision {value.decisionId}.
          </p>
        </Panel>
        {missing.map(([name, use]) => (
          <Panel
            key={name}
            id={`covariate-${name}`}
            title={`${name} was missing${use.reason === undefined ? '' : `: ${use.reason}`}; ${shown(use.value)} was used`}
          >
            <table>
              <tbody>
                <Row name="pre-trained model said">
                  {use.pretrained === undefined ? 'nothing' : shown(use.pretrained)}
                </Row>
                <Row name={`used (${use.source})`}>
                  {shown(use.value)}
                  {use.sd === undefined ? '' : ` ± ${figure(use.sd)} (standard deviation)`}
                </Row>
                <Row name="truth, known later">
                  {revealed[name] === undefined ? 'not known' : String(revealed[name])}
                </Row>
                <Row name="worth of observing it">
                  {use.valueOfObserving === undefined ? 'not known' : `${figure(use.valueOfObserving)} of reward`}
                </Row>
                <Row name="audit">
                  {use.pleaseReveal === true
                    ? `asked for the truth (probability ${percent(use.revealProbability ?? 1)})`
                    : 'did not ask'}
                </Row>
              </tbody>
            </table>
          </Panel>
        ))}
        <Panel
          id="ranking"
          title={`"${reply.ranking[0]?.action}" had the best score`}
          note="Score: predicted reward in units of the mean reward's range. The action is drawn with these probabilities."
        >
          <table>
            <thead>
              <tr>
                <th scope="col">action</th>
                <th scope="col" className="number">
                  score
                </th>
                <th scope="col" className="number">
                  probability
                </th>
                <th scope="col">
                  <span className="hidden">bar</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {reply.ranking.map(({ action, score, propensity }) => (
                <tr key={action}>
                  <td>
                    {action} {action === reply.action ? <span className="chip good">drawn</span> : null}
                  </td>
                  <td className="number">{score === null ? 'none yet' : figure(score)}</td>
                  <td className="number">{percent(propensity)}</td>
                  <td>
                    <div className="bar">
                      <span style={{ width: `${100 * propensity}%` }} />
                    </div>
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        </Panel>
        {Object.entries(sweep).map(([name, points]) => (
          <SweepView key={name} covariate={name} points={points} use={reply.covariates[name]} truth={revealed[name]} />
        ))}
        <Panel
          id="rewards"
          title={
            value.rewards.length === 0
              ? 'No reward has been reported yet'
              : `${value.rewards.length === 1 ? 'One reward was' : `${value.rewards.length} rewards were`} reported`
          }
        >
          <table>
            <tbody>
              {value.rewards.map((report) => (
                <tr key={`${report.time}${report.value}`}>
                  <td>{moment(report.time)}</td>
                  <td className="number">{figure(report.value)}</td>
                  <td>{report.answer}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {reply.rewardDeadline === null ? null : (
            <p className="small quiet">The window closes at {moment(reply.rewardDeadline)}.</p>
          )}
        </Panel>
      </div>
    </>
  )
}

function Row({ name, children }: { readonly name: string; readonly children: ReactNode }) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{children}</td>
    </tr>
  )
}

function shown(value: number | Readonly<Record<string, number>>): string {
  if (typeof value === 'number') return figure(value)
  return Object.entries(value)
    .sort(([, a], [, b]) => b - a)
    .map(([level, share]) => `${level} ${percent(share)}`)
    .join(', ')
}
