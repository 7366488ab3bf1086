// The lines' names, each a switch that shows or hides its line.

import { cutName } from '../components/cut-name.js'

interface LegendProps {
  readonly lines: readonly { readonly name: string; readonly color: string; readonly dash?: string }[]
  readonly hidden: ReadonlySet<string>
  /** Squares for areas, strokes for lines. */
  readonly squares: boolean
  readonly onToggle: (name: string) => void
  /** Only this one, or all again. */
  readonly onSingle: (name: string) => void
}

export function Legend({ lines, hidden, squares, onToggle, onSingle }: LegendProps) {
  return (
    <ul className="chart-legend">
      {lines.map(({ name, color, dash }) => (
        <li key={name}>
          <button
            type="button"
            aria-pressed={!hidden.has(name)}
            title={`${name}: click to ${hidden.has(name) ? 'show' : 'hide'}, double-click to show it alone`}
            onClick={() => onToggle(name)}
            onDoubleClick={() => onSingle(name)}
          >
            <svg width="14" height="10" aria-hidden="true">
              {squares ? (
                <rect x="2" width="10" height="10" rx="2" fill={color} />
              ) : (
                <line x1="0" x2="14" y1="5" y2="5" stroke={color} strokeWidth="3" strokeDasharray={dash} />
              )}
            </svg>
            {cutName(name)}
          </button>
        </li>
      ))}
    </ul>
  )
}
