// A table of the reader's own: dropped, its columns named, replayed here without a server.

import { type DragEvent, useState } from 'react'
import { policyColor } from '../charts/colours.js'
import { LineChart } from '../charts/line-chart.js'
import { figure, percent, whole } from '../charts/number-format.js'
import { Button } from '../components/button.js'
import { Card } from '../components/card.js'
import { CutName } from '../components/cut-name.js'
import { Select } from '../components/select.js'
import { estimateText, isSettled, meanCurve, pairedDifference } from './curves.js'
import { POLICY_NAMES, policyDash } from './policy-names.js'
import type { ReplayedCell } from './replay-table.js'
import { Slider } from './slider.js'
import {
  guessedRoles,
  isComplete,
  type LookedAt,
  planOf,
  type Role,
  type Roles,
  roles,
  rolesProblem,
} from './table-roles.js'
import { REPEATS, type TableState, useTable } from './use-table.js'

export function OwnTable() {
  const { state, drop, replay } = useTable()
  const { looked, failure, busy } = state
  return (
    <div className="stack">
      <DropPlace busy={busy === 'reading'} onFile={drop} />
      {failure === null ? null : (
        <p role="alert" className="bad">
          {failure}
        </p>
      )}
      {looked === null ? null : (
        <Columns key={`${looked.file} ${looked.rows}`} looked={looked} busy={busy !== null} onReplay={replay} />
      )}
      {looked === null || (state.facts === null && state.ghosts.length === 0) ? null : (
        <Replayed looked={looked} state={state} />
      )}
    </div>
  )
}

function DropPlace({ busy, onFile }: { readonly busy: boolean; readonly onFile: (file: File) => void }) {
  const [over, setOver] = useState(false)
  const take = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    const [file] = event.dataTransfer.files
    if (file !== undefined) onFile(file)
  }
  return (
    <section
      aria-label="Your table"
      className={`drop${over ? ' over' : ''}`}
      onDragOver={(event) => {
        event.preventDefault()
        setOver(true)
      }}
      onDragLeave={() => setOver(false)}
      onDrop={take}
    >
      <p>
        <b>Drop a CSV file here</b>, with a header and a row per case. It needs a column that is sometimes unknown, and
        either the reward of every action or a column with the right answer.
      </p>
      <label>
        <span className="hidden">Choose a CSV file</span>
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          onChange={({ target }) => {
            const [file] = target.files ?? []
            if (file !== undefined) onFile(file)
          }}
        />
      </label>
      <p className="small quiet" role="status">
        {busy ? 'Reading.' : 'It stays in this browser; nothing is sent anywhere.'}
      </p>
    </section>
  )
}

interface ColumnsProps {
  readonly looked: LookedAt
  readonly busy: boolean
  readonly onReplay: (plan: ReturnType<typeof planOf>) => void
}

function Columns({ looked, busy, onReplay }: ColumnsProps) {
  const [given, setGiven] = useState<Roles>(() => guessedRoles(looked))
  const [hide, setHide] = useState(0.5)
  const problem = rolesProblem(looked, given)
  const choices = Object.entries(roles) as [Role, string][]
  return (
    <Card
      id="columns"
      title={`${looked.file}: ${whole(looked.rows)} rows`}
      note="What each column is for, as far as it can be guessed. Correct what is wrong."
      tools={
        <Button kind="primary" busy={busy} unless={problem} onClick={() => onReplay(planOf(looked, given, hide))}>
          Replay
        </Button>
      }
    >
      <div className="scroll tall">
        <table>
          <thead>
            <tr>
              <th scope="col">column</th>
              <th scope="col">holds</th>
              <th scope="col" className="number">
                missing
              </th>
              <th scope="col">is</th>
            </tr>
          </thead>
          <tbody>
            {looked.columns.map(({ name, kind, missing, different }) => (
              <tr key={name}>
                <th scope="row">
                  <CutName name={name} />
                </th>
                <td>
                  {kind}
                  {kind === 'number' || kind === 'date' ? '' : `, ${whole(different)} different`}
                </td>
                <td className="number">{missing === 0 ? 'none' : percent(missing / looked.rows)}</td>
                <td>
                  <Select
                    label={`What ${name} is`}
                    choices={choices}
                    value={given[name]!}
                    onChange={(role) => setGiven({ ...given, [name]: role })}
                  />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {problem === null ? null : <p className="small warn">{problem}</p>}
      {isComplete(looked, given) && Object.values(given).includes('covariate') ? (
        <Slider
          name="Nothing is missing: hide this share at random"
          value={hide}
          min={0.1}
          max={0.9}
          step={0.05}
          show={percent}
          onChange={setHide}
        />
      ) : null}
    </Card>
  )
}

function Replayed({
  looked,
  state: { cells, ghosts, facts, busy },
}: {
  readonly looked: LookedAt
  readonly state: TableState
}) {
  const total = REPEATS * (facts?.policies.length ?? 0)
  return (
    <Card
      id="replayed"
      title={sentenceOf(cells)}
      note={`Reward per decision so far, mean of ${REPEATS} random orders of the rows ± two standard errors; more is better. Each row is decided once; only the chosen action's reward is learnt from.`}
    >
      <LineChart
        label={`Reward per decision on ${looked.file}`}
        x="count"
        xLabel="decisions"
        xFormat={whole}
        yFormat={figure}
        yLabel="reward per decision"
        height={360}
        lines={[...(busy === null ? [] : linesOf(ghosts, true)), ...linesOf(cells, false)]}
      />
      <p className="small quiet" role="status">
        {busy === 'replaying' ? `${cells.length} of ${total} runs are done.` : `All ${REPEATS} repeats are done.`}
      </p>
      {facts === null ? null : (
        <details className="small quiet">
          <summary>What was taken from the table</summary>
          <ul>
            {facts.notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      )}
    </Card>
  )
}

function linesOf(cells: readonly ReplayedCell[], ghost: boolean) {
  return [...new Set(cells.map(({ policy }) => policy))].map((policy) => ({
    name: POLICY_NAMES[policy] ?? policy,
    color: policyColor(policy === 'best-fixed-action' ? 'baseline' : policy),
    thick: policy === 'robust',
    ghost,
    ...policyDash(policy),
    points: meanCurve(
      cells.filter((cell) => cell.policy === policy),
      ({ reward }) => reward,
    ),
  }))
}

function sentenceOf(cells: readonly ReplayedCell[]): string {
  const last = ({ reward }: ReplayedCell) => 1000 * reward.at(-1)!
  const gained = pairedDifference(cells, 'robust', 'primo', last)
  if (gained === null) return 'Running'
  if (!isSettled(gained))
    return `No verdict yet: Primo minus the uncorrected model is ${estimateText(gained)} per 1,000 decisions`
  const value = estimateText({ ...gained, mean: Math.abs(gained.mean) })
  return `On this table Primo earns ${value} ${gained.mean > 0 ? 'more' : 'less'} per 1,000 decisions than the uncorrected model`
}
