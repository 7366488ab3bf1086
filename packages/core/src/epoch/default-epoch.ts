// An end of an epoch of the default profile (method#default-model): weigh the memories by the rewards that are new, learn the imputers,
// fill missing values anew, learn the rewards. The fits in use are made again when their rows have grown by 5%; in between an end
// only weighs.

import { auditClaim, auditCounts, dueRange } from '../calibration/audit.js'
import type { CovariateModel } from '../calibration/correction.js'
import { correctionCompiler, type Engine, imputationSpread } from '../engine/engine.js'
import type { EpochState } from '../engine/epoch-state.js'
import { compileRowsImputation } from '../imputation/impute-rows.js'
import { imputerGroups } from '../imputer/imputer-columns.js'
import type { ImputerModel, ImputerPart } from '../imputer/imputer-model.js'
import { imputerStream } from '../imputer/imputer-stream.js'
import { startInUse } from '../memory/starts.js'
import { advanceStream, type StreamFit, type StreamState } from '../memory/stream.js'
import { type HierarchicalModel, upperTriangle } from '../model/hierarchical-model.js'
import { rewardGroups } from '../model/reward-columns.js'
import { rewardStream } from '../model/reward-stream.js'
import { LEAF_ROUNDS } from '../model/row-sums.js'
import type { EncodedCovariate } from '../problem/encoding.js'
import { revealsOf } from '../problem/problem.js'
import { shortHash } from '../problem/short-hash.js'
import type { RoundTable } from '../rounds/round-table.js'
import type { WeightedRounds } from './weighted-rounds.js'

/** What the default remembers from end to end besides the models that decide. */
export interface DefaultState {
  readonly rewards: StreamState
  /** By covariate and column. */
  readonly imputers: readonly (readonly StreamState[])[]
  /** Closed rounds weighed so far. */
  readonly closings: number
  /** Closed rounds as the schedule counts them. */
  readonly closed: number
}

export interface DefaultStep {
  readonly rewardModel: HierarchicalModel
  readonly corrections: readonly (CovariateModel | null)[]
  readonly streams: DefaultState
}

type Before = Pick<EpochState, 'corrections' | 'rewardModel'> & { readonly streams?: DefaultState }

/** There are closed rounds. */
export function defaultStep(
  before: Before,
  rounds: RoundTable,
  engine: Engine,
  counted: WeightedRounds | null,
  closed: number,
): DefaultStep {
  const { encoding } = engine
  const { streams } = before
  const fresh = rounds.closings(streams?.closings ?? 0)
  const cut = rounds.count
  const learnt = encoding.covariates.map((covariate, which) =>
    imputerStep(rounds, engine, covariate, which, streams?.imputers[which], before.corrections[which] ?? null, fresh),
  )
  const corrections = learnt.map(({ model }) => model)
  const filledFrom = Math.max(0, ...learnt.map(({ from }) => from))
  const rewards = rewardStream({
    table: counted?.rounds ?? rounds,
    actions: encoding.actions.length,
    groups: rewardGroups(encoding),
    impute: compileRowsImputation(encoding, corrections, 'range', correctionCompiler(engine)),
    filledFrom,
    imputation: shortHash([corrections, filledFrom]),
    weighing: counted === null ? '' : `${cut}/${rounds.closedCount}`,
    spread: imputationSpread(engine, corrections),
    range: rewardRange(engine),
    weigh: counted?.weigh ?? null,
    fresh,
  })
  const { state, fit } = advanceStream(streams?.rewards ?? null, rewards, cut, engine.remembers === 'chosen')!
  return {
    rewardModel: fit === null ? (before.rewardModel as HierarchicalModel) : rewardModel(fit, engine),
    corrections,
    streams: { rewards: state, imputers: learnt.map((one) => one.streams), closings: rounds.closedCount, closed },
  }
}

/** Growth of the known values after which an imputer is fitted again: every fit has all missing values filled and summed anew. */
const IMPUTER_GROWTH = 1.2

function imputerStep(
  rounds: RoundTable,
  engine: Engine,
  covariate: EncodedCovariate,
  which: number,
  before: readonly StreamState[] | undefined,
  model: CovariateModel | null,
  fresh: readonly number[],
): { model: CovariateModel | null; streams: readonly StreamState[]; from: number } {
  const groups = imputerGroups(engine.encoding, covariate)
  const audited = learnsFromAudit(rounds, covariate, which)
  const steps = Array.from({ length: covariate.width }, (_, column) => {
    const known = before?.[column] ?? null
    // A stream that begins anew has all rounds before it.
    const news = known === null ? rounds.closings(0) : fresh
    const stream = imputerStream({ table: rounds, covariate, which, column, groups, audited, fresh: news })
    return advanceStream(known, stream, rounds.count, engine.remembers === 'chosen', IMPUTER_GROWTH)
  })
  const streams = steps.flatMap((step) => step?.state ?? [])
  if (streams.length < covariate.width) return { model, streams: [], from: 0 }
  const from = Math.min(...streams.map(({ starts }) => starts[startInUse(starts)]!.round))
  const parts = steps.map((step, column) => (step?.fit == null ? partOf(model, column) : imputerPart(step.fit)))
  // The same model where nothing was fitted, so that what it fills is not summed again.
  if (steps.every((step) => step?.fit == null)) return { model, streams, from }
  const variance = parts.reduce((sum, part) => sum + part.variance, 0) / parts.length
  return { model: { kind: 'imputer', class: 'linear', parts, moments: [1, 0, variance] }, streams, from }
}

/** Truths of an audit are learnt from where its answers come at random, and most of them come. */
function learnsFromAudit(rounds: RoundTable, { feature }: EncodedCovariate, which: number): boolean {
  if (feature.audit === undefined || revealsOf(feature) !== 'random') return false
  return auditClaim(auditCounts(rounds, dueRange({ from: 0, to: rounds.count }, feature.audit), which)) !== 'dropped'
}

function imputerPart({ fit, groups, columns }: StreamFit): ImputerPart {
  return {
    columns: { units: columns.units, groups },
    coefficients: Array.from(fit.posteriors[0]!.mean),
    variance: fit.noise[0]!,
  }
}

function partOf(model: CovariateModel | null, column: number): ImputerPart {
  return (model as ImputerModel).parts[column]!
}

function rewardModel({ fit, groups, columns, centre, weights, inUse }: StreamFit, engine: Engine): HierarchicalModel {
  const { contextWidth, covariateWidth, covariates } = engine.encoding
  const weight = weights.reduce((sum, own) => sum + own, 0)
  return {
    kind: 'hierarchical',
    contextWidth,
    covariateWidth,
    owners: covariates.flatMap(({ width }, which) => Array.from({ length: width }, () => which)),
    columns: { units: columns.units, groups },
    coefficients: fit.posteriors.map(({ mean }) => {
      const own = Array.from(mean)
      own[0] = own[0]! + centre
      return own
    }),
    covariance: fit.posteriors.map(({ covariance, mean }) => upperTriangle(covariance, mean.length)),
    variances: fit.noise,
    sigma: Math.sqrt(fit.pool),
    skews: fit.noise.map((_, a) => skewOf(inUse.squares[a]!, inUse.cubes[a]!, fit.farthest[a]!)),
    rows: weights,
    weight,
    degreesOfFreedom: fit.posteriors.map(({ degreesOfFreedom }) => degreesOfFreedom),
    clippedShare: 0,
    prior: fit.prior,
    evidence: columns.evidence,
  }
}

/** [sum e^3 + R^3]^+ / [sum e^2 + R^2]; R is 0 once rewards of the action have differed. */
function skewOf(squares: number, cubes: number, farthest: number): number {
  const all = squares + farthest ** 2
  return all > 0 ? Math.max(0, cubes + farthest ** 3) / all : 0
}

function rewardRange({ problem: { reward } }: Engine): number {
  const { min, max } = reward.mean ?? reward
  return (reward.max - reward.min) / (max - min)
}

/** Rounds between two looks at the memories: a hundredth of all rounds, and at least a leaf of their sums. */
const LOOK_PART = 0.01

/** Closed rounds at which the running epoch ends: the rows of the memory in use have grown by the schedule's factor, or it is time to look. */
export function nextLook(
  { streams, rewardModel }: Pick<EpochState, 'streams' | 'rewardModel'>,
  { first = 5, factor }: { readonly first?: number; readonly factor: number },
): number {
  if (streams === undefined || rewardModel === null) return first
  const { closed } = streams
  const own = (rewardModel as HierarchicalModel).rows.reduce((sum, rows) => sum + rows, 0)
  const look = Math.max(LEAF_ROUNDS, Math.floor(LOOK_PART * closed))
  return closed + Math.max(1, Math.min(look, Math.floor((factor - 1) * own)))
}
