// Rewards by action as a stream to learn from: closed rounds, their missing values filled anew by the imputers in use.

import { BLOCK_ROUNDS } from '@primo/numeric'
import type { RowsImputer } from '../imputation/impute-rows.js'
import type { Stream } from '../memory/stream.js'
import { shortHash } from '../problem/short-hash.js'
import type { ResidualMoments } from '../residuals/residual-moments.js'
import { allClosed } from '../rounds/closed-counts.js'
import { Observed, type RoundBlock, RoundStatus, type RoundTable } from '../rounds/round-table.js'
import { columnCount, compileColumns, type Group, type Unit } from './columns.js'
import { joinSums, LEAF_ROUNDS, type SummedRows, sumRange, sumRowsByAction } from './row-sums.js'
import { unitsOf } from './units.js'

export interface RewardStreamRows {
  readonly table: RoundTable
  readonly actions: number
  readonly groups: readonly Group[]
  /** Fills missing values of rounds from `filledFrom` on. */
  readonly impute: RowsImputer
  readonly filledFrom: number
  /** Names what missing values are filled with, and how rounds are weighed. */
  readonly imputation: string
  readonly weighing: string
  readonly spread: readonly ResidualMoments[]
  /** Largest distance between two rewards that the problem allows. */
  readonly range: number
  /** Weight of a round; null: all count alike. */
  readonly weigh: ((block: RoundBlock, row: number) => number) | null
  readonly fresh: readonly number[]
}

export function rewardStream(rows: RewardStreamRows): Stream {
  const { table, actions, groups, impute, filledFrom, spread, range, weigh, fresh } = rows
  const { contextWidth: p, covariateWidth: m, covariateCount: c } = table.shape
  const inputs = p + m
  const variances = Float64Array.from({ length: c }, (_, k) => spread[k]?.[2] ?? 0)
  const filled = new Float64Array(BLOCK_ROUNDS * m)
  const isComplete = ({ observed }: RoundBlock, row: number) => {
    for (let k = 0, at = row * c; k < c; k++) if (observed[at + k] !== Observed.atDecision) return false
    return true
  }
  const isClosed = ({ status }: RoundBlock, row: number) => status[row] === RoundStatus.closed
  const fill = (block: RoundBlock, row: number, z: Float64Array, raw: Float64Array) => {
    for (let k = 0; k < p; k++) raw[k] = block.context[row * p + k]!
    for (let k = 0; k < m; k++) raw[p + k] = z[row * m + k]!
  }
  const mark = ({ observed }: RoundBlock, row: number, missing: Float64Array, open: Float64Array) => {
    for (let k = 0; k < c; k++) {
      const seen = observed[row * c + k] === Observed.atDecision
      missing[k] = seen ? 0 : 1
      open[k] = seen ? 0 : variances[k]!
    }
  }
  const count = (block: RoundBlock, start: number, end: number) => {
    if (allClosed(block, start, end)) return end - start
    let found = 0
    for (let row = start; row < end; row++) if (isClosed(block, row)) found++
    return found
  }

  const partOf = (units: readonly Unit[], groups: readonly Group[], complete: boolean): SummedRows => {
    const columns = columnCount({ groups })
    const write = compileColumns({ units, groups })
    const raw = new Float64Array(inputs + 1)
    const missing = new Float64Array(Math.max(1, c))
    const open = new Float64Array(Math.max(1, c))
    const wanted = new Int32Array(LEAF_ROUNDS)
    const name = shortHash([units, groups.map((group) => group.name)])
    return {
      columns,
      actions,
      stream: complete ? 'seen' : 'filled',
      version: complete ? `${name}/${rows.weighing}` : `${name}/${rows.imputation}/${rows.weighing}`,
      count,
      sum: (block, start, end) => {
        let found = 0
        for (let row = start; row < end; row++) {
          if (isClosed(block, row) && isComplete(block, row) === complete) wanted[found++] = row
        }
        let z = block.covariates
        if (!complete && found > 0 && block.index * BLOCK_ROUNDS + end > filledFrom) {
          filled.set(block.covariates.subarray(start * m, end * m), start * m)
          const after = wanted.subarray(0, found).filter((row) => block.index * BLOCK_ROUNDS + row >= filledFrom)
          impute(block, after, after.length, filled)
          z = filled
        }
        return sumRowsByAction(
          { columns, actions },
          wanted,
          found,
          (row) => block.action[row]!,
          (row, out, to) => {
            fill(block, row, z, raw)
            mark(block, row, missing, open)
            write(raw, missing, open, out, to)
            return block.reward[row]!
          },
          weigh === null ? null : (row) => weigh(block, row),
        )
      },
    }
  }

  return {
    actions,
    groups,
    inputs,
    centre: (from) => {
      let sum = 0
      let weight = 0
      eachClosed(table, from, (block, row) => {
        const w = weigh === null ? 1 : weigh(block, row)
        sum += w * block.reward[row]!
        weight += w
      })
      return weight === 0 ? 0 : sum / weight
    },
    farthest: () => range,
    kurtosis: (from, centre) => {
      let squares = 0
      let fourths = 0
      let rounds = 0
      eachClosed(table, from, (block, row) => {
        const square = (block.reward[row]! - centre) ** 2
        squares += square
        fourths += square * square
        rounds++
      })
      return squares > 0 ? (rounds * fourths) / (squares * squares) : 3
    },
    // As the decisions used them: near enough for a scale.
    unitsOfInputs: () => unitsOf(table, inputs, isClosed, (block, row, raw) => fill(block, row, block.covariates, raw)),
    sums: (units, some, from) => {
      const seen = sumRange(table, partOf(units, some, true), from, table.count)
      return c === 0 ? seen : joinSums(seen, sumRange(table, partOf(units, some, false), from, table.count))
    },
    visitNew: (visit, row) => {
      for (const round of fresh) {
        const block = table.block(round)
        const at = round % BLOCK_ROUNDS
        if (!isClosed(block, at)) continue
        fill(block, at, block.covariates, row.raw)
        mark(block, at, row.missing, row.spread)
        visit(block.action[at]!, block.reward[at]!)
      }
    },
  }
}

function eachClosed(table: RoundTable, from: number, visit: (block: RoundBlock, row: number) => void): void {
  for (const block of table.blocks) {
    const first = block.index * BLOCK_ROUNDS
    const end = Math.min(BLOCK_ROUNDS, table.count - first)
    for (let row = Math.max(0, from - first); row < end; row++) {
      if (block.status[row] === RoundStatus.closed) visit(block, row)
    }
  }
}
