// What was done to the problem, when and with which key.

import type { OperationList } from '@primo/contract'
import type { Resource } from '../../api/resource.js'
import { moment } from '../../charts/number-format.js'
import { Card } from '../../components/card.js'
import { Table } from '../../components/table.js'

type Done = OperationList['operations'][number]

const WORDS: Readonly<Record<Done['operation'], (done: Done) => string>> = {
  define: ({ version, kill, begins }) =>
    begins
      ? `defined as version ${version}: learning began`
      : kill === true
        ? 'definition changed: the baseline plays'
        : 'definition changed; what was learnt was kept',
  freeze: () => 'frozen',
  unfreeze: () => 'learning resumed',
  rollback: ({ version }) => `rolled back to policy ${version}, frozen`,
  retire: () => 'retired',
  'confirm-clock': () => 'the clock was confirmed',
  forget: () => 'a subject was forgotten',
  candidate: () => 'a candidate was set: it runs beside the live policy',
  look: ({ detail }) => `the candidate was looked at: ${detail}`,
  withdraw: ({ detail }) => `the candidate was given up${detail === undefined ? '' : `: ${detail}`}`,
  promote: ({ version }) => `the candidate was promoted as policy ${version}`,
  demote: ({ version, detail }) => `the promotion was rolled back to policy ${version}: ${detail}`,
}

export function OperationsLog({ list }: { readonly list: Resource<OperationList> }) {
  const { value } = list
  return (
    <Card
      id="operations-log"
      title="What was done"
      note={value?.complete === false ? 'The log is still being read; more will appear.' : 'Newest first.'}
    >
      {value === null ? (
        <p role="status">Loading.</p>
      ) : (
        <div className="tall">
          <Table
            caption="Operations"
            rows={value.operations.map((done, place) => ({ ...done, place }))}
            rowKey={({ place, time }) => `${time} ${place}`}
            columns={[
              { name: 'when', cell: ({ time }) => <span title={new Date(time).toISOString()}>{moment(time)}</span> },
              { name: 'what', cell: (done) => WORDS[done.operation](done) },
              { name: 'key', cell: ({ by }) => by ?? 'none needed' },
            ]}
          />
        </div>
      )}
    </Card>
  )
}
