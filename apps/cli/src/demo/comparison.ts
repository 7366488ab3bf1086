// The one picture and the one sentence: the live service beside its shadow baselines on the same rounds. Differences are paired round
// by round (expected regret given context and truth), with intervals that hold at all times.

import type { ComparedEstimate, Comparison } from '@primo/contract'
import { addEvidence, type Evidence, noEvidence, rangeInterval } from '@primo/lab'
import type { DemoProblem } from './demo-problem.js'
import type { LiveRegret } from './live-regret.js'
import type { ShadowBaselineRun } from './shadow-baselines.js'

const POINTS = 120
const LOOK_EVERY = 64
/** Errors of the first epochs are those of a few rounds. */
const FEWEST_ROUNDS = 128

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
  /** Seconds since this run began to decide. */
  readonly elapsed: () => number
}

export function createCompare({ problem, covariate, span, live, elapsed }: CompareOptions): Compare {
  const evidence = { cost: noEvidence(), recovered: noEvidence(), live: noEvidence() }
  let counted = 0
  let settled: Comparison['settled'] = null
  let side = 0
  const first = live.rounds
  const range = { min: -span, max: span }

  /** A difference of regrets of one round lies in [-span, span]. */
  const add = (to: Evidence, difference: number) => addEvidence(to, (difference + span) / (2 * span))

  function advance(run: ShadowBaselineRun, rounds: number): void {
    const { primo, 'primo-cal': calibrated, 'sees-all-values': seeing } = run.regret as Record<string, Float64Array>
    const own = live.cumulative
    const step = (values: Float64Array, i: number) => values[i]! - (i === 0 ? 0 : values[i - 1]!)
    for (; counted < rounds; counted++) {
      const plugIn = step(primo!, counted)
      add(evidence.cost, plugIn - step(seeing!, counted))
      add(evidence.recovered, plugIn - step(calibrated!, counted))
      add(evidence.live, plugIn - step(own, counted))
      if (counted % LOOK_EVERY === 0) settle(counted + 1)
    }
  }

  /** Since when the interval has been on this side of zero. */
  function settle(rounds: number): void {
    const { low, high } = rangeInterval(evidence.recovered, range)
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
      const points = (values: Float64Array) => marks.map((mark) => ({ rounds: mark, value: round(values[mark - 1]!) }))
      const perThousand = {
        cost: estimate(evidence.cost),
        recovered: estimate(evidence.recovered),
        live: estimate(evidence.live),
        unavoidable: (1000 * run.floor[rounds - 1]!) / rounds,
      }
      return {
        problem: problem.name,
        covariate,
        unit: problem.unit,
        covariateUnit: problem.covariateUnit,
        rounds,
        seconds: elapsed(),
        curves: [
          ...Object.entries(run.regret).map(([policy, values]) => ({ policy, live: false, points: points(values) })),
          { policy: 'robust', live: true, points: points(live.cumulative) },
        ],
        floor: points(run.floor),
        errors: run.errors.filter((row) => row.rounds >= FEWEST_ROUNDS && row.rounds <= rounds),
        best: run.best,
        perThousand,
        settled,
        sentence: sentenceOf(problem, covariate, perThousand),
      }
    },
  }
}

export function sentenceOf(
  { unit }: Pick<DemoProblem, 'unit'>,
  covariate: string,
  { cost, recovered, live, unavoidable }: Comparison['perThousand'],
): string {
  const of = ({ mean, low, high }: ComparedEstimate) => `${figure(mean)} [${figure(low)}, ${figure(high)}]`
  return `Per 1,000 decisions, missing values cost ${of(cost)} ${unit} with the pre-trained model as it is; calibration recovered ${of(recovered)}, the live service ${of(live)}; ${figure(unavoidable)} is unavoidable without seeing ${covariate}.`
}

function figure(value: number): string {
  return value.toFixed(Math.abs(value) < 100 ? 1 : 0)
}

/** Some rounds from the first to the last, evenly. */
function thinned(rounds: number): number[] {
  if (rounds <= POINTS) return Array.from({ length: rounds }, (_, i) => i + 1)
  return Array.from({ length: POINTS }, (_, i) => 1 + Math.round(((rounds - 1) * i) / (POINTS - 1)))
}

function round(value: number): number {
  return Number(value.toPrecision(6))
}
