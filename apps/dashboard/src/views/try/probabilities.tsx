// The actions as they would be drawn now, beside how they would be if something were known.

import type { DecisionReply, ProblemDefinition } from '@primo/contract'
import { actionColor } from '../../charts/colours.js'
import { figure, percent } from '../../charts/number-format.js'
import { CutName } from '../../components/cut-name.js'

interface ProbabilitiesProps {
  readonly definition: ProblemDefinition
  readonly reply: DecisionReply
  /** What is supposed to be known, and the answer then. */
  readonly supposed: { readonly words: string; readonly reply: DecisionReply } | null
}

export function Probabilities({ definition, reply, supposed }: ProbabilitiesProps) {
  const { actions, labels = {}, reward } = definition
  const { min, max } = reward.mean ?? reward
  const by = ({ ranking }: DecisionReply) => new Map(ranking.map((one) => [one.action, one]))
  const then = supposed === null ? null : by(supposed.reply)
  const learnt = reply.ranking.some(({ score }) => score !== null)
  return (
    <div className="scroll">
      <table className="try-probabilities">
        <thead>
          <tr>
            <th scope="col">action</th>
            <th scope="col" colSpan={2}>
              probability
            </th>
            {supposed === null ? null : (
              <th scope="col" className="number">
                {supposed.words}
              </th>
            )}
            {learnt ? (
              <th scope="col" className="number">
                expected reward
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {reply.ranking.map(({ action, score, propensity }) => {
            const color = actionColor(actions.indexOf(action))
            const other = then?.get(action)?.propensity
            return (
              <tr key={action}>
                <th scope="row">
                  <span className="swatch" style={{ background: color }} />
                  <CutName name={labels[action] ?? action} />
                </th>
                <td className="number" data-action={action}>
                  {percent(propensity)}
                </td>
                <td className="try-bars" aria-hidden="true">
                  <div style={{ width: `${100 * propensity}%`, background: color }} />
                  {other === undefined ? null : (
                    <div className="try-then" style={{ width: `${100 * other}%`, background: color }} />
                  )}
                </td>
                {other === undefined ? null : <td className="number">{percent(other)}</td>}
                {learnt ? <td className="number">{score === null ? '–' : figure(min + (max - min) * score)}</td> : null}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
