// primo study late-rewards: rewards that never come and rewards that come late (docs/late-rewards.md). Missing:
// regret of a learner that drops rounds without a reward and of one that weights those with one by 1 / P(it is seen),
// beside one that misses none. Late: the rounds it takes, from the first reward on, until regret per round has gone
// half the way from that of uniform play to the final one, with an early signal and without; before the first reward
// nobody can learn.

import type { LearnerOptions } from '@primo/core'
import { formatFixed } from '@primo/lab'
import { poolAdjacentViolators } from '@primo/numeric'
import type { Found } from '../runner/found.js'
import { defineStudy } from '../runner/run-study.js'
import { effectText, jackknife, pairedEffect } from '../runner/statistics.js'
import type { Cell } from '../runner/study-spec.js'
import { against, arm, column, estimate, sizeText, table, world } from '../runner/tables.js'
import {
  type Arm,
  lateRegret,
  missingRegret,
  type missingWorlds,
  type SignalNoise,
  WINDOW,
} from './late-reward-worlds.js'

const LINES: LearnerOptions['oracle'] = { interactions: 'none' }
const ARMS: readonly Arm[] = ['all', 'drop', 'weight']
/** Where the rewards have a cliff and the model has lines, it matters which rewards come. */
const JUDGED = ['cliff, lines', 'two cliffs, lines']
/**
 * Dropping misleads: at least this many times the regret without missing rewards; weighting does not: at most this
 * many times.
 */
const MISLED = 1.5
const RIGHT = 1.25

const SIGNALS: Readonly<Record<string, SignalNoise>> = {
  none: null,
  'noise .2': 0.2,
  'noise .5': 0.5,
  useless: 'useless',
}
const LATE = 'late rewards'
const BIN = 25
const LAST = 1000

interface LateWorld {
  readonly name: string
  readonly regrets: (seed: number, size: LateSize) => Cell
}
interface LateSize extends Readonly<Record<string, number>> {
  readonly repeats: number
  readonly missingRounds: number
  readonly lateRounds: number
}

function missingWorld(name: keyof typeof missingWorlds, oracle?: LearnerOptions['oracle']): LateWorld {
  return {
    name: `${name}, ${oracle === undefined ? 'default' : 'lines'}`,
    regrets: (seed, { missingRounds }) =>
      Object.fromEntries(ARMS.map((way) => [way, { regret: missingRegret(name, way, oracle, seed, missingRounds) }])),
  }
}

const average = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Regret per round from the first reward on, by bin; before it, and in the last rounds. */
function lateFigures(noise: SignalNoise, seed: number, rounds: number) {
  const curve = lateRegret(noise, seed, rounds)
  const figures: Record<string, number> = {
    regret: curve.subarray(WINDOW).reduce((sum, value) => sum + value, 0),
    before: average(curve.subarray(0, WINDOW)),
    last: average(curve.subarray(rounds - LAST)),
  }
  for (const [k, at] of binStarts(rounds).entries()) figures[`bin ${k}`] = average(curve.subarray(at, at + BIN))
  return figures
}

function binStarts(rounds: number): readonly number[] {
  return Array.from({ length: Math.floor((rounds - WINDOW) / BIN) }, (_, k) => WINDOW + k * BIN)
}

type Late = Found<LateWorld, LateSize>

/** By repeat: before, last, then the bins. */
function lateCurves(found: Late, signal: string) {
  const names = ['before', 'last', ...binStarts(found.size.lateRounds).map((_, k) => `bin ${k}`)]
  return found.curves(names.map((figure) => ({ world: LATE, arm: signal, figure })))
}

function meanCurve(curves: readonly (readonly number[])[]): readonly number[] {
  return curves[0]!.map((_, k) => curves.reduce((sum, curve) => sum + curve[k]!, 0) / curves.length)
}

/** Rounds from the first reward on until regret per round, as the nearest curve that only falls, is at most `level`. */
function timeTo(level: number, bins: readonly number[]): number {
  const { starts, values } = poolAdjacentViolators(
    Float64Array.from(bins, (value) => -value),
    new Float64Array(bins.length).fill(1),
  )
  const block = values.findIndex((value) => -value <= level)
  return block === -1 ? Number.POSITIVE_INFINITY : (starts[block]! + 0.5) * BIN
}

/** Time to half way with a signal over the time without. */
function ratioOfTimes(found: Late, signal: string) {
  const plain = lateCurves(found, 'none')
  const pairs = lateCurves(found, signal).map((curve, k) => ({ own: curve, none: plain[k]! }))
  return jackknife(pairs, (kept) => {
    const [before, last, ...without] = meanCurve(kept.map(({ none }) => none))
    const level = (before! + last!) / 2
    return timeTo(level, meanCurve(kept.map(({ own }) => own)).slice(2)) / timeTo(level, without)
  })
}

export const lateRewards = defineStudy<LateWorld, LateSize>({
  name: 'late-rewards',
  title: 'Rewards that are missing or late',
  claim:
    'Where a reward model is too simple and replies come from some contexts more than others, dropping missing rewards misleads and weights do not; early signals halve the time that late rewards take to teach.',
  full: { repeats: 40, missingRounds: 6000, lateRounds: 8000 },
  quick: { repeats: 6, missingRounds: 6000, lateRounds: 5000 },
  worlds: () => [
    missingWorld('cliff', LINES),
    missingWorld('two cliffs', LINES),
    missingWorld('cliff'),
    missingWorld('two cliffs'),
    missingWorld('line'),
    {
      name: LATE,
      regrets: (seed, { lateRounds }) =>
        Object.fromEntries(
          Object.entries(SIGNALS).map(([signal, noise]) => [signal, lateFigures(noise, seed, lateRounds)]),
        ),
    },
  ],
  measure: ({ regrets }, { seed, size }) => regrets(seed, size),
  tables: (found) => [
    table(
      `Missing rewards: regret over ${found.size.missingRounds} rounds, ${sizeText(found.size)}`,
      found.places([...ARMS]),
      [
        { ...world, header: 'world, reward model' },
        { ...arm, header: 'missing rewards' },
        estimate('regret'),
        ...against('regret', 'drop'),
      ],
    ),
    table(`Rewards ${WINDOW} rounds late: regret after the first window`, found.places(Object.keys(SIGNALS)), [
      { ...arm, header: 'signal' },
      estimate('regret'),
      ...against('regret', 'none'),
      column('time to half way, over none', (place) => {
        const { mean, standardError } = ratioOfTimes(found, place.arm)
        return `${formatFixed(mean, 2)} ± ${formatFixed(standardError, 2)}`
      }),
    ]),
  ],
  plots: (found) => [
    {
      title: 'Regret per round from the first reward on',
      xLabel: 'rounds since the first window closed',
      yLabel: 'regret per round',
      series: Object.keys(SIGNALS).map((signal) => {
        const bins = meanCurve(lateCurves(found, signal)).slice(2)
        const wide = Array.from({ length: Math.floor(Math.min(bins.length, WINDOW / BIN) / 4) }, (_, k) => 4 * k)
        return {
          name: `signal: ${signal}`,
          points: wide.map((k) => ({
            x: (k + 2) * BIN,
            y: bins.slice(k, k + 4).reduce((sum, value) => sum + value / 4, 0),
          })),
        }
      }),
    },
  ],
  verdicts: (found) => {
    const missing = found.places(['weight']).filter((place) => JUDGED.includes(place.world))
    const signal = ratioOfTimes(found, 'noise .2')
    const useless = found.place(LATE, 'useless')
    const harm = pairedEffect(useless.values('regret'), useless.values('regret', 'none'))
    return [
      ...missing.flatMap((place) => {
        const regrets = (way: Arm) => place.values('regret', way)
        const times = (way: Arm) => place.mean('regret', way).mean / place.mean('regret', 'all').mean
        return [
          {
            held: times('drop') >= MISLED && pairedEffect(regrets('drop'), regrets('all')).low > 0,
            sentence: `${place.world}: dropping rounds without a reward misleads: ${formatFixed(times('drop'), 2)} times the regret without missing rewards (target: at least ${MISLED}).`,
          },
          {
            held: times('weight') <= RIGHT && pairedEffect(regrets('weight'), regrets('drop')).high < 0,
            sentence: `${place.world}: the weighted fit does not: ${formatFixed(times('weight'), 2)} times (target: at most ${RIGHT}, and less than dropping beyond chance).`,
          },
        ]
      }),
      {
        held: signal.mean <= 0.5,
        sentence: `Early signals (noise .2) halve the time, from the first reward on, to half way to the final regret per round: ${formatFixed(signal.mean, 2)} ± ${formatFixed(signal.standardError, 2)} of the time without (target: at most 0.5).`,
      },
      {
        held: harm.low <= 0,
        sentence: `Useless signals do no harm beyond chance: regret after the first window changes by ${effectText(harm)}.`,
      },
    ]
  },
})
