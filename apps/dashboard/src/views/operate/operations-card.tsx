// What an operator can do now, each with what it changes. What the key's role may not do is greyed and says why.

import type { ProblemInfo, ProblemSummary } from '@primo/contract'
import { type ReactNode, useState } from 'react'
import { useWhyNot } from '../../access.js'
import { post, problemPath, send } from '../../api/service.js'
import { Button } from '../../components/button.js'
import { Card } from '../../components/card.js'
import { Dialog } from '../../components/dialog.js'
import { playBaseline } from './play-baseline.js'
import type { Operation } from './use-operation.js'

interface OperationsCardProps {
  readonly info: ProblemInfo
  readonly summary: ProblemSummary
  readonly operation: Operation
}

type Asked = 'baseline' | 'retire' | null

export function OperationsCard({ info, summary, operation }: OperationsCardProps) {
  const { problem, mode, learning } = summary
  const { guards, actions } = info.definition
  const [asked, setAsked] = useState<Asked>(null)
  const unless = useWhyNot('admin')
  const { busy, run } = operation
  const frozen = mode === 'frozen'
  const killed = guards?.kill === true
  const baseline = guards?.baseline ?? actions[0]
  const close = () => setAsked(null)
  const policy = learning.policyVersion === 0 ? 'choosing at random' : `policy ${learning.policyVersion}`
  return (
    <Card
      id="operations"
      title={
        killed
          ? `“${baseline}” is played every time`
          : frozen
            ? `Frozen: ${policy} decides`
            : mode === 'shadow'
              ? 'In shadow: decisions are recorded, not played'
              : `Learning; ${policy} decides`
      }
      note={
        learning.failures > 0
          ? `${learning.failures} fits failed in a row: ${learning.lastFailure}`
          : learning.fitting
            ? 'A new policy is being fitted.'
            : 'Each operation takes effect at once and stands in the list below.'
      }
    >
      {frozen ? (
        <Line
          what="Resume learning"
          why="The newest policy decides, and learning goes on."
          button={
            <Button
              kind="primary"
              busy={busy}
              unless={unless}
              onClick={() =>
                run(() => post(problemPath(problem, '/unfreeze')), 'Learning goes on from the newest policy.')
              }
            >
              Resume learning
            </Button>
          }
        />
      ) : (
        <Line
          what="Freeze"
          why="The policy stays as it is. Decisions and rewards are still recorded, and learnt from when you resume."
          button={
            <Button
              icon="freeze"
              busy={busy}
              unless={unless}
              onClick={() => run(() => post(problemPath(problem, '/freeze')), `Frozen: ${policy} stays as it is.`)}
            >
              Freeze
            </Button>
          }
        />
      )}
      {killed ? (
        <Line
          what="Let the policy decide again"
          why="What was learnt is still there."
          button={
            <Button
              kind="primary"
              busy={busy}
              unless={unless}
              onClick={() => run(() => playBaseline(problem, false), 'The policy decides again.')}
            >
              Let the policy decide
            </Button>
          }
        />
      ) : (
        <Line
          what="Play the baseline now"
          why={`Every decision is “${baseline}” until you take it back. What was learnt is kept.`}
          button={
            <Button icon="warning" busy={busy} unless={unless} onClick={() => setAsked('baseline')}>
              Play the baseline now
            </Button>
          }
        />
      )}
      <Line
        what="Retire"
        why="It decides no more and leaves the lists. Its log stays and can be read."
        button={
          <Button kind="danger" icon="trash" busy={busy} unless={unless} onClick={() => setAsked('retire')}>
            Retire
          </Button>
        }
      />
      {asked === 'baseline' ? (
        <Dialog
          title={`Play “${baseline}” every time?`}
          action="Play the baseline now"
          danger
          busy={busy}
          onClose={close}
          onAction={() =>
            void run(() => playBaseline(problem, true), `“${baseline}” is played every time.`).then(close)
          }
        >
          <p>From the next decision on, whatever the context. Nothing that was learnt is lost.</p>
        </Dialog>
      ) : null}
      {asked === 'retire' ? (
        <Dialog
          title={`Retire ${problem}?`}
          action="Retire it"
          danger
          busy={busy}
          onClose={close}
          onAction={() =>
            void run(() => send('DELETE', problemPath(problem)), `${problem} is retired.`).then((done) => {
              close()
              if (done) location.hash = '#/'
            })
          }
        >
          <p>
            Whoever asks it for a decision is refused. This cannot be taken back; a problem of the same name would begin
            anew.
          </p>
        </Dialog>
      ) : null}
    </Card>
  )
}

interface LineProps {
  readonly what: string
  readonly why: string
  readonly button: ReactNode
}

function Line({ what, why, button }: LineProps) {
  return (
    <div className="row spread operation">
      <div>
        <b>{what}</b>
        <p className="quiet small">{why}</p>
      </div>
      {button}
    </div>
  )
}
