// Does the set of a mean over missing rows hold it, whatever made the values missing, and how much do rewards narrow it? Then: what
// that does for regret.

import { categoryLevels, missingSet } from '@primo/core/engine'
import { formatFixed } from '@primo/lab'
import type { Study, StudyOptions, StudyResult, StudyTable, Verdict } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import { boundsRegret } from './bounds-regret.js'
import {
  ACTIONS,
  type BoundsKind,
  boundsKinds,
  boundsRows,
  CONTEXT_WIDTH,
  type Mechanism,
  meanWhereMissing,
  mechanismNames,
} from './bounds-worlds.js'

interface Cell {
  readonly kind: BoundsKind
  readonly mechanism: Mechanism
  readonly rows: number
  readonly repetitions: number
  covered: number
  /** No value agreed with the rewards. */
  empty: number
  readonly widths: number[]
  readonly ranges: number[]
}

const LEAST_PROPENSITY = 0.02

async function run(options: StudyOptions): Promise<StudyResult> {
  const { scale, seed, onProgress } = options
  const full = scale === 'full'
  const sizes = full ? [1000, 3000, 10_000, 50_000] : [1000, 3000]
  const repetitions = (rows: number) => (full ? (rows > 10_000 ? 24 : rows > 3000 ? 60 : rows > 1000 ? 150 : 200) : 12)
  const cells = boundsKinds.flatMap((kind) =>
    mechanismNames.flatMap((mechanism) =>
      sizes.map(
        (rows): Cell => ({
          ...{ kind, mechanism, rows, repetitions: repetitions(rows) },
          ...{ covered: 0, empty: 0, widths: [], ranges: [] },
        }),
      ),
    ),
  )
  for (const [which, cell] of cells.entries()) {
    await measure(cell, Random.fromSeed(seed).split('bounds', cell.kind, cell.mechanism, cell.rows))
    onProgress?.((0.5 * (which + 1)) / cells.length)
  }
  const regret = await boundsRegret({ ...options, onProgress: (share) => onProgress?.(0.5 + 0.5 * share) })
  return {
    settings: { scale, 'tables per cell': sizes.map(repetitions).join(', '), 'first seed': seed },
    tables: [coverageTable(cells), regret.table],
    plots: [],
    verdicts: verdicts(cells, sizes),
  }
}

async function measure(cell: Cell, random: Random): Promise<void> {
  for (let k = 0; k < cell.repetitions; k++) {
    const rows = boundsRows(cell.kind, cell.mechanism, cell.rows, random.split(k))
    const truth = meanWhereMissing(rows)
    const { set, range } = missingSet({
      ...rows,
      contextWidth: CONTEXT_WIDTH,
      ...(cell.kind === 'boolean' ? { category: categoryLevels(2), target: Float64Array.of(0, 1) } : {}),
      witnesses: [
        {
          name: 'reward',
          values: rows.reward,
          group: { of: rows.action, count: ACTIONS },
          weights: rows.propensity.map((p) => 1 / Math.max(LEAST_PROPENSITY, p)),
        },
      ],
    })
    cell.ranges.push(range.upper - range.lower)
    if (set === null) cell.empty++
    else {
      if (set.lower <= truth && truth <= set.upper) cell.covered++
      cell.widths.push(set.upper - set.lower)
    }
    if (k % 10 === 9) await new Promise((resolve) => setImmediate(resolve))
  }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN

function coverageTable(cells: readonly Cell[]): StudyTable {
  return {
    title: 'Sets of the mean over missing rows, at 95%',
    header: ['world', 'hidden', 'rows', 'covered', 'empty', 'median width', 'without rewards'],
    rows: cells.map(({ kind, mechanism, rows, repetitions, covered, empty, widths, ranges }) => [
      kind,
      mechanism,
      rows.toLocaleString('en'),
      formatFixed(covered / repetitions, 3),
      String(empty),
      formatFixed(median(widths), 3),
      formatFixed(median(ranges), 3),
    ]),
  }
}

function verdicts(cells: readonly Cell[], sizes: readonly number[]): readonly Verdict[] {
  // One in ten for all cells together, were each at 95%.
  const low = cells.filter((cell) => chanceOfFewer(cell) < 0.1 / cells.length)
  const [small, large] = [sizes[0]!, sizes.at(-1)!]
  const pooled = sizes.map((rows) => pool(cells.filter((cell) => cell.rows === rows)))
  const shares = cells.filter(({ rows }) => rows === large).map(({ widths, ranges }) => median(widths) / median(ranges))
  const rates = cells
    .filter(({ rows, kind }) => rows === large && kind !== 'product')
    .map(({ kind, mechanism, widths }) => {
      const before = cells.find((cell) => cell.kind === kind && cell.mechanism === mechanism && cell.rows === small)!
      return Math.log(median(widths) / median(before.widths)) / Math.log(large / small)
    })
  const rate = median(rates)
  return [
    ...pooled.map(({ share, count }, k) => {
      const slack = 2 * Math.sqrt((0.95 * 0.05) / count)
      return {
        held: share >= 0.95 - slack,
        sentence: `${sizes[k]!.toLocaleString('en')} rows: sets hold the mean in ${formatFixed(100 * share, 1)}% of ${count} tables (95% less ${formatFixed(100 * slack, 1)} for chance).`,
      }
    }),
    {
      held: low.length === 0,
      sentence: `In ${cells.length - low.length} of ${cells.length} cells they hold it as often as 95% and chance allow (all).`,
    },
    {
      held: Math.max(...shares) < 0.5,
      sentence: `Rewards narrow the set to at most ${formatFixed(100 * Math.max(...shares), 0)}% of the range at ${large.toLocaleString('en')} rows (50%).`,
    },
    {
      held: rate <= -0.4,
      sentence: `Where rewards identify the mean, the width falls as rows to the power ${formatFixed(rate, 2)} (-0.4 or faster).`,
    },
  ]
}

function pool(cells: readonly Cell[]): { readonly share: number; readonly count: number } {
  const count = cells.reduce((sum, { repetitions }) => sum + repetitions, 0)
  return { share: cells.reduce((sum, { covered }) => sum + covered, 0) / count, count }
}

/** The probability of so few covered tables, or fewer, at 95%. */
function chanceOfFewer({ covered, repetitions }: Cell): number {
  let term = 0.95 ** repetitions
  let sum = 1
  for (let missed = 0; missed < repetitions - covered; missed++) {
    sum -= term
    term *= ((repetitions - missed) / (missed + 1)) * (0.05 / 0.95)
  }
  return sum
}

export const bounds: Study = {
  name: 'bounds',
  title: 'Values hidden on purpose: what can still be said',
  claim:
    'Whatever hides the values, the set that rewards allow holds their mean with 95%, narrows as rows come in, and playing by it costs nothing, neither when values are missing at random nor when they are not.',
  run,
}
