// Every kind of chart on made-up data: for development and for the tests in a browser.

import { useState } from 'react'
import { ChartGroup } from './chart-group.js'
import { actionColor, LIMIT_COLOR, policyColor, seriesColor } from './colours.js'
import { LineChart } from './line-chart.js'
import { figure, moment, percent, whole } from './number-format.js'
import { RangePicker } from './range-picker.js'
import { withGaps } from './series.js'
import { ShareChart } from './share-chart.js'
import { ALL_TIME, shownPart, type TimeRange } from './time-range.js'

const START = Date.UTC(2030, 0, 7, 9)
const MINUTE = 60_000
const times = Array.from({ length: 60 }, (_, k) => START + k * MINUTE).filter((_, k) => k < 20 || k > 26)
const wave = (k: number, turn: number) => Math.sin(k / 7 + turn) / 2 + Math.sin(k / 2.3 + 2 * turn) / 9
const ACTIONS = [...Array.from({ length: 11 }, (_, k) => `action ${k + 1}`), 'a'.repeat(64)]

export function ChartGallery() {
  const [range, setRange] = useState<TimeRange>(ALL_TIME)
  const end = times.at(-1)!
  return (
    <ChartGroup
      range={shownPart(range)}
      onRange={(part) => setRange(part === null ? ALL_TIME : { kind: 'custom', ...part })}
    >
      <h1>Charts</h1>
      <RangePicker value={range} now={end} onChange={setRange} />
      <section id="reward">
        <h2>Reward</h2>
        <LineChart
          label="Mean reward"
          x="time"
          xFormat={moment}
          yFormat={figure}
          yLabel="reward per decision"
          yMin={0}
          height={260}
          events={times.filter((_, k) => k % 2 === 0).map((x, k) => ({ x, label: `policy ${k + 1} began` }))}
          lines={[
            {
              name: 'last 5 min',
              color: policyColor('played'),
              points: withGaps(
                times.map((x, k) => ({ x, y: 1.2 + wave(k, 0), low: 1 + wave(k, 0), high: 1.4 + wave(k, 0) })),
                MINUTE,
              ),
            },
            {
              name: 'all so far',
              color: policyColor('primo-cal'),
              thick: true,
              points: withGaps(
                times.map((x, k) => ({ x, y: 1.3 - 6 / (k + 12), low: 1.2 - 9 / (k + 12), high: 1.4 - 3 / (k + 12) })),
                MINUTE,
              ),
            },
            {
              name: 'at random',
              color: policyColor('uniform'),
              dash: '2 3',
              points: times.slice(0, 18).map((x) => ({ x, y: 0.6 })),
            },
          ]}
        />
      </section>
      <section id="shares">
        <h2>Shares</h2>
        <ShareChart
          label="Shares of the actions"
          names={ACTIONS}
          spacing={MINUTE}
          xFormat={moment}
          columns={times.map((x, k) => {
            const parts = ACTIONS.map((_, a) => 1.1 + Math.sin(k / 9 + a))
            const total = parts.reduce((sum, part) => sum + part, 0)
            return { x, shares: Object.fromEntries(ACTIONS.map((name, a) => [name, parts[a]! / total])) }
          })}
        />
      </section>
      <section id="twelve">
        <h2>Twelve series</h2>
        <LineChart
          label="Twelve series"
          x="count"
          xLabel="decisions"
          xFormat={whole}
          yFormat={figure}
          yLabel="regret"
          yMin={0}
          lines={Array.from({ length: 12 }, (_, s) => ({
            name: `series ${s + 1}`,
            color: seriesColor(s),
            points: Array.from({ length: 40 }, (_, k) => ({ x: 200 * k, y: (s + 3) * Math.sqrt(k) })),
          }))}
        />
      </section>
      <section id="sweep">
        <h2>Marks and limits</h2>
        <LineChart
          label="Probability by dose"
          x="number"
          xLabel="dose"
          xFormat={figure}
          yFormat={percent}
          yLabel="probability"
          yMin={0}
          yMax={1}
          marks={[
            { x: 1.1, label: 'used' },
            { x: 1.15, label: 'pre-trained' },
            { x: 1.2, label: 'truth' },
          ]}
          lines={[
            {
              name: 'low',
              color: actionColor(0),
              points: Array.from({ length: 21 }, (_, k) => ({ x: k / 10, y: 1 / (1 + Math.exp(k - 10)) })),
            },
            {
              name: 'high',
              color: actionColor(1),
              points: Array.from({ length: 21 }, (_, k) => ({ x: k / 10, y: 1 / (1 + Math.exp(10 - k)) })),
            },
            { name: 'nobody can', color: LIMIT_COLOR, dash: '1 3', points: [0, 2].map((x) => ({ x, y: 0.95 })) },
          ]}
        />
      </section>
    </ChartGroup>
  )
}
