// What rewards say of a covariate where it is missing (method#missing-set), in an epoch's report: the set of its mean, what stands in for
// it, and how many decisions are settled.

import { isCorrection } from '../calibration/correction.js'
import { correctionCompiler, type Engine } from '../engine/engine.js'
import type { EpochState } from '../engine/epoch-state.js'
import { unscaleNumber } from '../problem/feature.js'
import type { RoundTable } from '../rounds/round-table.js'
import { type ReportSample, wasObserved } from './report-sample.js'
import { excludes, rewardSet } from './reward-set.js'
import { type AllowedMean, compileSettledRanking } from './settled-ranking.js'

/** The mean over missing rows, in the covariate's units (method#missing-set). */
export interface MissingSetDiagnosis extends AllowedMean {
  /** What was seen: what is known without rewards. */
  readonly range: { readonly lower: number; readonly upper: number }
  /** The 99% limits exclude what the correction says. */
  readonly excluded: boolean
  /** Share of the missing rows whose best action is the same over all of the set; null: not known. */
  readonly settledShare: number | null
}

/** `rows`: those of the sample in which it is missing. */
export function diagnoseSet(
  state: EpochState,
  rounds: RoundTable,
  engine: Engine,
  sample: ReportSample,
  which: number,
  rows: readonly number[],
): { readonly missingSet?: MissingSetDiagnosis } {
  const { encoding, calibration } = engine
  const { feature, width } = encoding.covariates[which]!
  const correction = state.corrections[which]
  const memory = state.reports.at(-1)?.window
  if (width > 1 || !isCorrection(correction) || memory === undefined) return {}
  const clip = calibration?.clip ?? 'range'
  const found = rewardSet({ rounds, memory, encoding, which, correction, clip, compile: correctionCompiler(engine) })
  if (found === null || found.equations === 0) return {}
  const outside = (value: number) => (feature.type === 'number' ? unscaleNumber(feature, value) : value)
  const limits = ({ lower, upper }: { lower: number; upper: number }) => ({
    lower: outside(lower),
    upper: outside(upper),
  })
  const possible = found.set ?? found.wide
  const allowed: AllowedMean = { limits: possible && limits(possible), used: outside(found.used) }
  const ranked = compileSettledRanking(
    engine,
    state,
    encoding.covariates.map((_, k) => (k === which ? allowed : undefined)),
  )
  const input = scorerInput(sample, rows, engine.shape)
  const known = rows.flatMap((_, i) => ranked?.(input, i, which) ?? [])
  return {
    missingSet: {
      ...allowed,
      range: limits(found.range),
      excluded: excludes(found),
      settledShare: known.length === 0 ? null : known.filter((settled) => settled).length / known.length,
    },
  }
}

/** Rows of the sample as a scorer reads them. */
function scorerInput(sample: ReportSample, rows: readonly number[], shape: Engine['shape']) {
  const { contextWidth: p, covariateWidth: m, covariateCount: c } = shape
  const { block } = sample
  const input = {
    context: new Float64Array(rows.length * p),
    covariates: new Float64Array(rows.length * m),
    observed: new Uint8Array(rows.length * c),
  }
  rows.forEach((row, i) => {
    input.context.set(block.context.subarray(row * p, (row + 1) * p), i * p)
    input.covariates.set(block.covariates.subarray(row * m, (row + 1) * m), i * m)
    for (let k = 0; k < c; k++) input.observed[i * c + k] = wasObserved(sample, row, k, c) ? 1 : 0
  })
  return input
}
