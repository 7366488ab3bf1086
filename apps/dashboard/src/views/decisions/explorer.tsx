// One decision, explained: what was asked and missing, what each model said, scores, propensities, the drawn action, and how
// the choice would change along the covariate's range.

import type { DecisionExplained } from '@primo/contract'
import type { ReactNode } from 'react'
import { useResource } from '../../api/resource.js'
import { get, problemPath } from '../../api/service.js'
import { bare, figure, moment, percent, whole } from '../../charts/number-format.js'
import { Card } from '../../components/card.js'
import { Facts } from '../../components/facts.js'
import { Failure } from '../failure.js'
import { usedOutside } from '../learning/calibration-findings.js'
import { rewardWords, sourceWords } from './decision-words.js'
import { Neighbours } from './neighbours.js'
import { SweepView } from './sweep-view.js'

export function Explorer({ problem, id }: { readonly problem: string; readonly id: string }) {
  const { value, failure, reload } = useResource(
    `${problem} ${id}`,
    (signal) => get<DecisionExplained>(problemPath(problem, `/decisions/${encodeURIComponent(id)}`), signal),
    5000,
  )
  if (failure !== null || value === null)
    return (
      <>
        <Neighbours problem={problem} id={id} round={null} />
        {failure === null ? <p role="status">Loading the decision.</p> : <Failure failure={failure} onRetry={reload} />}
      </>
    )
  const { request, reply, round, time, status, reward, revealed, sweep, bounds = {}, imported } = value
  const missing = Object.entries(reply.covariates).filter(([, { status: how }]) => how !== 'observed')
  const given = Object.entries(request.covariates ?? {})
  const missed =
    imported === undefined ? missing.map(([name]) => name) : given.flatMap(([name, to]) => (to === null ? [name] : []))
  const observed: [string, ReactNode][] =
    imported === undefined
      ? Object.entries(reply.covariates).flatMap(([name, { status: how, value: used }]) =>
          how === 'observed' ? [[name, shown(used)]] : [],
        )
      : given.flatMap(([name, to]) => (to === null ? [] : [[name, String(to)]]))
  const propensity = imported === undefined ? reply.propensity : imported.propensity
  return (
    <>
      <Neighbours problem={problem} id={value.decisionId} round={round} />
      <p className="sentence">
        In round {whole(round)} {imported === undefined ? 'Primo' : 'your former system'} played{' '}
        <b data-figure="action">{reply.action}</b>
        {propensity === null ? (
          ', with an unknown probability'
        ) : (
          <>
            {' '}
            with probability <b>{percent(propensity)}</b>
          </>
        )}
        {missed.length === 0 ? ', with everything known' : `, not knowing ${missed.join(' and ')}`}.{' '}
        {reward === null ? (
          status === 'open' ? (
            'Its reward is awaited.'
          ) : (
            `No reward counts: ${rewardWords(status)}.`
          )
        ) : (
          <>
            The reward was <b>{bare(figure(reward))}</b>.
          </>
        )}
      </p>
      <Facts
        facts={[
          ['when', moment(time)],
          ['reward', rewardWords(status)],
          ...(imported === undefined
            ? ([
                ['policy', `version ${reply.policy.version}`],
                ['epoch', reply.policy.epoch],
                ['profile', reply.policy.profile],
                ['holdout', reply.holdout === true ? 'yes: the baseline was played' : 'no'],
              ] as const)
            : ([['made by', 'your former system (imported)']] as const)),
        ]}
      />
      <div className="columns">
        <div className="stack">
          <Card id="context" title="What was known">
            <table>
              <tbody>
                {Object.entries(request.context).map(([name, given]) => (
                  <tr key={name}>
                    <th scope="row">{name}</th>
                    <td>{String(given)}</td>
                  </tr>
                ))}
                {observed.map(([name, used]) => (
                  <tr key={name}>
                    <th scope="row">{name} (observed)</th>
                    <td>{used}</td>
                  </tr>
                ))}
              </tbody>
            </table>
            <p className="small quiet">
              {value.eventId === null ? 'No event id.' : `Event ${value.eventId}.`} Decision {value.decisionId}.
            </p>
          </Card>
          <RewardsCard explained={value} />
        </div>
        <div className="stack">
          {missing.map(([name, use]) => (
            <Card
              key={name}
              id={`covariate-${name}`}
              title={`${name} was missing${use.reason === undefined ? '' : `: ${use.reason}`}; ${shown(use.value)} was used`}
            >
              <table>
                <tbody>
                  <Row name="the model said">{use.pretrained === undefined ? 'nothing' : shown(use.pretrained)}</Row>
                  <Row name={`used (${sourceWords(use.source)})`}>
                    {shown(use.value)}
                    {use.sd === undefined ? '' : ` ± ${figure(use.sd)} (standard deviation)`}
                  </Row>
                  <Row name="true value, known later">
                    {revealed[name] === undefined ? 'not known' : String(revealed[name])}
                  </Row>
                  <Row name="worth of knowing it">
                    {use.valueOfObserving === undefined
                      ? 'not known'
                      : `${figure(use.valueOfObserving)} of reward${use.ask === true ? ', more than its price' : ''}`}
                  </Row>
                  {bounds[name] === undefined ? null : (
                    <Row name="whatever made it missing">
                      <span className="chip">{bounds[name].settled ? 'settled' : 'open'}</span>{' '}
                      {bounds[name].settled
                        ? 'the best action is the same for all that rewards allow'
                        : 'the best action depends on why it is missing'}
                      : a mean of {figure(bounds[name].lower)} to {figure(bounds[name].upper)} where it is missing
                      (used: {figure(bounds[name].used)}
                      {usedOutside({ limits: bounds[name], used: bounds[name].used }) ? ', which lies outside' : ''})
                    </Row>
                  )}
                  <Row name="audit">
                    {use.pleaseReveal === true
                      ? `asked for the truth (probability ${percent(use.revealProbability ?? 1)})`
                      : 'did not ask'}
                  </Row>
                </tbody>
              </table>
            </Card>
          ))}
          {imported !== undefined ? null : (
            <Card
              id="ranking"
              title={bestScore(reply.ranking)}
              note={`Score: predicted reward, 0 the smallest and 1 the largest mean.${missed.length === 0 ? '' : ' Expected over what the missing values may be; the curves below say what each of them would give.'} The action is drawn with these probabilities.`}
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
            </Card>
          )}
        </div>
      </div>
      {Object.entries(sweep).map(([name, points]) => (
        <SweepView key={name} covariate={name} points={points} use={reply.covariates[name]} truth={revealed[name]} />
      ))}
    </>
  )
}

function RewardsCard({ explained: { rewards, reply } }: { readonly explained: DecisionExplained }) {
  return (
    <Card
      id="rewards"
      title={
        rewards.length === 0
          ? 'No reward has been reported yet'
          : `${rewards.length === 1 ? 'One reward was' : `${rewards.length} rewards were`} reported`
      }
    >
      <table>
        <tbody>
          {rewards.map((report) => (
            <tr key={`${report.time}${report.value}`}>
              <td>{moment(report.time)}</td>
              <td className="number">{bare(figure(report.value))}</td>
              <td>{report.answer}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {reply.rewardDeadline === null ? null : (
        <p className="small quiet">The window closes at {moment(reply.rewardDeadline)}.</p>
      )}
    </Card>
  )
}

/** Ties, and scores that are not known yet, have no best. */
export function bestScore(ranking: DecisionExplained['reply']['ranking']): string {
  const [first, second] = ranking
  if (first === undefined || first.score === null) return 'Nothing had been learnt yet: every action was equally likely'
  return second?.score === first.score ? 'Several actions had the same score' : `“${first.action}” had the best score`
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
