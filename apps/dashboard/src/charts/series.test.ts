import { describe, expect, it } from 'vitest'
import { cutName } from '../components/cut-name.js'
import { chartCsv } from './chart-csv.js'
import { fileName } from './save-file.js'
import { pointAt, runsOf, stacked, withGaps } from './series.js'

const points = (...pairs: readonly (readonly [number, number | null])[]) => pairs.map(([x, y]) => ({ x, y }))

describe('a line', () => {
  it('has gaps where nothing is known and where time passed without a point', () => {
    expect(runsOf(points([0, 1], [1, null], [2, 3], [3, 4])).map((run) => run.map(({ x }) => x))).toEqual([[0], [2, 3]])
    expect(
      runsOf(points([0, 1], [1, null], [2, 3], [9, null], [12, 4]), 3).map((run) => run.map(({ x }) => x)),
    ).toEqual([[0, 2], [12]])
    expect(withGaps(points([0, 1], [10, 2], [40, 3]), 10)).toEqual(points([0, 1], [10, 2], [20, null], [40, 3]))
  })

  it('is read at its own points only, never from an older one', () => {
    const line = points([0, 5], [10, 6], [20, null], [30, 8])
    expect([0, 4, 6, 19, 26, 34, 36, 90].map((x) => pointAt(line, x)?.y ?? null)).toEqual([
      5,
      5,
      6,
      null,
      8,
      8,
      null,
      null,
    ])
    expect(pointAt(points([7, 1]), 8)).toBe(null)
    expect(pointAt([], 8)).toBe(null)
  })

  it('stands upon the ones before it in a stack', () => {
    const [, upper] = stacked([
      { name: 'a', color: 'red', points: points([0, 0.25], [1, null]) },
      { name: 'b', color: 'blue', points: points([0, 0.5], [1, null]) },
    ])
    expect(upper!.points).toEqual([
      { x: 0, y: 0.5, low: 0.25, high: 0.75 },
      { x: 1, y: null },
    ])
  })
})

describe('a file of a chart', () => {
  it('has what is shown, empty where nothing is known, and no formulas', () => {
    const lines = [
      { name: '=SUM(A1), "x"', color: 'red', points: points([0, 1], [60_000, null], [120_000, 3]) },
      { name: 'b', color: 'blue', points: [{ x: 0, y: 2, low: 1, high: 3 }] },
      { name: 'b', color: 'blue', ghost: true, points: points([0, 9]) },
    ]
    expect(chartCsv(lines, 'time', 'time', null)).toBe(
      `time,"'=SUM(A1), ""x""",b,b (low),b (high)\n1970-01-01T00:00:00.000Z,1,2,1,3\n1970-01-01T00:02:00.000Z,3,,,\n`,
    )
    expect(chartCsv(lines, 'count', 'decisions', { from: 1, to: 2e5 }).split('\n').slice(1)).toEqual([
      '120000,3,,,',
      '',
    ])
    expect(fileName('Mean reward: "x"/y', 'csv')).toBe('mean-reward-x-y.csv')
  })
})

describe('names', () => {
  it('are cut at 24 characters', () => {
    expect(cutName('a'.repeat(24))).toBe('a'.repeat(24))
    expect([...cutName('a'.repeat(64))]).toHaveLength(24)
  })
})
