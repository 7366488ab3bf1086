// What an audit says of the models on missing rows, with limits that hold at every look (method#audit-limits). z~ is what the decision used and
// the draw xi asks with probability pi, both fixed before the truth is known, so that over missing rows
//   mean of (z - z~) is estimated by (1/n) sum xi (z - z~) / pi,   mean of (z - g~) by the same plus the mean of z~ - g~, known of every row.
// Each term is at least -2 / pi_min: the mixture of exponentials limits the sum of its conditional means, whatever made values go missing.
// It is about the rounds after the first one that was asked: rounds from before the audit (played without it, or elsewhere) could not be.
// Drift: the rounds before and since round 2^k, about half of them; each part has limits of its own, at a level that adds up over all k. There
// z~ - g~ is part of a term, so that contexts that happen to differ are no drift: z~ - g~ + xi (z - z~) / pi is at least -2 / pi_min too.

import { BLOCK_ROUNDS, lowerSum } from '@primo/numeric'
import type { EncodedCovariate } from '../problem/encoding.js'
import { insideUnit } from '../problem/feature.js'
import { askedWith, leastProbability } from '../rounds/audit-weight.js'
import { blockParts, type RoundRange } from '../rounds/block-parts.js'
import { Observed, RoundStatus, type RoundTable } from '../rounds/round-table.js'

const LEVEL = 0.05
/** The first split is at 2^FIRST rounds. */
const FIRST = 9
/** |z - z~| inside units. */
const LARGEST = 2

/** A mean in the covariate's units, with limits that are ever missed in 5% of cases at most. */
export interface MeanLimits {
  readonly estimate: number
  readonly low: number
  readonly high: number
}

export interface AuditLimits {
  /** Missing rows that this is about. */
  readonly rows: number
  /** Of the truth minus the value that decisions used. */
  readonly used: MeanLimits
  /** Of the truth minus what the pre-trained model said. */
  readonly pretrained: MeanLimits
  /** Whether the pre-trained model's mean error changed: before the round `from` and since; null: too early to say. */
  readonly drift: {
    readonly from: number
    readonly before: MeanLimits
    readonly since: MeanLimits
    readonly changed: boolean
  } | null
}

interface Part {
  rows: number
  /** Of z~ - g~ over missing rows. */
  known: number
  /** Of xi (z - z~) / pi, and its square. */
  sum: number
  square: number
  /** Of the square of both together. */
  whole: number
  /** The smallest pi of those asked. */
  least: number
}

/** null: nothing is missing, or nothing was asked for. */
export function auditLimits(
  table: RoundTable,
  range: RoundRange,
  covariate: EncodedCovariate,
  which: number,
): AuditLimits | null {
  const unit = insideUnit(covariate.feature)
  const from = firstAsked(table, range, which) + 1
  const split = Math.floor(Math.log2(Math.max(1, range.to))) - 1
  const at = 2 ** split
  const before = sumsOf(table, { from, to: Math.min(range.to, Math.max(from, at)) }, covariate, which)
  const since = sumsOf(table, { from: Math.max(from, at), to: range.to }, covariate, which)
  const all = joined(before, since)
  if (all.rows === 0) return null
  // An audit that is another one now may have asked less often before.
  const scale = LARGEST / Math.min(all.least, leastProbability(covariate.feature.audit!))
  // 1/2 + 1/6 + 1/12 + ... = 1.
  const turn = split - FIRST + 1
  const level = LEVEL / (turn * (turn + 1)) / 2
  const parts = turn >= 1 && before.rows > 0 && since.rows > 0 ? [before, since] : []
  const [first, second] = parts.map(({ rows, known, sum, whole }) =>
    limitsOf({ rows, sum: known + sum, square: whole }, scale, unit, level, 0),
  )
  return {
    rows: all.rows,
    used: limitsOf(all, scale, unit, LEVEL, 0),
    pretrained: limitsOf(all, scale, unit, LEVEL, all.known),
    drift:
      first === undefined || second === undefined
        ? null
        : { from: at, before: first, since: second, changed: first.high < second.low || second.high < first.low },
  }
}

/** `known` is added to the sum: it is not estimated. */
function limitsOf(
  { rows, sum, square }: Pick<Part, 'rows' | 'sum' | 'square'>,
  scale: number,
  unit: number,
  level: number,
  known: number,
): MeanLimits {
  const evidence = { deviation: square / scale ** 2, scale }
  const low = lowerSum([{ ...evidence, sum: sum / scale }], level / 2)
  const high = -lowerSum([{ ...evidence, sum: -sum / scale }], level / 2)
  const mean = (total: number) => (unit * (known + total)) / rows
  return { estimate: mean(sum), low: mean(Math.max(low, -LARGEST * rows)), high: mean(Math.min(high, LARGEST * rows)) }
}

/** The end of the range where none was. */
function firstAsked(table: RoundTable, range: RoundRange, which: number): number {
  const { covariateCount } = table.shape
  for (const { block, start, end } of blockParts(table, range)) {
    for (let row = start; row < end; row++) {
      const flag = block.observed[row * covariateCount + which]
      if (flag === Observed.asked || flag === Observed.audited) return block.index * BLOCK_ROUNDS + row
    }
  }
  return range.to
}

function sumsOf(table: RoundTable, range: RoundRange, { at, feature }: EncodedCovariate, which: number): Part {
  const { covariateWidth, covariateCount } = table.shape
  const part: Part = { rows: 0, known: 0, sum: 0, square: 0, whole: 0, least: 1 }
  for (const { block, start, end } of blockParts(table, range)) {
    for (let row = start; row < end; row++) {
      const flag = row * covariateCount + which
      const value = row * covariateWidth + at
      if (block.observed[flag] === Observed.atDecision || block.status[row] !== RoundStatus.closed) continue
      if (Number.isNaN(block.pretrained[value])) continue
      part.rows++
      const known = block.covariates[value]! - block.pretrained[value]!
      part.known += known
      if (block.observed[flag] !== Observed.audited) {
        part.whole += known * known
        continue
      }
      const pi = askedWith(feature.audit!, block, flag)
      const term = (block.revealed![value]! - block.covariates[value]!) / pi
      part.sum += term
      part.square += term * term
      part.whole += (known + term) ** 2
      part.least = Math.min(part.least, pi)
    }
  }
  return part
}

function joined(a: Part, b: Part): Part {
  return {
    rows: a.rows + b.rows,
    known: a.known + b.known,
    sum: a.sum + b.sum,
    square: a.square + b.square,
    whole: a.whole + b.whole,
    least: Math.min(a.least, b.least),
  }
}
