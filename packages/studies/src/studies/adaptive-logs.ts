// Do intervals hold on logs that a learning policy made? Limits that hold at all times must miss ever in at most 5% of logs; intervals for
// the whole log must cover as they say; intervals that take the rows for independent are shown beside them.

import {
  type EvaluationInterval,
  evaluateAnytime,
  evaluateLog,
  evaluationLog,
  formatFixed,
  type TargetPolicy,
} from '@primo/lab'
import type { Study, StudyOptions, StudyResult, Verdict } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import {
  type AdaptiveWorld,
  adaptiveHeader,
  adaptiveLog,
  adaptiveValues,
  adaptiveWorlds,
  type Logger,
  loggers,
} from './adaptive-log-worlds.js'

const POLICIES: readonly TargetPolicy[] = ['a', 'b'].map((action) => ({
  kind: 'fixed',
  name: `fixed:${action}`,
  action,
}))

interface Cell {
  readonly world: AdaptiveWorld
  readonly logger: Logger
  /** Logs in which a limit was ever missed: of a value, of the difference; in which a best policy was dropped. */
  ever: number
  everDifference: number
  dropped: number
  /** Logs at whose end an interval of b's value holds it. */
  readonly covered: Record<'stabilised' | 'dr' | 'mean of its rows', number>
  readonly widths: { anytime: number; stabilised: number }
  decided: number
}

const NAIVE = ['dr', 'mean of its rows'] as const

async function run({ scale, seed, onProgress }: StudyOptions): Promise<StudyResult> {
  const repetitions = scale === 'quick' ? 20 : 1000
  const rows = scale === 'quick' ? 400 : 1000
  const worlds = Object.keys(adaptiveWorlds) as AdaptiveWorld[]
  const cells = worlds.flatMap((world) => loggers.map((logger) => emptyCell(world, logger)))
  for (const [which, cell] of cells.entries()) {
    for (let k = 0; k < repetitions; k++) {
      const random = Random.fromSeed(seed).split('adaptive logs', cell.world, cell.logger, k)
      await countLog(cell, rows, random)
      if (k % 10 === 9) {
        onProgress?.((which + (k + 1) / repetitions) / cells.length)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
  }
  const share = (count: number) => formatFixed(count / repetitions, 3)
  return {
    settings: { scale, repetitions, rows, seed },
    tables: [
      {
        title: `Two fixed actions evaluated on ${repetitions} logs of ${rows} rows: shares of logs`,
        header: [
          'world',
          'logger',
          'value ever missed',
          'difference ever missed',
          'best dropped',
          'one left',
          'covered: stabilised',
          'covered: dr as if independent',
          'covered: mean of its rows',
          'width: anytime',
          'width: stabilised',
        ],
        rows: cells.map((cell) => [
          cell.world,
          cell.logger,
          share(cell.ever),
          share(cell.everDifference),
          share(cell.dropped),
          share(cell.decided),
          share(cell.covered.stabilised),
          share(cell.covered.dr),
          share(cell.covered['mean of its rows']),
          formatFixed(cell.widths.anytime / repetitions, 3),
          formatFixed(cell.widths.stabilised / repetitions, 3),
        ]),
      },
    ],
    plots: [],
    verdicts: verdicts(cells, repetitions),
  }
}

function emptyCell(world: AdaptiveWorld, logger: Logger): Cell {
  const covered = { stabilised: 0, dr: 0, 'mean of its rows': 0 }
  return {
    world,
    logger,
    ever: 0,
    everDifference: 0,
    dropped: 0,
    covered,
    widths: { anytime: 0, stabilised: 0 },
    decided: 0,
  }
}

async function countLog(cell: Cell, rows: number, random: Random): Promise<void> {
  const log = await evaluationLog(adaptiveHeader, adaptiveLog(cell.world, cell.logger, rows, random.split('log')))
  const truth = adaptiveValues(cell.world)
  const gap = truth[1] - truth[0]
  const seed = random.integer(2 ** 31)
  const { policies, path, mayBeBest } = evaluateAnytime(log, { policies: POLICIES, against: 'fixed:a', seed })
  if (path.some(({ values }) => values.some((limits, k) => !holds(limits, truth[k]!)))) cell.ever++
  if (path.some(({ differences }) => !holds(differences[0]!, gap))) cell.everDifference++
  const best = POLICIES.filter((_, k) => truth[k] === Math.max(...truth))
  if (best.some(({ name }) => !mayBeBest.includes(name))) cell.dropped++
  if (mayBeBest.length === 1) cell.decided++
  const { anytime, atEnd } = policies[1]!
  cell.widths.anytime += anytime.high - anytime.low
  cell.widths.stabilised += atEnd.asymptotic!.high - atEnd.asymptotic!.low
  if (holds(atEnd.asymptotic!, truth[1])) cell.covered.stabilised++
  const naive = evaluateLog(log, { policies: [POLICIES[1]!], estimators: ['dr'], replicates: 0, seed })
  if (holds(naive.policies[0]!.estimates[0]!.asymptotic!, truth[1])) cell.covered.dr++
  if (holds(meanOfItsRows(log.choices.reward, log.choices.action), truth[1])) cell.covered['mean of its rows']++
}

function holds({ low, high }: EvaluationInterval, truth: number): boolean {
  return low <= truth && truth <= high
}

/** What one would write down first: the mean reward of the rows that played b, with its normal interval. */
function meanOfItsRows(reward: Float64Array, action: Uint16Array): EvaluationInterval {
  const own = reward.filter((_, i) => action[i] === 1)
  const mean = own.reduce((sum, r) => sum + r, 0) / Math.max(1, own.length)
  const half = 1.96 * Math.sqrt((mean * (1 - mean)) / Math.max(1, own.length))
  return { low: mean - half, high: mean + half }
}

function verdicts(cells: readonly Cell[], repetitions: number): readonly Verdict[] {
  // With 1,000 repetitions the limits are those of the claim; with fewer they give way by three standard errors.
  const slack = repetitions >= 1000 ? 0 : 3 * Math.sqrt((0.95 * 0.05) / repetitions)
  const worst = (of: (cell: Cell) => number) => Math.max(...cells.map((cell) => of(cell) / repetitions))
  const ever = worst(({ ever: missed, everDifference }) => Math.max(missed, everDifference))
  const dropped = worst((cell) => cell.dropped)
  const stabilised = cells.map(({ covered }) => covered.stabilised / repetitions)
  const failing = cells.filter(({ covered }) => NAIVE.some((name) => covered[name] / repetitions < 0.93))
  const percent = (value: number) => `${formatFixed(100 * value, 1)}%`
  return [
    {
      held: ever <= 0.05 + slack,
      sentence: `Limits that hold at all times miss ever in at most ${percent(ever)} of logs (5%).`,
    },
    {
      held: dropped <= 0.05 + slack,
      sentence: `A best policy is dropped ever in at most ${percent(dropped)} of logs (5%).`,
    },
    {
      held: Math.min(...stabilised) >= 0.93 - slack && Math.max(...stabilised) <= 0.97 + slack,
      sentence: `Stabilised intervals cover in ${percent(Math.min(...stabilised))} to ${percent(Math.max(...stabilised))} of logs (93% to 97%).`,
    },
    {
      held: failing.length > 0,
      sentence: `Intervals that take rows for independent cover in less than 93% of logs in ${failing.length} of ${cells.length} cells.`,
    },
  ]
}

export const adaptiveLogs: Study = {
  name: 'adaptive-logs',
  title: 'Evaluation on logs of learning policies',
  claim:
    'On logs that a learning policy made, limits that hold at all times miss ever in at most 5% of logs, and stabilised intervals cover in 93% to 97%, where intervals that take the rows for independent do not.',
  run,
}
