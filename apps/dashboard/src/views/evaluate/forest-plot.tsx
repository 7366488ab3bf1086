// Differences with their intervals, one line each, around zero: right of it is better.

import { figure } from '../../charts/number-format.js'
import { useWidth } from '../../charts/use-width.js'
import { cutName } from '../../components/cut-name.js'

export interface ForestLine {
  readonly name: string
  readonly value: number
  readonly low: number
  readonly high: number
}

const LINE = 34
/** In a narrow plot names stand above their lines. */
const NARROW = 460
const NARROW_LINE = 46
const NAMES = 190
const RIGHT = 16
const FOOT = 26

export function ForestPlot({ lines, unit }: { readonly lines: readonly ForestLine[]; readonly unit: string }) {
  const { ref, width } = useWidth()
  const most = Math.max(...lines.flatMap(({ low, high }) => [Math.abs(low), Math.abs(high)]), 1e-9)
  const narrow = width < NARROW
  const left = narrow ? RIGHT : NAMES
  const line = narrow ? NARROW_LINE : LINE
  const span = Math.max(10, width - left - RIGHT)
  const x = (value: number) => left + (span * (value + most)) / (2 * most)
  const height = lines.length * line + FOOT
  const text = lines.map(({ name, value, low, high }) => `${name} ${figure(value)} [${figure(low)}, ${figure(high)}]`)
  return (
    <div ref={ref}>
      <svg
        className="forest"
        width={width}
        height={height}
        role="img"
        aria-label={`Difference to what was played, ${unit}: ${text.join('; ')}`}
      >
        <line className="zero" x1={x(0)} x2={x(0)} y1={0} y2={height - FOOT} />
        {lines.map(({ name, value, low, high }, i) => {
          const y = (i + (narrow ? 0.7 : 0.5)) * line
          const side = low > 0 ? 'good' : high < 0 ? 'bad' : 'open'
          return (
            <g key={name} className={side}>
              <title>{text[i]}</title>
              <text x={narrow ? 0 : left - 12} y={narrow ? y - 14 : y + 4} textAnchor={narrow ? 'start' : 'end'}>
                {cutName(name)}
              </text>
              <line x1={x(low)} x2={x(high)} y1={y} y2={y} />
              <line x1={x(low)} x2={x(low)} y1={y - 5} y2={y + 5} />
              <line x1={x(high)} x2={x(high)} y1={y - 5} y2={y + 5} />
              {side === 'open' ? (
                <circle cx={x(value)} cy={y} r={5} className="hollow" />
              ) : (
                <rect x={x(value) - 5} y={y - 5} width={10} height={10} />
              )}
            </g>
          )
        })}
        <text className="tick" x={left} y={height - 8}>
          {narrow ? `−${figure(most)}` : `worse by ${figure(most)}`}
        </text>
        <text className="tick" x={x(0)} y={height - 8} textAnchor="middle">
          as played
        </text>
        <text className="tick" x={width - RIGHT} y={height - 8} textAnchor="end">
          {narrow ? `+${figure(most)}` : `better by ${figure(most)}`}
        </text>
      </svg>
    </div>
  )
}
