// Earlier evaluations of this browser.

import type { ProblemInfo } from '@primo/contract'
import { moment, whole } from '../../charts/number-format.js'
import { Button } from '../../components/button.js'
import { Card } from '../../components/card.js'
import { CutName } from '../../components/cut-name.js'
import { Table } from '../../components/table.js'
import { policyWords } from './policy-words.js'
import type { SavedRun } from './saved-runs.js'

interface SavedRunsCardProps {
  readonly info: ProblemInfo
  readonly runs: readonly SavedRun[]
  readonly shown: SavedRun | null
  readonly onShow: (run: SavedRun) => void
  readonly onRemove: (at: number) => void
}

export function SavedRunsCard({ info, runs, shown, onShow, onRemove }: SavedRunsCardProps) {
  return (
    <Card id="saved-runs" wide title="Earlier runs" note="Kept in this browser.">
      <Table
        caption="Earlier runs"
        rows={runs}
        rowKey={({ at }) => String(at)}
        columns={[
          { name: 'when', cell: ({ at }) => moment(at) },
          {
            name: 'policies',
            cell: ({ form }) => (
              <CutName
                name={form.policies.map((policy) => policyWords(policy, info.definition)).join(', ')}
                longest={60}
              />
            ),
          },
          { name: 'decisions', number: true, cell: ({ evaluation }) => whole(evaluation.rows) },
          {
            name: 'tools',
            hidden: true,
            cell: (run) => (
              <span className="row">
                <Button small unless={run.at === shown?.at ? 'It is shown above.' : null} onClick={() => onShow(run)}>
                  Show
                </Button>
                <Button small kind="quiet" onClick={() => onRemove(run.at)}>
                  Remove
                </Button>
              </span>
            ),
          },
        ]}
      />
    </Card>
  )
}
