// What rewards say of a covariate where it is missing (method#missing-set), in an epoch's report: the set of its mean, what stands in for
// it, and how many decisions are settled.

import type { Engine } from '../engine/engine.js'
import type { EpochState } from '../engine/epoch-state.js'
import { compileSettledRanking, newestSet } from '../engine/settled-ranking.js'
import { unscaleNumber } from '../problem/feature.js'
import { type ReportSample, wasObserved } from './report-sample.js'

/** The mean over missing rows, in the covariate's units (method#missing-set). */
export interface MissingSetDiagnosis {
  /** 95% limits, 99% ones where no values agree with the rewards at 95%; null: no values agree with the rewards, whose noise then depends on why values are missing. */
  readonly limits: { readonly lower: number; readonly upper: number } | null
  /** What was seen: what is known without rewards. */
  readonly range: { readonly lower: number; readonly upper: number }
  /** The mean of what stands in for it. */
  readonly used: number
  /** The 99% limits exclude what the correction says. */
  readonly excluded: boolean
  /** Share of the missing rows whose best action is the same over all of the set; null: not known. */
  readonly settledShare: number | null
}

/** `rows`: those of the sample in which it is missing. */
export function diagnoseSet(
  state: EpochState,
  engine: Engine,
  sample: ReportSample,
  which: number,
  rows: readonly number[],
): { readonly missingSet?: MissingSetDiagnosis } {
  const set = newestSet(state, which)
  if (set === null) return {}
  const { feature } = engine.encoding.covariates[which]!
  const outside = (value: number) => (feature.type === 'number' ? unscaleNumber(feature, value) : value)
  const limits = ({ lower, upper }: { lower: number; upper: number }) => ({
    lower: outside(lower),
    upper: outside(upper),
  })
  const ranked = compileSettledRanking(engine, state)
  const input = scorerInput(sample, rows, engine.shape)
  const known = rows.flatMap((_, i) => ranked?.(input, i, which) ?? [])
  return {
    missingSet: {
      limits: set.limits && limits(set.limits),
      range: limits(set.range),
      used: outside(set.inUse),
      excluded: set.excluded,
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
    modelSd: new Float64Array(rows.length * c).fill(Number.NaN),
  }
  rows.forEach((row, i) => {
    input.context.set(block.context.subarray(row * p, (row + 1) * p), i * p)
    input.covariates.set(block.covariates.subarray(row * m, (row + 1) * m), i * m)
    for (let k = 0; k < c; k++) {
      input.observed[i * c + k] = wasObserved(sample, row, k, c) ? 1 : 0
      if (block.modelSd !== null) input.modelSd[i * c + k] = block.modelSd[row * c + k]!
    }
  })
  return input
}
