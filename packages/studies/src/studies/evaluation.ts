// Bias and coverage of the off-policy estimators in a world with known values: many logs, the same question asked of each.

import type { EstimatorName, EvaluationInterval } from '@primo/lab'
import {
  crossFittedRewards,
  evaluatePolicy,
  fitObserving,
  foldParts,
  formatEstimate,
  formatFixed,
  randomFolds,
  summarise,
  valueOfObserving,
} from '@primo/lab'
import type { Study, StudyOptions, StudyResult, Verdict } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import { drawLog, SMALLEST_PROPENSITY, trueValues } from './evaluation-world.js'

/** What theory says is unbiased, or consistent with a bias far below the standard error. */
const UNBIASED: ReadonlySet<string> = new Set(['ips', 'snips', 'dr', 'replay', 'ips, z always', 'dr, z always'])
const FOLDS = 5

interface Tally {
  readonly estimator: string
  readonly log: 'skewed' | 'uniform'
  readonly truth: number
  readonly values: number[]
  readonly covered: { asymptotic: number; bootstrap: number; bernstein: number }
  readonly counted: { asymptotic: number; bootstrap: number; bernstein: number }
}

async function run({ scale, seed, onProgress }: StudyOptions): Promise<StudyResult> {
  const repetitions = scale === 'quick' ? 60 : 1000
  const rows = 10_000
  const replicates = scale === 'quick' ? 200 : 500
  const truth = trueValues()
  const tallies = new Map<string, Tally>()
  const tally = (estimator: string, log: Tally['log'], value: number): Tally => {
    const key = `${log} ${estimator}`
    const known = tallies.get(key)
    if (known !== undefined) return known
    const zero = () => ({ asymptotic: 0, bootstrap: 0, bernstein: 0 })
    const fresh: Tally = { estimator, log, truth: value, values: [], covered: zero(), counted: zero() }
    tallies.set(key, fresh)
    return fresh
  }
  const count = (one: Tally, kind: keyof Tally['covered'], found: EvaluationInterval | null) => {
    if (found === null) return
    one.counted[kind]++
    if (found.low <= one.truth && one.truth <= found.high) one.covered[kind]++
  }
  for (let k = 0; k < repetitions; k++) {
    const random = Random.fromSeed(seed).split('evaluation study', k)
    for (const kind of ['skewed', 'uniform'] as const) {
      const { log, target } = drawLog(kind, rows, random.split(kind))
      const parts = foldParts(randomFolds(rows, FOLDS, random.split('folds')), FOLDS)
      const rewards = crossFittedRewards(log, { parts, random: random.split('model') })
      const evaluated = evaluatePolicy(kind, log.choices, target, {
        rewards,
        replicates,
        seed: seed + k,
        ...(kind === 'skewed' ? { minimumPropensity: SMALLEST_PROPENSITY } : {}),
        ...(kind === 'uniform' ? { estimators: ['replay', 'ips', 'dr'] as EstimatorName[] } : {}),
      })
      for (const { estimator, value, asymptotic, bootstrap, bernstein } of evaluated.evaluation.estimates) {
        const one = tally(estimator, kind, truth.now)
        one.values.push(value)
        count(one, 'asymptotic', asymptotic)
        count(one, 'bootstrap', bootstrap)
        count(one, 'bernstein', bernstein)
      }
      if (kind === 'uniform') continue
      const fit = fitObserving(log, { random: random.split('observing'), folds: FOLDS })!
      const observing = valueOfObserving(fit, evaluated)!
      for (const name of ['ips', 'dr'] as const) {
        const one = tally(`${name}, z always`, kind, truth.always)
        one.values.push(observing.always[name].value)
        count(one, 'asymptotic', observing.always[name].asymptotic)
      }
      const gain = tally('gain of seeing z', kind, truth.always - truth.now)
      gain.values.push(observing.gain.value)
      count(gain, 'asymptotic', observing.gain.asymptotic)
    }
    if (k % 10 === 9) {
      onProgress?.((k + 1) / repetitions)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  const all = [...tallies.values()]
  return {
    settings: { scale, repetitions, rows, 'smallest propensity': SMALLEST_PROPENSITY, replicates, seed },
    tables: [
      {
        title: `Bias and coverage of 95% intervals (true value ${formatFixed(truth.now, 5)}; ${formatFixed(truth.always, 5)} if z were always seen)`,
        header: ['estimator', 'log', 'bias', 'bias / se', 'root mean square', 'asymptotic', 'bootstrap', 'Bernstein'],
        rows: all.map((one) => {
          const bias = biasOf(one)
          const square = summarise(one.values.map((value) => (value - one.truth) ** 2)).mean
          return [
            one.estimator,
            one.log,
            formatEstimate({ mean: bias.mean, standardError: bias.standardError }),
            formatFixed(bias.mean / bias.standardError, 1),
            formatFixed(Math.sqrt(square), 5),
            ...(['asymptotic', 'bootstrap', 'bernstein'] as const).map((kind) =>
              one.counted[kind] === 0 ? '-' : formatFixed(one.covered[kind] / one.counted[kind], 3),
            ),
          ]
        }),
      },
    ],
    plots: [],
    verdicts: verdicts(all, repetitions),
  }
}

function biasOf({ values, truth }: Tally) {
  return summarise(values.map((value) => value - truth))
}

function verdicts(all: readonly Tally[], repetitions: number): readonly Verdict[] {
  const judged = all.filter(({ estimator }) => UNBIASED.has(estimator))
  // With 1,000 repetitions the limits are those of the claim; with fewer they give way by three standard errors.
  const slack = repetitions >= 1000 ? 0 : 3 * Math.sqrt((0.95 * 0.05) / repetitions)
  return judged.flatMap((one) => {
    const { mean, standardError } = biasOf(one)
    const name = `${one.estimator} (${one.log} log)`
    const found: Verdict[] = [
      {
        held: Math.abs(mean) <= 3 * standardError,
        sentence: `${name} is unbiased: ${formatEstimate({ mean, standardError })}, ${formatFixed(mean / standardError, 1)} standard errors from zero (at most 3).`,
      },
    ]
    for (const kind of ['asymptotic', 'bootstrap', 'bernstein'] as const) {
      if (one.counted[kind] === 0) continue
      const share = one.covered[kind] / one.counted[kind]
      const least = (kind === 'bernstein' ? 0.95 : 0.92) - slack
      const most = kind === 'bernstein' ? 1 : Math.min(1, 0.98 + slack)
      found.push({
        held: share >= least && share <= most,
        sentence: `${kind} 95% intervals of ${name} cover in ${formatFixed(100 * share, 1)}% of logs (${formatFixed(100 * least, 1)} to ${formatFixed(100 * most, 1)}).`,
      })
    }
    return found
  })
}

export const evaluation: Study = {
  name: 'evaluation',
  title: 'Off-policy evaluation: bias and coverage',
  claim:
    'IPS, SNIPS, doubly robust and replay estimates have no bias beyond chance and their 95% intervals cover as they say (n = 10,000, propensities from 0.02).',
  run,
}
