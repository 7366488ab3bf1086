// What an audit says of the models on missing rows, with limits that hold at every look (method#audit-limits). z~ is what the decision used and
// the draw xi asks with probability pi, both fixed before the truth is known, so that over missing rows
//   mean of (z - z~) is estimated by (1/n) sum xi (z - z~) / pi,   mean of (z - g~) by the same plus the mean of z~ - g~, known of every row.
// Each term is at least -2 / pi_min: the mixture of exponentials limits the sum of its conditional means, whatever made values go missing.
// A request without an answer that is due counts as the smallest value in the lower limit and as the largest in the upper one.
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

/** Sums of xi (z - z~) / pi, of its square, and of the square of it and z~ - g~ together. */
interface TermSums {
  sum: number
  square: number
  whole: number
}

interface Part {
  rows: number
  /** Of z~ - g~ over missing rows. */
  known: number
  /** Of xi (z - z~) / pi where the truth came. */
  answered: number
  /** With the smallest and with the largest value where it did not. */
  readonly lowest: TermSums
  readonly highest: TermSums
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
  const [first, second] = parts.map((part) => limitsOf(part, scale, unit, level, 'whole'))
  return {
    rows: all.rows,
    used: limitsOf({ ...all, known: 0 }, scale, unit, LEVEL, 'square'),
    pretrained: limitsOf(all, scale, unit, LEVEL, 'square'),
    drift:
      first === undefined || second === undefined
        ? null
        : { from: at, before: first, since: second, changed: first.high < second.low || second.high < first.low },
  }
}

/** With `square` z~ - g~ is added to the limits: it is not estimated. With `whole` it is part of every term. */
function limitsOf(
  { rows, known, answered, lowest, highest }: Part,
  scale: number,
  unit: number,
  level: number,
  kind: 'square' | 'whole',
): MeanLimits {
  const inside = kind === 'whole' ? known : 0
  const lower = (sum: number, terms: TermSums) =>
    lowerSum([{ deviation: terms[kind] / scale ** 2, scale, sum: sum / scale }], level / 2)
  const low = lower(inside + lowest.sum, lowest)
  const high = -lower(-inside - highest.sum, highest)
  const mean = (total: number) => (unit * (known - inside + total)) / rows
  return {
    estimate: mean(inside + answered),
    low: mean(Math.max(low, -LARGEST * rows)),
    high: mean(Math.min(high, LARGEST * rows)),
  }
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
  const part: Part = { rows: 0, known: 0, answered: 0, lowest: noTerms(), highest: noTerms(), least: 1 }
  for (const { block, start, end } of blockParts(table, range)) {
    for (let row = start; row < end; row++) {
      const flag = row * covariateCount + which
      const value = row * covariateWidth + at
      if (block.observed[flag] === Observed.atDecision || block.status[row] !== RoundStatus.closed) continue
      if (Number.isNaN(block.pretrained[value])) continue
      part.rows++
      const known = block.covariates[value]! - block.pretrained[value]!
      part.known += known
      const answered = block.observed[flag] === Observed.audited
      const asked = answered || block.observed[flag] === Observed.asked
      const pi = asked ? askedWith(feature.audit!, block, flag) : 1
      const used = block.covariates[value]!
      const truth = answered ? block.revealed![value]! : used
      part.answered += (truth - used) / pi
      add(part.lowest, known, (asked && !answered ? -1 - used : truth - used) / pi)
      add(part.highest, known, (asked && !answered ? 1 - used : truth - used) / pi)
      part.least = Math.min(part.least, pi)
    }
  }
  return part
}

const noTerms = (): TermSums => ({ sum: 0, square: 0, whole: 0 })

function add(sums: TermSums, known: number, term: number): void {
  sums.sum += term
  sums.square += term * term
  sums.whole += (known + term) ** 2
}

function joined(a: Part, b: Part): Part {
  const both = (one: TermSums, other: TermSums) => ({
    sum: one.sum + other.sum,
    square: one.square + other.square,
    whole: one.whole + other.whole,
  })
  return {
    rows: a.rows + b.rows,
    known: a.known + b.known,
    answered: a.answered + b.answered,
    lowest: both(a.lowest, b.lowest),
    highest: both(a.highest, b.highest),
    least: Math.min(a.least, b.least),
  }
}
