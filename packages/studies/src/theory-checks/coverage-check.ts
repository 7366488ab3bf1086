// Coverage (method#elasticity-from-data) of the 95% log-scale intervals for E(z - g~)^2 and E[(1-b)(z - g~)^2] in environment
// A, cross-fitted aipw and hajek, and the bias of the naive mean over observed rows.

import { crossFit, hajekMean, missingMean } from '@primo/core/engine'
import { referenceData, summarise } from '@primo/lab'
import { Random } from '@primo/numeric'
import { between, type Check, type CheckLine, type CheckOptions, near } from './check.js'
import { CONTEXT_WIDTH, drawEnvironment } from './environment-draws.js'

export function coverageCheck({ seed, quick }: CheckOptions): Check {
  const random = Random.fromSeed(seed).split('coverage')
  const reference = referenceData('A')
  const repeats = quick ? 100 : 400
  const truth = truths(random.split('truth'), quick ? 400_000 : 4_000_000)
  const lines: CheckLine[] = []
  const quoted: Record<number, readonly [string, string, string]> = {
    500: ['.945', '.945', '.968'],
    4000: ['.958', '.963', '.960'],
  }
  const naive: number[] = []
  for (const rows of quick ? [500] : [500, 4000]) {
    const hits = [0, 0, 0, 0]
    for (let k = 0; k < repeats; k++) {
      const stream = random.split(rows, k)
      const draws = drawEnvironment(reference, rows, stream)
      const differences = draws.covariate.map((z, i) => z - draws.pretrained[i]!)
      const table = { context: draws.context, contextWidth: CONTEXT_WIDTH, observed: draws.observed }
      const nuisances = crossFit(table, { random: stream.split('folds') })
      const values = differences.map((value, i) => (draws.observed[i] ? value * value : 0))
      const { fitted: regression } = nuisances.regression(values)
      const shared = { values, observed: draws.observed, probabilities: nuisances.probabilities }
      const intervals = [
        missingMean({ ...shared, regression }),
        missingMean({ ...shared, regression, target: 'missing' }),
        hajekMean(shared),
        hajekMean({ ...shared, target: 'missing' }),
      ]
      intervals.forEach(({ lower, upper }, j) => {
        const target = j % 2 === 0 ? truth.all : truth.missing
        if (lower <= target && target <= upper) hits[j] = hits[j]! + 1
      })
      if (rows === 500) {
        const seen = values.filter((_, i) => draws.observed[i] === 1)
        naive.push(seen.reduce((sum, value) => sum + value, 0) / seen.length)
      }
    }
    const names = ['E(z-g~)^2, aipw', 'E[(1-b)(z-g~)^2], aipw', 'E(z-g~)^2, hajek', 'E[(1-b)(z-g~)^2], hajek']
    const said = [...quoted[rows]!, '-']
    names.forEach((name, j) => {
      const share = hits[j]! / repeats
      lines.push(
        between({
          what: `n = ${rows}: coverage of ${name}`,
          measured: share,
          standardError: Math.sqrt((share * (1 - share)) / repeats),
          // The short study has too few repetitions for the band that the long one must meet.
          low: quick ? 0.9 : 0.92,
          high: quick ? 0.99 : 0.98,
          quoted: said[j]!,
        }),
      )
    })
  }
  const mean = summarise(naive)
  lines.push(
    near({ what: 'E(z-g~)^2, truth', measured: truth.all, quoted: 0.1661, tolerance: 0.0005 }),
    near({
      what: 'naive mean over observed rows (biased)',
      measured: mean.mean,
      standardError: mean.standardError,
      quoted: 0.1755,
      tolerance: 0.0005,
    }),
  )
  return {
    id: 'coverage',
    title: 'Coverage of elasticity intervals at nominal 0.95',
    note: `${repeats} repetitions per size, 5 folds, e(x) and m(x) of the class with the smallest held-out loss`,
    seed,
    lines,
  }
}

/** Both moments by Monte Carlo with the conditional mean in place of eta and b. */
function truths(random: Random, rows: number): { readonly all: number; readonly missing: number } {
  const reference = referenceData('A')
  const variance = reference.covariateNoise ** 2 / 3
  let all = 0
  let missing = 0
  for (let done = 0; done < rows; done += 20_000) {
    const draws = drawEnvironment(reference, 20_000, random)
    for (let i = 0; i < draws.rows; i++) {
      const square = (draws.mean[i]! - draws.pretrained[i]!) ** 2 + variance
      all += square / rows
      missing += ((1 - draws.probability[i]!) * square) / rows
    }
  }
  return { all, missing }
}
