// The errors z - g~ of one column of a covariate as a stream to learn from: closed rounds in which the value is known.

import { BLOCK_ROUNDS } from '@primo/numeric'
import type { Stream } from '../memory/stream.js'
import type { Group } from '../model/columns.js'
import { columnCount, compileColumns } from '../model/columns.js'
import { LEAF_ROUNDS, type SummedRows, sumRange, sumRowsByAction } from '../model/row-sums.js'
import { unitsOf } from '../model/units.js'
import type { EncodedCovariate } from '../problem/encoding.js'
import { revealsOf } from '../problem/problem.js'
import { shortHash } from '../problem/short-hash.js'
import { Observed, type RoundBlock, RoundStatus, type RoundTable } from '../rounds/round-table.js'

export interface ImputerRows {
  readonly table: RoundTable
  readonly covariate: EncodedCovariate
  /** Place of the covariate. */
  readonly which: number
  /** Column of the covariate. */
  readonly column: number
  readonly groups: readonly Group[]
  /** Whether truths that an audit asked for are learnt from. */
  readonly audited: boolean
  /** Closed rounds that are new, in the order in which they closed. */
  readonly fresh: readonly number[]
}

export function imputerStream({ table, covariate, which, column, groups, audited, fresh }: ImputerRows): Stream {
  const { contextWidth: p, covariateWidth: m, covariateCount: c } = table.shape
  const { at, width } = covariate
  const inputs = width + p
  const later = revealsOf(covariate.feature) === 'context'
  const isKnown = (block: RoundBlock, row: number) => {
    if (block.status[row] !== RoundStatus.closed || Number.isNaN(block.pretrained[row * m + at])) return false
    const flag = block.observed[row * c + which]
    return flag === Observed.atDecision || (audited && flag === Observed.audited) || (later && flag === Observed.later)
  }
  const fill = (block: RoundBlock, row: number, raw: Float64Array) => {
    for (let k = 0; k < width; k++) raw[k] = block.pretrained[row * m + at + k]!
    for (let k = 0; k < p; k++) raw[width + k] = block.context[row * p + k]!
    return block.observed[row * c + which] === Observed.atDecision ? 0 : 1
  }
  const errorOf = (block: RoundBlock, row: number) => {
    const seen = block.observed[row * c + which] === Observed.atDecision
    const truth = seen ? block.covariates : block.revealed!
    return truth[row * m + at + column]! - block.pretrained[row * m + at + column]!
  }
  const count = (block: RoundBlock, start: number, end: number) => {
    let rows = 0
    for (let row = start; row < end; row++) if (isKnown(block, row)) rows++
    return rows
  }
  /** Mean of a power of the errors since a round. */
  const meanPower = (from: number, power: number) => {
    let sum = 0
    let rows = 0
    for (const block of table.blocks) {
      const first = block.index * BLOCK_ROUNDS
      for (let row = Math.max(0, from - first); row < Math.min(BLOCK_ROUNDS, table.count - first); row++) {
        if (!isKnown(block, row)) continue
        sum += errorOf(block, row) ** power
        rows++
      }
    }
    return rows === 0 ? 0 : sum / rows
  }

  return {
    actions: 1,
    groups,
    inputs,
    centre: () => 0,
    farthest: (from) => Math.max(1e-6, Math.sqrt(meanPower(from, 2))),
    unitsOfInputs: () => unitsOf(table, inputs, isKnown, fill),
    kurtosis: (from) => meanPower(from, 4) / Math.max(1e-24, meanPower(from, 2) ** 2),
    sums: (units, some, from) => {
      const write = compileColumns({ units, groups: some })
      const columns = columnCount({ groups: some })
      const raw = new Float64Array(inputs + 1)
      const missing = new Float64Array(1)
      const spread = new Float64Array(1)
      const wanted = new Int32Array(LEAF_ROUNDS)
      const rows: SummedRows = {
        columns,
        actions: 1,
        stream: `imputer/${which}/${column}`,
        version: shortHash([audited, units, some.map(({ name }) => name)]),
        count,
        sum: (block, start, end) => {
          let found = 0
          for (let row = start; row < end; row++) if (isKnown(block, row)) wanted[found++] = row
          return sumRowsByAction(
            { columns, actions: 1 },
            wanted,
            found,
            () => 0,
            (row, out, to) => {
              missing[0] = fill(block, row, raw)
              write(raw, missing, spread, out, to)
              return errorOf(block, row)
            },
            null,
          )
        },
      }
      return sumRange(table, rows, from, table.count)
    },
    visitNew: (visit, row) => {
      for (const round of fresh) {
        const block = table.block(round)
        const at = round % BLOCK_ROUNDS
        if (!isKnown(block, at)) continue
        row.missing[0] = fill(block, at, row.raw)
        visit(0, errorOf(block, at))
      }
    },
  }
}
