// The one picture and the one sentence: the live service beside its shadow baselines on the same rounds. Differences are paired round
// by round (expected regret given context and truth), with intervals that hold at all times.
//   cost = uncorrected - sees all values,   live = the rival that has lost least so far - live service.

import type { ComparedEstimate, Comparison } from '@primo/contract'
import { rangeInterval } from '@primo/lab'
import { addEvidence, type Evidence, noEvidence } from '@primo/lab/evidence'
import type { DemoProblem } from './demo-problem.js'
import type { LiveErrors } from './live-errors.js'
import type { LiveRegret } from './live-regret.js'
import type { ShadowBaselineRun } from './shadow-baselines.js'

/** Ways of deciding that a user could take instead, in words. */
const RIVALS = { uncorrected: 'the uncorrected model', 'zero-fill': 'taking missing values as zero' } as const
type Rival = keyof typeof RIVALS
const rivals = Object.keys(RIVALS) as Rival[]
/** Which one is best is chosen from the same rounds: the intervals hold for all of them at once. */
const ALPHA = 0.05 / rivals.length

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
  const cost = noEvidence()
  const ahead: Record<Rival, Evidence> = { uncorrected: noEvidence(), 'zero-fill': noEvidence() }
  let counted = 0
  let settled: Comparison['settled'] = null
  let side = 0
  const first = live.rounds
  const range = { min: -span, max: span }

  /** A difference of regrets of one round lies in [-span, span]. */
  const add = (to: Evidence, difference: number) => addEvidence(to, (difference + span) / (2 * span))

  function advance(run: ShadowBaselineRun, rounds: number): void {
    const { regret } = run
    const own = live.cumulative
    const step = (values: Float64Array, i: number) => values[i]! - (i === 0 ? 0 : values[i - 1]!)
    for (; counted < rounds; counted++) {
      add(cost, step(regret.uncorrected, counted) - step(regret['sees-all-values'], counted))
      for (const rival of rivals) add(ahead[rival], step(regret[rival], counted) - step(own, counted))
      if (counted % LOOK_EVERY === 0) settle(counted + 1, bestOf(run, counted + 1))
    }
    // The sentence and the round since which it holds agree.
    if (counted > 0) settle(counted, bestOf(run, counted))
  }

  /** Since when the interval has been on this side of zero. */
  function settle(rounds: number, rival: Rival): void {
    const { low, high } = rangeInterval(ahead[rival], range, { alpha: ALPHA })
    const now = low > 0 ? 1 : high < 0 ? -1 : 0
    if (now === side) return
    side = now
    settled = now === 0 ? null : { rounds, seconds: rounds > first ? Math.round(elapsed() * 10) / 10 : null }
  }

  function estimate(from: Evidence, alpha?: number): ComparedEstimate {
    const { low, high } = rangeInterval(from, range, alpha === undefined ? {} : { alpha })
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
      const rival = bestOf(run, rounds)
      const missingShare = run.missing[rounds - 1]! / rounds
      const points = (values: Float64Array) => marks.map((mark) => ({ rounds: mark, value: round(values[mark - 1]!) }))
      const perThousand = {
        cost: estimate(cost),
        live: estimate(ahead[rival], ALPHA),
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
        rival: RIVALS[rival],
        perThousand,
        needed: settled === null ? neededFor(rounds, perThousand.live) : null,
        settled,
        sentence: sentenceOf(problem, missingShare, perThousand.live, RIVALS[rival]),
      }
    },
  }
}

/** The rival that has lost least. */
function bestOf({ regret }: ShadowBaselineRun, rounds: number): Rival {
  return rivals.reduce((best, rival) => (regret[rival][rounds - 1]! < regret[best][rounds - 1]! ? rival : best))
}

/** For a person who has not read the paper. */
function sentenceOf(
  { unit, verb, unknown }: Pick<DemoProblem, 'unit' | 'verb' | 'unknown'>,
  missingShare: number,
  { mean, low, high }: ComparedEstimate,
  rival: string,
): string {
  const missing = `With ${Math.round(100 * missingShare)}% of ${unknown} unknown`
  const than = `${unit} per 1,000 decisions than ${rival} [${figure(low)}, ${figure(high)}]`
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
