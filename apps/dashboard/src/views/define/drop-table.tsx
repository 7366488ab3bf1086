// A dropped table: what its columns are likely to be, for a person to correct. It is read in the browser and sent nowhere.

import { type DragEvent, useState } from 'react'
import { figure, percent, whole } from '../../charts/number-format.js'
import { Card } from '../../components/card.js'
import { Field } from '../../components/field.js'
import { Icon } from '../../components/icon.js'
import { Select } from '../../components/select.js'
import { Table } from '../../components/table.js'
import type { Draft } from './draft.js'
import { draftFromColumns, type GuessedColumn, guessColumns, openQuestions, type Part } from './guess-columns.js'
import { readCsv } from './read-csv.js'

const PARTS: readonly (readonly [Part, string])[] = [
  ['context', 'always known'],
  ['covariate', 'may be missing'],
  ['action', 'the action'],
  ['reward', 'the reward'],
  ['prediction', 'a prediction of a missing value'],
  ['none', 'leave it out'],
]

const QUESTIONS = {
  action: 'Which column holds the action that was taken?',
  reward: 'Which column holds the outcome?',
} as const
/** The answer "no column". */
const NONE = ' none'

interface Dropped {
  readonly name: string
  readonly rows: number
  readonly columns: readonly GuessedColumn[]
  /** Parts that a person said no column has. */
  readonly without: readonly Part[]
}

interface DropTableProps {
  /** `open`: why the draft is not ready; null: it is. */
  readonly onDraft: (draft: Draft, open: string | null) => void
}

export function DropTable({ onDraft }: DropTableProps) {
  const [dropped, setDropped] = useState<Dropped | null>(null)
  const [wrong, setWrong] = useState('')
  const [over, setOver] = useState(false)
  const asked = ({ columns, without }: Dropped) => openQuestions(columns).filter((part) => !without.includes(part))
  const show = (next: Dropped) => {
    setDropped(next)
    const [first] = asked(next)
    onDraft(draftFromColumns(next.name, next.columns), first === undefined ? null : QUESTIONS[first])
  }
  const play = (name: string, part: Part) =>
    show({
      ...dropped!,
      columns: dropped!.columns.map((one) => (one.name === name ? { ...one, part, why: '' } : one)),
    })
  const take = async (file: File | undefined) => {
    if (file === undefined) return
    try {
      const table = readCsv(await file.text())
      setWrong('')
      show({
        name: file.name.replace(/\.[^.]*$/, ''),
        rows: table.rows.length,
        columns: guessColumns(table),
        without: [],
      })
    } catch (error) {
      setWrong(`${file.name} was not taken: ${error instanceof Error ? error.message : String(error)}.`)
    }
  }
  const drop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    void take(event.dataTransfer.files[0])
  }
  return (
    <Card
      id="table"
      title={dropped === null ? 'From a table' : `${dropped.name}: ${whole(dropped.rows)} rows`}
      note="A CSV file of past decisions or of the values you have. It stays in this browser."
    >
      <label
        className={`drop${over ? ' over' : ''}`}
        onDragOver={(event) => {
          event.preventDefault()
          setOver(true)
        }}
        onDragLeave={() => setOver(false)}
        onDrop={drop}
      >
        <Icon name="upload" />
        <span>Drop a CSV file here, or choose one</span>
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          className="hidden"
          onChange={(event) => void take(event.target.files?.[0])}
        />
      </label>
      {wrong === '' ? null : (
        <p className="note bad" role="alert">
          {wrong}
        </p>
      )}
      {dropped === null
        ? null
        : asked(dropped).map((part) => (
            <Field key={part} label={QUESTIONS[part]}>
              {({ id }) => (
                <Select
                  id={id}
                  choices={[
                    ['', 'choose a column'],
                    ...dropped.columns
                      .filter(({ kind, levels }) => (part === 'action' ? levels.length > 1 : kind !== 'category'))
                      .filter(({ kind }) => kind !== 'text')
                      .map(({ name }) => [name, name] as const),
                    [NONE, 'none of them'],
                  ]}
                  value=""
                  onChange={(name) =>
                    name === NONE ? show({ ...dropped, without: [...dropped.without, part] }) : play(name, part)
                  }
                />
              )}
            </Field>
          ))}
      {dropped === null ? null : (
        <Table
          caption="Columns of the table"
          rows={dropped.columns}
          rowKey={({ name }) => name}
          columns={[
            { name: 'column', cell: ({ name }) => name },
            { name: 'looks like', cell: looks },
            { name: 'missing', cell: missingOf },
            {
              name: 'its part',
              cell: (column) => (
                <Select
                  label={`Part of ${column.name}`}
                  choices={PARTS}
                  value={column.part}
                  onChange={(part) => play(column.name, part)}
                />
              ),
            },
            { name: 'why', cell: ({ why }) => <span className="quiet">{why}</span> },
          ]}
        />
      )}
    </Card>
  )
}

function looks({ kind, min, max, levels }: GuessedColumn): string {
  if (kind === 'number') return `a number from ${figure(min)} to ${figure(max)}`
  if (kind === 'boolean') return 'yes or no'
  return kind === 'text'
    ? 'text'
    : `one of ${levels.slice(0, 3).join(', ')}${levels.length > 3 ? ` and ${levels.length - 3} more` : ''}`
}

function missingOf({ missing, markers }: GuessedColumn): string {
  if (missing === 0) return 'never'
  return `${percent(missing)} (${markers.map((marker) => (marker === '' ? 'empty' : `"${marker}"`)).join(', ')})`
}
