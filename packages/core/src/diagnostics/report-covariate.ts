// One covariate in an epoch's report: how often it is missing, how well that can be predicted, how wrong its models are, how much
// rewards react, what knowing it would be worth. Estimates are under MAR (method#elasticity-from-data) with 95% intervals, and
// null where these rows cannot support one (`unsupported` says why).

import type { Random } from '@primo/numeric'
import type { TheoryWarning } from '@primo/theory'
import type { AuditReport } from '../calibration/audit.js'
import { type Engine, imputationModels, imputationPoints, imputationSpread } from '../engine/engine.js'
import type { EpochState } from '../engine/epoch-state.js'
import type { ValueOfObserving } from '../engine/value-of-observing.js'
import { type ObservationQuality, observationQuality } from '../missingness/observation-quality.js'
import { insideUnit } from '../problem/feature.js'
import type { RoundTable } from '../rounds/round-table.js'
import { auditReport } from './audit-report.js'
import { type CrossFit, crossFit } from './cross-fit.js'
import { estimateElasticity } from './elasticity-estimate.js'
import { effectiveRowsOf, missingMean, unsupportedBy } from './missing-mean.js'
import { diagnoseOverlap } from './overlap.js'
import { type CorrectionInUse, correctionInUse, fittedValues } from './report-model.js'
import { type ReportSample, wasObserved } from './report-sample.js'
import { diagnoseSet, type MissingSetDiagnosis } from './report-set.js'
import { valueInterval } from './value-interval.js'

/** An estimate with its interval. */
export interface Estimate {
  readonly estimate: number
  /** 95% interval. */
  readonly lower: number
  readonly upper: number
}

/** One covariate, as the newest closed rounds show it. */
export interface CovariateDiagnosis {
  readonly covariate: string
  /** Rows of the sample that have a prediction, and how many of them show the value. */
  readonly rows: number
  readonly known: number
  readonly missingShare: number
  /** Of the missing rows, the share of each declared reason; absent: none is declared. */
  readonly reasons?: Readonly<Record<string, number>>
  /** Share of the sample in which the pre-trained model had nothing to say. */
  readonly failedShare: number
  /** Why these rows cannot support the intervals of error and elasticity, which are then null; null: they can. */
  readonly unsupported: TheoryWarning | null
  /** Whether the value is observed, predicted from the context; null: fewer than 5 rows of a kind. */
  readonly observation: ObservationQuality | null
  readonly overlap: {
    /** Smallest e(x), and its 1%, 5%, 25% and 50% quantiles, not clipped. */
    readonly smallest: number
    readonly quantiles: readonly number[]
    /** The observation minimum of calibration, and the share of rows at or below it. */
    readonly shareAtFloor: number
    readonly floor: number
    /** (sum w)^2 / sum w^2 of the weights 1/e of known rows. */
    readonly effectiveRows: number
  } | null
  readonly correction: CorrectionInUse
  /** The truths that its audit asked for; null: no audit, or nothing was learnt yet. */
  readonly audit: AuditReport | null
  /** What rewards say of its mean where it is missing, whatever made it missing; absent: too few rows to say anything. */
  readonly missingSet?: MissingSetDiagnosis
  /** The verdict of the audit's test; when rejected, error and elasticity below are not to be relied on. */
  readonly missingAtRandom: 'not-tested' | 'not-rejected' | 'rejected'
  /** Mean squared errors in squared units of the covariate; null: not supported. */
  readonly error: {
    readonly pretrained: { readonly all: Estimate; readonly missing: Estimate | null }
    readonly calibrated: { readonly all: Estimate; readonly missing: Estimate | null }
  } | null
  /** Of the reward model in use at the model in use, in squared units of the mean reward's range; null: no reward model, or not supported. */
  readonly elasticity: {
    readonly maxInside: Estimate
    readonly missingOnly: Estimate
    readonly bias: Estimate
  } | null
  /**
   * In the reward's units; null: what the imputation leaves open is not known, or nothing is missing. The interval is null where the
   * reward model does not say how well it is known, or is not known well enough.
   */
  readonly valueOfObserving: {
    readonly mean: { readonly estimate: number; readonly lower: number | null; readonly upper: number | null }
    readonly perThousand: number
  } | null
}

/** Fewer rows of a kind than this give no estimate. */
const FEWEST_ROWS = 5

export function diagnoseCovariate(
  state: EpochState,
  rounds: RoundTable,
  engine: Engine,
  sample: ReportSample,
  which: number,
  valueAt: ValueOfObserving | null,
  random: Random,
): CovariateDiagnosis {
  const { encoding, shape } = engine
  const { contextWidth: p, covariateWidth: m, covariateCount: c } = shape
  const covariate = encoding.covariates[which]!
  const { at, width, feature, name } = covariate
  const unit = insideUnit(feature)
  const rows: number[] = []
  let missing = 0
  for (let row = 0; row < sample.count; row++) {
    if (!wasObserved(sample, row, which, c)) missing++
    if (!Number.isNaN(sample.block.pretrained[row * m + at])) rows.push(row)
  }
  const observed = Uint8Array.from(rows, (row) => (wasObserved(sample, row, which, c) ? 1 : 0))
  const known = observed.reduce((sum, b) => sum + b, 0)
  const context = new Float64Array(rows.length * p)
  rows.forEach((row, i) => {
    context.set(sample.block.context.subarray(row * p, (row + 1) * p), i * p)
  })
  const table = { context, contextWidth: p, observed }
  const enough = known >= FEWEST_ROWS && rows.length - known >= FEWEST_ROWS
  const floor = engine.calibration?.observation.floor ?? 0.05
  const nuisances = enough ? crossFit(table, { random: random.split('folds') }) : null
  const probabilities = nuisances?.probabilities ?? new Float64Array(rows.length).fill(1)
  // With nothing missing the plain means are known as well as their rows are many.
  const unsupported = known === 0 ? null : unsupportedBy(observed, probabilities)
  const missingShare = sample.count === 0 ? 0 : missing / sample.count
  const audit = auditReport(rounds, state.reports.at(-1)?.window ?? { from: 0, to: 0 }, engine, which)
  const fitted = fittedValues(state, engine, sample, which, rows)

  const squares = (predicted: Float64Array) =>
    Float64Array.from(rows, (row, i) => {
      let sum = 0
      for (let k = 0; k < width; k++)
        sum += (sample.block.covariates[row * m + at + k]! - predicted[i * width + k]!) ** 2
      return observed[i] === 1 ? sum * unit * unit : 0
    })
  const errorOf = (predicted: Float64Array) => {
    const values = squares(predicted)
    const regression = nuisances?.regression(values).fitted
    const mean = (target: 'all' | 'missing') =>
      missingMean({ values, observed, probabilities, target, ...(regression === undefined ? {} : { regression }) })
    const share = 1 - known / rows.length
    return {
      all: estimateOf(mean('all')),
      missing: nuisances === null ? null : estimateOf(mean('missing'), 1 / share),
    }
  }
  const pretrained = Float64Array.from(
    rows.flatMap((row) => Array.from({ length: width }, (_, k) => sample.block.pretrained[row * m + at + k]!)),
  )
  const overlap = nuisances === null ? null : diagnoseOverlap({ probabilities, floor })
  const supported = known >= FEWEST_ROWS && unsupported === null
  return {
    covariate: name,
    rows: rows.length,
    known,
    missingShare,
    ...(feature.reasons === undefined ? {} : { reasons: reasonShares(Object.keys(feature.reasons)) }),
    failedShare: sample.count === 0 ? 0 : 1 - rows.length / sample.count,
    unsupported,
    observation: nuisances === null ? null : observationQuality(probabilities, observed),
    overlap: overlap && {
      smallest: overlap.smallest,
      quantiles: overlap.quantiles,
      shareAtFloor: overlap.shareAtFloor,
      floor,
      effectiveRows: effectiveRowsOf(observed, probabilities),
    },
    correction: correctionInUse(state, engine, sample, which, rows),
    ...diagnoseSet(
      state,
      rounds,
      engine,
      sample,
      which,
      rows.filter((_, i) => observed[i] === 0),
    ),
    missingAtRandom: verdictOf(audit),
    error: supported ? { pretrained: errorOf(pretrained), calibrated: errorOf(fitted) } : null,
    elasticity: supported && nuisances !== null && width === 1 ? elasticityOf(nuisances) : null,
    valueOfObserving: valueOfKnowing(),
    audit,
  }

  function reasonShares(names: readonly string[]): Readonly<Record<string, number>> {
    const counts = names.map(() => 0)
    for (let row = 0; row < sample.count; row++) {
      const code = sample.block.reasons?.[row * c + which] ?? 0
      if (code > 0 && !wasObserved(sample, row, which, c)) counts[code - 1] = counts[code - 1]! + 1
    }
    return Object.fromEntries(names.map((reason, k) => [reason, missing === 0 ? 0 : counts[k]! / missing]))
  }

  function elasticityOf(known: CrossFit): CovariateDiagnosis['elasticity'] {
    if (state.rewardModel === null) return null
    const models = imputationModels(engine, state)
    const scorer = engine.oracle.compile(state.rewardModel, imputationSpread(engine, models), imputationPoints(models))
    const actions = encoding.actions.length
    const input = {
      context: new Float64Array(p),
      covariates: new Float64Array(m),
      observed: new Uint8Array(c),
    }
    const differences = new Float64Array(rows.length * actions)
    const atTruth = new Float64Array(actions)
    const atModel = new Float64Array(actions)
    rows.forEach((row, i) => {
      if (observed[i] !== 1) return
      for (let k = 0; k < p; k++) input.context[k] = sample.block.context[row * p + k]!
      for (let k = 0; k < m; k++) input.covariates[k] = sample.block.covariates[row * m + k]!
      for (let k = 0; k < c; k++) input.observed[k] = wasObserved(sample, row, k, c) ? 1 : 0
      scorer.scores(input, 0, atTruth)
      input.covariates[at] = fitted[i]!
      scorer.scores(input, 0, atModel)
      for (let a = 0; a < actions; a++) differences[i * actions + a] = atTruth[a]! - atModel[a]!
    })
    const { maxInside, missingOnly, bias } = estimateElasticity({
      ...table,
      actions,
      differences,
      random,
      nuisances: known,
    })
    return { maxInside: estimateOf(maxInside), missingOnly: estimateOf(missingOnly), bias: estimateOf(bias) }
  }

  function valueOfKnowing(): CovariateDiagnosis['valueOfObserving'] {
    if (valueAt === null) return null
    const { min, max } = engine.problem.reward.mean ?? engine.problem.reward
    const hidden: number[] = []
    const values: number[] = []
    rows.forEach((row, i) => {
      if (observed[i] === 1) return
      const value = valueAt(sample.block, row, which)
      if (Number.isNaN(value)) return
      hidden.push(row)
      values.push(value)
    })
    if (values.length === 0) return null
    const mean = ((max - min) * values.reduce((sum, value) => sum + value, 0)) / values.length
    const input = { state, engine, sample, which, rows: hidden, values, known, random: random.split('value') }
    const ends = valueInterval(input)
    return {
      mean: {
        estimate: mean,
        lower: ends && (max - min) * ends.lower,
        upper: ends && (max - min) * ends.upper,
      },
      perThousand: 1000 * missingShare * mean,
    }
  }
}

function verdictOf(audit: AuditReport | null): CovariateDiagnosis['missingAtRandom'] {
  if (audit === null || audit.test === null) return 'not-tested'
  return audit.test.rejected ? 'rejected' : 'not-rejected'
}

function estimateOf({ estimate, lower, upper }: Estimate, factor = 1): Estimate {
  return { estimate: factor * estimate, lower: factor * lower, upper: factor * upper }
}
