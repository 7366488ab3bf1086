// The one picture and the one sentence: the live service beside its shadow baselines on the same rounds. Differences are paired round
// by round (expected regret given context and truth), with intervals that hold at all times.
//   cost = uncorrected - sees all values,   live = uncorrected - live service.

import type { ComparedEstimate, Comparison } from '@primo/contract'
import { rangeInterval } from '@primo/lab'
import { addEvidence, type Evidence, noEvidence } from '@primo/lab/evidence'
import type { DemoProblem } from './demo-problem.js'
import type { LiveErrors } from './live-errors.js'
import type { LiveRegret } from './live-regret.js'
import type { ShadowBaselineRun } from './shadow-baselines.js'

const POINTS = 120
const LOOK_EVERY = 64
/** Earlier nobody can tell what a verdict needs; more than the last nobody waits for. */
const FEWEST_ROUNDS = 500
const MOST_NEEDED = 1e6
/** Missing values of an epoch below which its error says little. */
const FEWEST_MISSING = 50

export interface Compare {
  readonly decided: () => number
  /** Null until the shadow baselines have something to show. */
  readonly at: (run: ShadowBaselineRun | null) => Comparison | null
}

export interface CompareOptions {
  readonly problem: DemoProblem
  readonly covariate: string
  readonly span: number
  readonly live: LiveRegret
  readonly errors: LiveErrors
  /** Seconds since this run began to decide. */
  readonly elapsed: () => number
}

export function createCompare({ problem, covariate, span, live, errors, elapsed }: CompareOptions): Compare {
  const evidence = { cost: noEvidence(), live: noEvidence() }
  let counted = 0
  let settled: Comparison['settled'] = null
  let side = 0
  const first = live.rounds
  const range = { min: -span, max: span }

  /** A difference of regrets of one round lies in [-span, span]. */
  const add = (to: Evidence, difference: number) => addEvidence(to, (difference + span) / (2 * span))

  function advance(run: ShadowBaselineRun, rounds: number): void {
    const { uncorrected, 'sees-all-values': seeing } = run.regret
    const own = live.cumulative
    const step = (values: Float64Array, i: number) => values[i]! - (i === 0 ? 0 : values[i - 1]!)
    for (; counted < rounds; counted++) {
      const plain = step(uncorrected, counted)
      add(evidence.cost, plain - step(seeing, counted))
      add(evidence.live, plain - step(own, counted))
      if (counted % LOOK_EVERY === 0) settle(counted + 1)
    }
    // What is said now and since when it holds agree.
    settle(counted)
  }

  /** Since when the interval has been on this side of zero. */
  function settle(rounds: number): void {
    const { low, high } = rangeInterval(evidence.live, range)
    const now = low > 0 ? 1 : high < 0 ? -1 : 0
    if (now === side) return
    side = now
    settled = now === 0 ? null : { rounds, seconds: rounds > first ? Math.round(elapsed() * 10) / 10 : null }
  }

  function estimate(from: Evidence): ComparedEstimate {
    const { low, high } = rangeInterval(from, range)
    const mean = from.count === 0 ? 0 : ((2 * from.sum) / from.count - 1) * span
    return { mean: 1000 * mean, low: 1000 * low, high: 1000 * high }
  }

  return {
    decided: () => live.rounds,
    at: (run) => {
      if (run === null || live.rounds === 0) return null
      const rounds = Math.min(run.rounds, live.rounds)
      advance(run, rounds)
      const marks = thinned(rounds)
      const missingShare = run.missing[rounds - 1]! / rounds
      const points = (values: Float64Array) => marks.map((mark) => ({ rounds: mark, value: round(values[mark - 1]!) }))
      const perThousand = {
        cost: estimate(evidence.cost),
        live: estimate(evidence.live),
        unavoidable: (1000 * run.floor[rounds - 1]!) / rounds,
      }
      return {
        problem: problem.name,
        covariate,
        unit: problem.unit,
        verb: problem.verb,
        covariateUnit: problem.covariateUnit,
        rounds,
        seconds: elapsed(),
        curves: [
          ...Object.entries(run.regret).map(([policy, values]) => ({ policy, live: false, points: points(values) })),
          { policy: 'robust', live: true, points: points(live.cumulative) },
        ],
        floor: points(run.floor),
        errors: errors.list(FEWEST_MISSING),
        best: run.best,
        missingShare,
        perThousand,
        needed: settled === null ? neededFor(rounds, perThousand.live) : null,
        settled,
        sentence: sentenceOf(problem, missingShare, perThousand.live),
      }
    },
  }
}

/** What a person understands who has not read the paper. */
export function sentenceOf(
  { unit, verb, unknown }: Pick<DemoProblem, 'unit' | 'verb' | 'unknown'>,
  missingShare: number,
  { mean, low, high }: ComparedEstimate,
): string {
  const missing = `With ${Math.round(100 * missingShare)}% of ${unknown} unknown`
  const than = `${unit} per 1,000 decisions than the uncorrected model [${figure(low)}, ${figure(high)}]`
  if (low > 0) return `${missing}, Primo ${verb} ${figure(mean)} more ${than}.`
  if (high < 0) return `${missing}, Primo ${verb} ${figure(-mean)} fewer ${than}.`
  return `${missing}: learning, no verdict yet.`
}

/** Intervals shrink like one over the root of the rounds. */
export function neededFor(rounds: number, { mean, low, high }: ComparedEstimate): number | null {
  if (mean === 0 || rounds < FEWEST_ROUNDS) return null
  const needed = rounds * ((high - low) / 2 / mean) ** 2
  const unit = 10 ** Math.max(2, Math.floor(Math.log10(needed)) - 1)
  return needed > MOST_NEEDED ? null : unit * Math.ceil(needed / unit)
}

function figure(value: number): string {
  return value.toFixed(Math.abs(value) < 10 ? 1 : 0)
}

/** Some rounds from the first to the last, evenly. */
function thinned(rounds: number): number[] {
  if (rounds <= POINTS) return Array.from({ length: rounds }, (_, i) => i + 1)
  return Array.from({ length: POINTS }, (_, i) => 1 + Math.round(((rounds - 1) * i) / (POINTS - 1)))
}

function round(value: number): number {
  return Number(value.toPrecision(6))
}
