// What audited rows say (method#audits). An audited row was missing at the decision, was asked for with a probability pi that is known
// before, and its truth came back; so audited rows, weighted by 1/pi, stand for all missing rows whatever made the values go
// missing. With a share the weights are equal and 1; with a budget they add up to the effective number of rows: a ridge counts those.
//   claim: held while requests are answered; dropped when the one-sided 99% upper limit (Wilson) of the response rate is below
//   0.95, because who answers may depend on the value. Without the claim audited rows are not learnt from.
//   test and limits: audit-test.ts, audit-limits.ts.
//   correction: on each of the models at hand a ladder is fitted to what it leaves on audited rows (shrunk toward that model);
//   the model that comes out with the smallest held-out squared error is used, with its ladder.

import { addSums, emptySums, featureGram, residualSum, type Sums } from '@primo/numeric'
import type { AuditSpec } from '../problem/audit-spec.js'
import { blockParts, type RoundRange } from '../rounds/block-parts.js'
import { Observed, RoundStatus, type RoundTable } from '../rounds/round-table.js'
import type { AuditLimits } from './audit-limits.js'
import type { AuditTest } from './audit-test.js'
import type { RidgeBasis } from './column-ridge.js'
import { fitLadder, LADDER, type LadderFit, type Rung } from './ladder.js'

/** Response rates whose upper limit is below this are "clearly below 1". */
const LOWEST_RESPONSE = 0.95
/** Audited rows from which they are learnt from. */
const AUDIT_ROWS = 32
/** The rich rung, and the audit's own residual variance, need this many. */
const AUDIT_RICH_ROWS = 200
/** One-sided 99% point of the standard normal. */
const ONE_SIDED = 2.3263

export interface AuditCounts {
  /** Requests that are due, and truths that came back for them. */
  readonly asked: number
  readonly answered: number
}

export type AuditClaim = 'held' | 'dropped' | 'too-few-rows'

export interface AuditReport extends AuditCounts {
  readonly share: number
  /** null: nothing was asked. */
  readonly responseRate: number | null
  readonly claim: AuditClaim
  /** Where the claim is dropped: rounds to allow for an answer with which it would hold; absent: there are none. */
  readonly holdsWithin?: number
  readonly test: AuditTest | null
  /** Limits for the models' mean errors on missing rows; null: the claim does not hold, or a category; absent in reports from before this was kept. */
  readonly limits?: AuditLimits | null
  /** The model that audited rows build upon, its rung on top, and mean squared errors on audited rows (inside units). */
  readonly use: {
    readonly base: AuditBase
    readonly rung: Rung
    readonly shrinkage: number
    readonly losses: Readonly<Partial<Record<AuditBase, number>>> & { readonly audited: number }
  } | null
}

type AuditBase = 'pretrained' | 'calibrated' | 'reward-informed'

/** Requests still under way (newer than `within` rounds) and their answers are left out: quick answers may be special. */
export function dueRange({ from, to }: RoundRange, { within = 0 }: AuditSpec): RoundRange {
  return { from, to: Math.max(from, to - within) }
}

export function auditCounts(table: RoundTable, range: RoundRange, which: number): AuditCounts {
  const { covariateCount } = table.shape
  let asked = 0
  let answered = 0
  for (const { block, start, end } of blockParts(table, range)) {
    for (let row = start; row < end; row++) {
      if (block.status[row] !== RoundStatus.closed) continue
      const flag = block.observed[row * covariateCount + which]
      if (flag === Observed.audited) answered++
      if (flag === Observed.audited || flag === Observed.asked) asked++
    }
  }
  return { asked, answered }
}

/** The least of 64, 128, ... rounds that answers need, if with it the claim holds; null: truths do not come late, they do not come. */
export function answersNeed(table: RoundTable, range: RoundRange, which: number): number | null {
  for (let within = 64; within < range.to - range.from; within *= 2) {
    if (auditClaim(auditCounts(table, dueRange(range, { share: 1, within }), which)) === 'held') return within
  }
  return null
}

export function auditClaim({ asked, answered }: AuditCounts): AuditClaim {
  if (asked > 0 && responseLimit(answered, asked) < LOWEST_RESPONSE) return 'dropped'
  return answered < AUDIT_ROWS ? 'too-few-rows' : 'held'
}

/** One-sided upper 99% limit of the response rate (Wilson). */
export function responseLimit(answered: number, asked: number): number {
  const rate = answered / asked
  const z2 = ONE_SIDED * ONE_SIDED
  const centre = rate + z2 / (2 * asked)
  const half = ONE_SIDED * Math.sqrt((rate * (1 - rate) + z2 / (4 * asked)) / asked)
  return Math.min(1, (centre + half) / (1 + z2 / asked))
}

export type Folds = readonly [Sums, Sums]

export interface AuditModel {
  readonly name: AuditBase
  /** Per column of the covariate, in the rich basis or a prefix of it; an empty list is g~ itself. */
  readonly coefficients: readonly (readonly number[])[]
}

export interface AuditFit {
  readonly base: AuditModel
  readonly losses: Readonly<Partial<Record<AuditBase, number>>>
  /** Per column: base plus what the audit adds, in the basis of `class`. */
  readonly class: (typeof LADDER)[number]
  readonly coefficients: readonly (readonly number[])[]
  readonly ladder: LadderFit
  /** Of the audited rows under the corrected model; null: too few to say. */
  readonly residualVariance: number | null
}

export function fitAudit(
  audited: readonly Folds[],
  models: readonly AuditModel[],
  prefixes: readonly number[],
  ridge: number,
  basis: RidgeBasis,
): AuditFit {
  const losses: Partial<Record<AuditBase, number>> = {}
  const fits = models.map((model) => {
    losses[model.name] = lossOf(audited, model)
    const folds = audited.map(
      ([a, b], k): Folds => [shiftTarget(a, model.coefficients[k]!), shiftTarget(b, model.coefficients[k]!)],
    )
    return { base: model, ladder: fitLadder({ folds, prefixes, ridge, basis, richRows: AUDIT_RICH_ROWS }) }
  })
  const { base, ladder } = fits.reduce((best, one) =>
    one.ladder.loss.calibrated < best.ladder.loss.calibrated ? one : best,
  )
  const longest = Math.max(...base.coefficients.map((column) => column.length), ladder.coefficients[0]!.length)
  const rung = prefixes.findIndex((columns) => columns >= longest)
  const coefficients = ladder.coefficients.map((added, k) =>
    Array.from({ length: prefixes[rung]! }, (_, i) => (base.coefficients[k]![i] ?? 0) + (added[i] ?? 0)),
  )
  const residualVariance = ladder.rows >= AUDIT_RICH_ROWS ? ladder.residualVariance[0]! : null
  return { base, losses, class: LADDER[rung]!, coefficients, ladder, residualVariance }
}

function lossOf(audited: readonly Folds[], { coefficients }: AuditModel): number {
  let loss = 0
  let weight = 0
  audited.forEach((folds, k) => {
    const sums = joined(folds)
    loss += residualSum(sums, padded(coefficients[k]!, sums.columns))
    weight = sums.weight
  })
  return loss / weight
}

/** Sums of [B, y] as sums of [B, y - B'h]: no pass over the rows. */
export function shiftTarget(sums: Sums, h: readonly number[]): Sums {
  const p = sums.columns
  const width = p + 1
  const full = padded(h, p)
  const gram = Float64Array.from(sums.gram)
  const square = residualSum(sums, full)
  const matrix = featureGram(sums)
  for (let i = 0; i < p; i++) {
    let value = sums.gram[i * width + p]!
    for (let j = 0; j < p; j++) value -= matrix[i * p + j]! * full[j]!
    gram[i * width + p] = value
  }
  gram[p * width + p] = square
  return { columns: p, count: sums.count, weight: sums.weight, gram }
}

function padded(h: readonly number[], columns: number): Float64Array {
  const full = new Float64Array(columns)
  full.set(h)
  return full
}

function joined([a, b]: Folds): Sums {
  const sums = emptySums(a.columns)
  addSums(sums, a)
  addSums(sums, b)
  return sums
}
