// Chooses the stretch of time: the usual ones, or from and to.

import type { TimeRange } from './time-range.js'

interface RangePickerProps {
  readonly value: TimeRange
  /** The newest time there is: where a range of one's own begins. */
  readonly now: number
  readonly onChange: (range: TimeRange) => void
}

const KINDS = [
  ['recent', 'Last 15 minutes'],
  ['day', 'Last 24 hours'],
  ['all', 'All time'],
  ['custom', 'From … to'],
] as const
const HOUR = 3_600_000

export function RangePicker({ value, now, onChange }: RangePickerProps) {
  return (
    <span className="chart-range">
      <label>
        <span className="chart-said">Time range</span>
        <select
          value={value.kind}
          onChange={({ target }) => {
            const kind = target.value as TimeRange['kind']
            onChange(kind === 'custom' ? { kind, from: now - HOUR, to: now } : { kind })
          }}
        >
          {KINDS.map(([kind, name]) => (
            <option key={kind} value={kind}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {value.kind === 'custom' ? (
        <>
          <Moment name="From" time={value.from} onChange={(from) => from < value.to && onChange({ ...value, from })} />
          <Moment name="To" time={value.to} onChange={(to) => to > value.from && onChange({ ...value, to })} />
        </>
      ) : null}
    </span>
  )
}

interface MomentProps {
  readonly name: string
  readonly time: number
  readonly onChange: (time: number) => void
}

function Moment({ name, time, onChange }: MomentProps) {
  return (
    <label>
      <span className="chart-said">{name}</span>
      <input
        type="datetime-local"
        step={1}
        value={localText(time)}
        onChange={({ target }) => {
          const next = new Date(target.value).getTime()
          if (Number.isFinite(next)) onChange(next)
        }}
      />
    </label>
  )
}

/** As the field wants it: local time without a zone. */
function localText(time: number): string {
  const date = new Date(time)
  return new Date(time - date.getTimezoneOffset() * 60_000).toISOString().slice(0, 19)
}
