// Sums of rows that merge: the Gram matrix of rows [features, target] with their number and total weight.
// A log is cut into blocks of 4,096 rounds by round index; each block is summed in row order and blocks are merged in a
// fixed binary tree over the block index. So a window, a thread or a remote worker that sums some of the blocks gives
// the same bits as one process that sums all of them.

import { PrimoError } from '../errors.js'
import { addGram, addWeightedGram } from './gram.js'

/** Rounds in a block of the log. */
export const BLOCK_ROUNDS = 4096

/** Gram matrix of rows [features, target] with their number and total weight. */
export interface Sums {
  /** Number of feature columns; the target is one more, at index `columns`. */
  readonly columns: number
  /** Rows that entered. */
  count: number
  /** Total weight of those rows. */
  weight: number
  /**
   * Upper triangle, row-major, (columns + 1) x (columns + 1): features' Gram, feature-target products, target square.
   */
  readonly gram: Float64Array
}

/** Sums of no rows. */
export function emptySums(columns: number): Sums {
  return { columns, count: 0, weight: 0, gram: new Float64Array((columns + 1) * (columns + 1)) }
}

/**
 * Sums of `count` rows of width columns + 1 starting at `at`; `scratch` holds as many weighted rows when weights are
 * given.
 */
export function sumRows(
  rows: Float64Array,
  at: number,
  count: number,
  columns: number,
  weights: Float64Array | null,
  weightsAt: number,
  scratch: Float64Array,
): Sums {
  const sums = emptySums(columns)
  addRows(sums, rows, at, count, weights, weightsAt, scratch)
  return sums
}

/** Goes on summing: the bits are those of summing all rows at once. */
export function addRows(
  into: Sums,
  rows: Float64Array,
  at: number,
  count: number,
  weights: Float64Array | null,
  weightsAt: number,
  scratch: Float64Array,
): void {
  const width = into.columns + 1
  into.count += count
  if (weights === null) {
    into.weight += count
    addGram(rows, rows, count, width, into.gram, at, at)
    return
  }
  let total = into.weight
  for (let row = 0; row < count; row++) total += weights[weightsAt + row]!
  into.weight = total
  addWeightedGram(rows, at, weights, weightsAt, count, width, into.gram, scratch)
}

/** Adds sums to others in place. */
export function addSums(into: Sums, from: Sums): void {
  if (into.columns !== from.columns) {
    throw new PrimoError('shape-mismatch', `sums to merge must have ${into.columns} columns, got ${from.columns}`, {
      columns: from.columns,
    })
  }
  into.count += from.count
  into.weight += from.weight
  const a = into.gram
  const b = from.gram
  for (let i = 0; i < a.length; i++) a[i] = a[i]! + b[i]!
}

/** The sums of one block. */
export interface BlockSums {
  readonly block: number
  readonly sums: Sums
}

/**
 * Merges the sums of blocks, given in increasing order of block, in the fixed tree. Several sums of one block (such as
 * those of its observed and of its imputed rows) are added in the order given. The leaves stay as they are.
 */
export function mergeBlocks(leaves: readonly BlockSums[], columns: number): Sums {
  if (leaves.length === 1) return copySums(leaves[0]!.sums)
  let level: readonly MergeNode[] = leaves.map(({ block, sums }) => ({ block, sums, own: false }))
  while (level.length > 1) {
    const next: MergeNode[] = []
    for (const node of level) {
      const parent = Math.floor(node.block / 2)
      const left = next.at(-1)
      if (left === undefined || left.block !== parent) {
        next.push({ block: parent, sums: node.sums, own: node.own })
        continue
      }
      if (!left.own) {
        left.sums = copySums(left.sums)
        left.own = true
      }
      addSums(left.sums, node.sums)
    }
    level = next
  }
  return level[0]?.sums ?? emptySums(columns)
}

interface MergeNode {
  readonly block: number
  sums: Sums
  /** Whether the sums are a copy that may be added to. */
  own: boolean
}

/** A copy that shares nothing. */
export function copySums({ columns, count, weight, gram: values }: Sums): Sums {
  return { columns, count, weight, gram: values.slice() }
}
