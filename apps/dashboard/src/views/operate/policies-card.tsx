// The policies so far, newest first, each with a way back to it.

import type { ProblemSummary } from '@primo/contract'
import { useState } from 'react'
import { useWhyNot } from '../../access.js'
import { post, problemPath } from '../../api/service.js'
import { moment, whole } from '../../charts/number-format.js'
import { Button } from '../../components/button.js'
import { Card } from '../../components/card.js'
import { Dialog } from '../../components/dialog.js'
import { Pill } from '../../components/pill.js'
import { Table } from '../../components/table.js'
import type { LearntEpoch } from '../learning/learnt.js'
import type { Operation } from './use-operation.js'

interface PoliciesCardProps {
  readonly summary: ProblemSummary
  readonly epochs: readonly LearntEpoch[]
  readonly operation: Operation
}

const SHOWN = 50

export function PoliciesCard({ summary, epochs, operation }: PoliciesCardProps) {
  const { problem, learning } = summary
  const [asked, setAsked] = useState<LearntEpoch | null>(null)
  const unless = useWhyNot('admin')
  const current = epochs.filter((one) => one.current).reverse()
  const close = () => setAsked(null)
  return (
    <Card
      id="policies"
      title={current.length === 0 ? 'No policy has been learnt yet' : `${whole(current.length)} policies so far`}
      note={
        current.length === 0
          ? 'The first one appears here; until then every action is played alike.'
          : `The next one comes at ${whole(learning.quota)} decisions${learning.counted === 'closed' ? ' with a reward' : ''}${current.length > SHOWN ? `; the newest ${SHOWN} are shown` : ''}.`
      }
    >
      {current.length === 0 ? null : (
        <div className="tall">
          <Table
            caption="Policies"
            rows={current.slice(0, SHOWN)}
            rowKey={({ version }) => String(version)}
            columns={[
              {
                name: 'policy',
                cell: ({ version, live }) => (
                  <>
                    {version} {live ? <Pill status="good">decides</Pill> : null}
                  </>
                ),
              },
              { name: 'since', wide: true, cell: ({ time }) => moment(time) },
              {
                name: 'decisions learnt from',
                number: true,
                cell: ({ report }) => (report === null ? '' : whole(report.learnt)),
              },
              {
                name: 'roll back',
                hidden: true,
                cell: (one) =>
                  one.live ? null : (
                    <Button small icon="undo" unless={unless} onClick={() => setAsked(one)}>
                      Roll back<span className="hidden"> to policy {one.version}</span>
                    </Button>
                  ),
              },
            ]}
          />
        </div>
      )}
      {asked === null ? null : (
        <Dialog
          title={`Roll back to policy ${asked.version}?`}
          action={`Roll back to ${asked.version}`}
          busy={operation.busy}
          onClose={close}
          onAction={() =>
            void operation
              .run(
                () => post(problemPath(problem, '/rollback'), { version: asked.version }),
                `Policy ${asked.version} decides now; learning is frozen.`,
              )
              .then(close)
          }
        >
          <p>
            Policy {asked.version} of {moment(asked.time)} decides in place of policy {learning.policyVersion}, and
            learning is frozen until you resume. Resuming goes back to the newest policy.
          </p>
        </Dialog>
      )}
    </Card>
  )
}
