// primo study late-rewards: rewards that never come and rewards that come late (docs/late-rewards.md).
// Missing: regret of a learner that drops rounds without a reward and of one that weights those with one by 1 / P(it is seen), beside one
// that misses none. Late: the rounds it takes, from the first reward on, until regret per round has gone half the way from that of
// uniform play to the final one, with an early signal and without; before the first reward nobody can learn.

import type { LearnerOptions } from '@primo/core'
import { formatFixed, summarise } from '@primo/lab'
import type { Study, StudyOptions, StudyResult, StudyTable, Verdict } from '@primo/lab/node'
import { poolAdjacentViolators } from '@primo/numeric'
import {
  type Arm,
  lateRegret,
  type MissingWorldName,
  missingRegret,
  type SignalNoise,
  WINDOW,
} from './late-reward-worlds.js'
import { effectText, pairedEffect } from './paired-effect.js'

interface Size {
  readonly seeds: number
  readonly missingRounds: number
  readonly lateRounds: number
}

const LINES: LearnerOptions['oracle'] = { interactions: 'none' }
/** `judged`: the rewards have a cliff and the model has lines, so that which rewards come matters. */
const SETTINGS: readonly {
  readonly world: MissingWorldName
  readonly model: string
  readonly oracle: LearnerOptions['oracle']
  readonly judged: boolean
}[] = [
  { world: 'cliff', model: 'lines', oracle: LINES, judged: true },
  { world: 'two cliffs', model: 'lines', oracle: LINES, judged: true },
  { world: 'cliff', model: 'default', oracle: undefined, judged: false },
  { world: 'two cliffs', model: 'default', oracle: undefined, judged: false },
  { world: 'line', model: 'default', oracle: undefined, judged: false },
]
const ARMS: readonly Arm[] = ['all', 'drop', 'weight']
/** Dropping misleads: at least this many times the regret without missing rewards; weighting does not: at most this many times. */
const MISLED = 1.5
const RIGHT = 1.25

const SIGNALS: readonly { readonly name: string; readonly noise: SignalNoise }[] = [
  { name: 'none', noise: null },
  { name: 'noise .2', noise: 0.2 },
  { name: 'noise .5', noise: 0.5 },
  { name: 'useless', noise: 'useless' },
]
const JUDGED_SIGNAL = 'noise .2'
const BIN = 25
const LAST = 1000

async function runLateRewards(options: StudyOptions, size: Size): Promise<StudyResult> {
  const seeds = Array.from({ length: size.seeds }, (_, k) => options.seed + k)
  const steps = seeds.length * (SETTINGS.length + SIGNALS.length)
  let done = 0
  const forSeeds = async <T>(run: (seed: number) => T): Promise<readonly T[]> => {
    const out: T[] = []
    for (const seed of seeds) {
      out.push(run(seed))
      options.onProgress?.(++done / steps)
      // Lets the progress be drawn.
      await new Promise((resolve) => setImmediate(resolve))
    }
    return out
  }
  const missing: MissingResult[] = []
  for (const { world, model, oracle, judged } of SETTINGS) {
    const found = await forSeeds((seed) =>
      ARMS.map((arm) => missingRegret(world, arm, oracle, seed, size.missingRounds)),
    )
    missing.push({ world, model, judged, regrets: ARMS.map((_, k) => found.map((row) => row[k]!)) })
  }
  const late: LateResult[] = []
  for (const { name, noise } of SIGNALS)
    late.push({ name, curves: await forSeeds((seed) => lateRegret(noise, seed, size.lateRounds)) })
  return {
    settings: { ...size, 'first seed': options.seed, window: WINDOW, scale: options.scale },
    tables: [missingTable(missing, size), lateTable(late, size)],
    plots: [
      {
        title: 'Regret per round from the first reward on',
        xLabel: 'rounds since the first window closed',
        yLabel: 'regret per round',
        series: late.map(({ name, curves }) => ({
          name: name === 'none' ? 'no signal' : `signal: ${name}`,
          points: bins(meanCurve(curves), 4 * BIN).filter(({ x }) => x <= WINDOW),
        })),
      },
    ],
    verdicts: [...missing.filter(({ judged }) => judged).flatMap(missingVerdicts), ...lateVerdicts(late)],
  }
}

interface MissingResult {
  readonly world: string
  readonly model: string
  readonly judged: boolean
  /** By arm, by seed. */
  readonly regrets: readonly (readonly number[])[]
}

function missingTable(results: readonly MissingResult[], { missingRounds, seeds }: Size): StudyTable {
  return {
    title: `Regret over ${missingRounds.toLocaleString('en')} rounds, ${seeds} seeds`,
    header: ['world', 'reward model', 'none missing', 'dropped', 'weighted', 'weighted less dropped [95%]'],
    rows: results.map(({ world, model, regrets }) => {
      const [all, drop, weight] = regrets
      return [world, model, ...[all!, drop!, weight!].map(levelText), effectText(pairedEffect(weight!, drop!))]
    }),
  }
}

function levelText(values: readonly number[]): string {
  const { mean, standardError } = summarise(values)
  return `${mean.toFixed(0)} ± ${standardError.toFixed(1)}`
}

function missingVerdicts({ world, regrets }: MissingResult): readonly Verdict[] {
  const [all, drop, weight] = regrets.map((values) => summarise(values).mean)
  const misled = drop! / all!
  const right = weight! / all!
  return [
    {
      held: misled >= MISLED && pairedEffect(regrets[1]!, regrets[0]!).low > 0,
      sentence: `${world}: dropping rounds without a reward misleads: ${formatFixed(misled, 2)} times the regret without missing rewards (target: at least ${MISLED}).`,
    },
    {
      held: right <= RIGHT && pairedEffect(regrets[2]!, regrets[1]!).high < 0,
      sentence: `${world}: the weighted fit does not: ${formatFixed(right, 2)} times (target: at most ${RIGHT}, and less than dropping beyond chance).`,
    },
  ]
}

interface LateResult {
  readonly name: string
  readonly curves: readonly Float64Array[]
}

function meanCurve(curves: readonly Float64Array[]): Float64Array {
  return curves[0]!.map((_, t) => curves.reduce((sum, curve) => sum + curve[t]!, 0) / curves.length)
}

const average = (values: Float64Array) => values.reduce((sum, value) => sum + value, 0) / values.length

function bins(curve: Float64Array, width: number): readonly { readonly x: number; readonly y: number }[] {
  const points: { x: number; y: number }[] = []
  for (let t = WINDOW; t + width <= curve.length; t += width)
    points.push({ x: t + width / 2 - WINDOW, y: average(curve.subarray(t, t + width)) })
  return points
}

/** Rounds from the first reward on until regret per round, as the nearest curve that only falls, is at most `level`. */
function timeTo(level: number, curve: Float64Array): number {
  const points = bins(curve, BIN)
  const rising = Float64Array.from(points, ({ y }) => -y)
  const { starts, values } = poolAdjacentViolators(rising, new Float64Array(points.length).fill(1))
  const block = values.findIndex((value) => -value <= level)
  return block === -1 ? Number.POSITIVE_INFINITY : points[starts[block]!]!.x
}

/** Half the way from uniform play to the final regret per round, both without signals. */
function halfWay(plain: Float64Array): number {
  return (average(plain.subarray(0, WINDOW)) + average(plain.subarray(plain.length - LAST))) / 2
}

/** Time with signals over time without, and its jackknife standard error over seeds. */
function ratioOfTimes(own: LateResult, plain: LateResult): { readonly ratio: number; readonly standardError: number } {
  const ratioOf = (keep: (seed: number) => boolean) => {
    const without = meanCurve(plain.curves.filter((_, k) => keep(k)))
    const level = halfWay(without)
    return timeTo(level, meanCurve(own.curves.filter((_, k) => keep(k)))) / timeTo(level, without)
  }
  const n = plain.curves.length
  const left = plain.curves.map((_, k) => ratioOf((seed) => seed !== k))
  const mean = left.reduce((sum, value) => sum + value, 0) / n
  const squares = left.reduce((sum, value) => sum + (value - mean) ** 2, 0)
  return { ratio: ratioOf(() => true), standardError: Math.sqrt(((n - 1) / n) * squares) }
}

function afterWindow({ curves }: LateResult): readonly number[] {
  return curves.map((curve) => curve.subarray(WINDOW).reduce((sum, value) => sum + value, 0))
}

function lateTable(results: readonly LateResult[], { lateRounds, seeds }: Size): StudyTable {
  const plain = results[0]!
  const level = halfWay(meanCurve(plain.curves))
  return {
    title: `Rewards ${WINDOW.toLocaleString('en')} rounds late, ${lateRounds.toLocaleString('en')} rounds, ${seeds} seeds`,
    header: ['signal', 'rounds to half way', 'over none ± se', 'regret after the first window', 'less none [95%]'],
    rows: results.map((result) => {
      const { ratio, standardError } = ratioOfTimes(result, plain)
      const regrets = afterWindow(result)
      return [
        result.name,
        timeTo(level, meanCurve(result.curves)).toFixed(0),
        result === plain ? '' : `${formatFixed(ratio, 2)} ± ${formatFixed(standardError, 2)}`,
        levelText(regrets),
        result === plain ? '' : effectText(pairedEffect(regrets, afterWindow(plain))),
      ]
    }),
  }
}

function lateVerdicts(results: readonly LateResult[]): readonly Verdict[] {
  const plain = results[0]!
  const judged = results.find(({ name }) => name === JUDGED_SIGNAL)!
  const { ratio, standardError } = ratioOfTimes(judged, plain)
  const useless = pairedEffect(afterWindow(results.find(({ name }) => name === 'useless')!), afterWindow(plain))
  return [
    {
      held: ratio <= 0.5,
      sentence: `Early signals (${JUDGED_SIGNAL}) halve the time, from the first reward on, to half way to the final regret per round: ${formatFixed(ratio, 2)} ± ${formatFixed(standardError, 2)} of the time without (target: at most 0.5).`,
    },
    {
      held: useless.low <= 0,
      sentence: `Useless signals do no harm beyond chance: regret after the first window changes by ${effectText(useless)}.`,
    },
  ]
}

export const lateRewards: Study = {
  name: 'late-rewards',
  title: 'Rewards that are missing or late',
  claim:
    'Where a reward model is too simple and replies come from some contexts more than others, dropping missing rewards misleads and weights do not; early signals halve the time that late rewards take to teach.',
  run: (options) =>
    runLateRewards(
      options,
      options.scale === 'full'
        ? { seeds: 40, missingRounds: 6000, lateRounds: 8000 }
        : { seeds: 6, missingRounds: 6000, lateRounds: 5000 },
    ),
}
