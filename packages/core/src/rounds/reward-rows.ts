// What reward fits read: the closed rounds of a window, block by block in round order. Batches can be iterated any number of
// times and are valid until the next one is taken. Where every round of a block qualifies, a batch is a view of the table;
// otherwise its rows are gathered.

import { BLOCK_ROUNDS } from '@primo/numeric'
import type { RowsImputer } from '../imputation/impute-rows.js'
import type { ResidualMoments } from '../residuals/residual-moments.js'
import { blockParts, type RoundRange } from './block-parts.js'
import { allClosed, closedCounts } from './closed-counts.js'
import { Observed, type RoundBlock, RoundStatus, type RoundTable, type TableShape } from './round-table.js'

export interface RewardBatch {
  readonly block: number
  readonly count: number
  readonly context: Float64Array
  readonly covariates: Float64Array
  /** Per covariate: 1 where it was known at the decision. */
  readonly observed: Uint8Array
  readonly action: Uint16Array
  /** Of the action played; absent: not known. */
  readonly propensity?: Float64Array
  readonly reward: Float64Array
  readonly weight: Float64Array | null
}

/** Some rows of a block where they stand: its columns, and which rows are meant. Valid until the next one is taken. */
export interface RewardView {
  readonly count: number
  readonly rows: Int32Array
  readonly context: Float64Array
  readonly covariates: Float64Array
  readonly observed: Uint8Array
  readonly action: Uint16Array
  readonly propensity?: Float64Array
  readonly reward: Float64Array
  /** weight[i] is that of row rows[i]. */
  readonly weight: Float64Array | null
}

/** Rows of one block that may have been summed before, all or the first of them: `load` gathers what is asked for. */
export interface RewardPart {
  readonly block: RoundBlock
  /** Rows of the block that the part was taken from. */
  readonly start: number
  readonly end: number
  readonly count: number
  /** The kind of rows ('observed', or how the others are imputed); with `version` it says which values they have, with `start`, `end` and `count` which rows they are. */
  readonly key: string
  readonly version: string
  /** How many of its rows are before row `end` of the block. */
  readonly countBefore: (end: number) => number
  /** Its rows from row `from` of the block on; default all. */
  readonly load: (from?: number) => RewardBatch
  /** The same without gathering them. */
  readonly view: (from?: number) => RewardView
}

export interface RewardRows {
  readonly contextWidth: number
  readonly covariateWidth: number
  readonly actionCount: number
  readonly count: number
  readonly batches: Iterable<RewardBatch>
  /** The same rows in parts whose sums can be kept from fit to fit; absent: sum the batches. */
  readonly parts?: Iterable<RewardPart>
  /** Moments of what imputed values leave open, by covariate; absent: imputed values are taken as they are. */
  readonly spread?: readonly ResidualMoments[]
}

export interface RewardRowOptions {
  /** Only rounds in which every covariate was known at the decision. Default false. */
  readonly complete?: boolean
  /** Fills the missing covariates anew instead of taking what the decision used. */
  readonly reimpute?: RowsImputer | undefined
  /** The weight of a row of a block; absent: all alike. */
  readonly weigh?: ((block: RoundBlock, row: number) => number) | undefined
}

/** The rows that a reward model is fitted on. */
export function rewardRows(
  table: RoundTable,
  range: RoundRange,
  actionCount: number,
  options: RewardRowOptions = {},
): RewardRows {
  const { contextWidth, covariateWidth, covariateCount } = table.shape
  const { complete = false, reimpute, weigh = null } = options
  const wanted = complete ? 'observed' : 'all'
  const view = rewardViews(table.shape)
  let count = 0
  for (const { block, start, end } of blockParts(table, range)) {
    const counts = closedCounts(block, start, end, covariateCount)
    count += complete ? counts.complete : counts.closed
  }
  return {
    contextWidth,
    covariateWidth,
    actionCount,
    count,
    batches: {
      *[Symbol.iterator]() {
        for (const { block, start, end } of blockParts(table, range)) {
          const batch =
            reimpute === undefined && !complete && weigh === null && allClosed(block, start, end)
              ? viewRewards(block, start, end, table.shape)
              : gathered(view(block, start, end, wanted, reimpute, weigh), block.index, table.shape)
          if (batch.count > 0) yield batch
        }
      },
    },
  }
}

/** Which closed rounds: all, those with everything known at the decision, or those with something imputed. */
type Wanted = 'all' | 'observed' | 'imputed'

/** Writes the wanted closed rounds of the part to `out` and returns how many there are. */
function wantedRows(
  { status, observed }: RoundBlock,
  start: number,
  end: number,
  covariateCount: number,
  wanted: Wanted,
  out: Int32Array,
): number {
  let count = 0
  for (let row = start; row < end; row++) {
    if (status[row] !== RoundStatus.closed) continue
    if (wanted !== 'all') {
      let complete = true
      for (let which = 0, at = row * covariateCount; which < covariateCount; which++) {
        if (observed[at + which] !== Observed.atDecision) complete = false
      }
      if (complete !== (wanted === 'observed')) continue
    }
    out[count++] = row
  }
  return count
}

function viewRewards(block: RoundBlock, start: number, end: number, shape: TableShape): RewardBatch {
  const { contextWidth: p, covariateWidth: m, covariateCount: c } = shape
  return {
    block: block.index,
    count: end - start,
    context: block.context.subarray(start * p, end * p),
    covariates: block.covariates.subarray(start * m, end * m),
    observed: block.observed.subarray(start * c, end * c),
    action: block.action.subarray(start, end),
    propensity: block.propensity.subarray(start, end),
    reward: block.reward.subarray(start, end),
    weight: null,
  }
}

type RewardViews = (
  block: RoundBlock,
  start: number,
  end: number,
  wanted: Wanted,
  reimpute: RowsImputer | undefined,
  weigh: ((block: RoundBlock, row: number) => number) | null,
) => RewardView

/** Views that share their buffers. */
function rewardViews({ covariateWidth: m, covariateCount: c }: TableShape): RewardViews {
  const rows = new Int32Array(BLOCK_ROUNDS)
  let filled: Float64Array | undefined
  return (block, start, end, wanted, reimpute, weigh) => {
    const count = wantedRows(block, start, end, c, wanted, rows)
    let { covariates } = block
    if (reimpute !== undefined) {
      filled ??= new Float64Array(BLOCK_ROUNDS * m)
      filled.set(covariates.subarray(start * m, end * m), start * m)
      reimpute(block, rows, count, filled)
      covariates = filled
    }
    const weight = weigh === null ? null : new Float64Array(count)
    if (weight !== null) for (let i = 0; i < count; i++) weight[i] = weigh!(block, rows[i]!)
    const { context, observed, action, propensity, reward } = block
    return { count, rows, context, covariates, observed, action, propensity, reward, weight }
  }
}

/** The rows of a view by themselves. */
function gathered(view: RewardView, block: number, shape: TableShape): RewardBatch {
  const { contextWidth: p, covariateWidth: m, covariateCount: c } = shape
  const { count, rows } = view
  const context = new Float64Array(count * p)
  const covariates = new Float64Array(count * m)
  const observed = new Uint8Array(count * c)
  const action = new Uint16Array(count)
  const propensity = new Float64Array(count)
  const reward = new Float64Array(count)
  for (let i = 0; i < count; i++) {
    const row = rows[i]!
    for (let k = 0, from = row * p, to = i * p; k < p; k++) context[to + k] = view.context[from + k]!
    for (let k = 0, from = row * m, to = i * m; k < m; k++) covariates[to + k] = view.covariates[from + k]!
    for (let k = 0, from = row * c, to = i * c; k < c; k++) observed[to + k] = view.observed[from + k]!
    action[i] = view.action[row]!
    propensity[i] = view.propensity?.[row] ?? 1
    reward[i] = view.reward[row]!
  }
  return { block, count, context, covariates, observed, action, propensity, reward, weight: view.weight }
}

/**
 * All closed rounds of the range with observed and imputed rows apart: `version` names the imputation, so that observed rows
 * are summed once and imputed ones again only when it changes.
 */
export function refreshedRows(
  table: RoundTable,
  range: RoundRange,
  actionCount: number,
  imputation: {
    readonly version: number
    readonly impute: RowsImputer
    readonly spread?: readonly ResidualMoments[]
  },
): RewardRows {
  const { shape } = table
  const { covariateCount } = shape
  const parts: RewardPart[] = []
  const view = rewardViews(shape)
  let count = 0
  for (const { block, start, end } of blockParts(table, range)) {
    const { closed, complete: observed } = closedCounts(block, start, end, covariateCount)
    const imputed = closed - observed
    count += closed
    const add = (kind: 'observed' | 'imputed', rows: number, version: string, reimpute: RowsImputer | undefined) => {
      if (rows === 0) return
      parts.push({
        block,
        start,
        end,
        count: rows,
        key: kind,
        version,
        countBefore: (before) => {
          const counts = closedCounts(block, start, before, covariateCount)
          return kind === 'observed' ? counts.complete : counts.closed - counts.complete
        },
        load: (from = start) => gathered(view(block, from, end, kind, reimpute, null), block.index, shape),
        view: (from = start) => view(block, from, end, kind, reimpute, null),
      })
    }
    add('observed', observed, '', undefined)
    add('imputed', imputed, `${imputation.version}`, imputation.impute)
  }
  return {
    contextWidth: shape.contextWidth,
    covariateWidth: shape.covariateWidth,
    actionCount,
    count,
    parts,
    ...(imputation.spread === undefined ? {} : { spread: imputation.spread }),
    batches: {
      *[Symbol.iterator]() {
        for (const part of parts) yield part.load()
      },
    },
  }
}
