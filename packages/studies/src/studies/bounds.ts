// primo study bounds: does the set of a mean over missing rows hold it, whatever made the values missing, and how
// much do rewards narrow it?

import { categoryLevels, type MissingSetFound, missingSet } from '@primo/core/engine'
import { formatFixed } from '@primo/lab'
import { Random } from '@primo/numeric'
import type { Place } from '../runner/found.js'
import { defineStudy } from '../runner/run-study.js'
import { median } from '../runner/statistics.js'
import { column, figure, table, world } from '../runner/tables.js'
import { covers } from '../runner/verdicts.js'
import {
  ACTIONS,
  type BoundsKind,
  type BoundsRows,
  boundsKinds,
  boundsRows,
  CONTEXT_WIDTH,
  meanWhereMissing,
  mechanismNames,
} from './bounds-worlds.js'

const LEAST_PROPENSITY = 0.02
const SET = 'set'

/** The set that the rewards allow. */
export function setByRewards(kind: BoundsKind, rows: BoundsRows): MissingSetFound {
  const reward = {
    name: 'reward',
    values: rows.reward,
    group: { of: rows.action, count: ACTIONS },
    weights: rows.propensity.map((p) => 1 / Math.max(LEAST_PROPENSITY, p)),
  }
  const levels = kind === 'boolean' ? { category: categoryLevels(2), target: Float64Array.of(0, 1) } : {}
  return missingSet({ ...rows, contextWidth: CONTEXT_WIDTH, ...levels, witnesses: [reward] })
}

/** The probability of so few covered tables, or fewer, at 95%. */
function chanceOfFewer(place: Place): number {
  const hits = place.values('covered')
  let term = 0.95 ** hits.length
  let sum = 1
  for (let missed = 0; missed < hits.filter((hit) => hit === 0).length; missed++) {
    sum -= term
    term *= ((hits.length - missed) / (missed + 1)) * (0.05 / 0.95)
  }
  return sum
}

export const bounds = defineStudy({
  name: 'bounds',
  title: 'Values hidden on purpose: sets that remain',
  claim:
    'Whatever hides the values, the set that rewards allow holds their mean with 95%, and it narrows as rows come in.',
  full: { repeats: 200, most: 50_000 },
  quick: { repeats: 12, most: 3000 },
  worlds: ({ most }) =>
    boundsKinds.flatMap((kind) =>
      mechanismNames.flatMap((mechanism) =>
        [1000, 3000, 10_000, 50_000]
          .filter((rows) => rows <= most)
          .map((rows) => ({ name: `${kind}, ${mechanism}, ${rows}`, kind, mechanism, rows })),
      ),
    ),
  /** Large tables are dear. */
  repeats: ({ rows }, { repeats }) =>
    Math.min(repeats, rows > 10_000 ? 24 : rows > 3000 ? 60 : rows > 1000 ? 150 : repeats),
  measure: ({ kind, mechanism, rows: count }, { seed, repeat }) => {
    const random = Random.fromSeed(seed - repeat).split('bounds', kind, mechanism, count)
    const rows = boundsRows(kind, mechanism, count, random.split(repeat))
    const truth = meanWhereMissing(rows)
    const { set, range } = setByRewards(kind, rows)
    const covered = set !== null && set.lower <= truth && truth <= set.upper
    return {
      [SET]: {
        covered: covered ? 1 : 0,
        empty: set === null ? 1 : 0,
        range: range.upper - range.lower,
        ...(set === null ? {} : { width: set.upper - set.lower }),
      },
    }
  },
  tables: (found) => [
    table('Sets of the mean over missing rows, at 95%', found.places(), [
      { ...world, header: 'world, hidden, rows' },
      figure('covered'),
      figure('empty'),
      column('median width', (place) => formatFixed(median(place.values('width')), 3)),
      column('without rewards', (place) => formatFixed(median(place.values('range')), 3)),
    ]),
  ],
  verdicts: (found) => {
    const sizes = [...new Set(found.worlds.map(({ rows }) => rows))]
    const [small, large] = [sizes[0]!, sizes.at(-1)!]
    const of = (rows: number) =>
      found.places(
        undefined,
        found.worlds.filter((one) => one.rows === rows),
      )
    const width = (place: Place) => median(place.values('width'))
    // One in ten for all cells together, were each at 95%.
    const low = found.places().filter((place) => chanceOfFewer(place) < 0.1 / found.worlds.length)
    const shares = of(large).map((place) => width(place) / median(place.values('range')))
    const identified = found.worlds.filter(({ rows, kind }) => rows === large && kind !== 'product')
    const rates = identified.map(({ name }) => {
      const before = found.place(name.replace(/\d+$/, String(small)), SET)
      return Math.log(width(found.place(name, SET)) / width(before)) / Math.log(large / small)
    })
    return [
      ...sizes.map((rows) => {
        const hits = of(rows).flatMap((place) => place.values('covered'))
        return covers({ what: `${rows.toLocaleString('en')} rows: sets hold the mean in`, hits, least: 0.95, slack: 2 })
      }),
      {
        held: low.length === 0,
        sentence: `In ${found.worlds.length - low.length} of ${found.worlds.length} cells they hold it as often as 95% and chance allow (all).`,
      },
      {
        held: Math.max(...shares) < 0.5,
        sentence: `Rewards narrow the set to at most ${formatFixed(100 * Math.max(...shares), 0)}% of the range at ${large.toLocaleString('en')} rows (50%).`,
      },
      {
        held: median(rates) <= -0.4,
        sentence: `Where rewards identify the mean, the width falls as rows to the power ${formatFixed(median(rates), 2)} (-0.4 or faster).`,
      },
    ]
  },
})
