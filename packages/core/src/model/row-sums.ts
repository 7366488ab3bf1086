// Gram sums by action over a range of rounds. Rounds are summed in leaves of 128 in row order, and leaves in pairs, pairs of pairs and
// so on: the sums of a range depend on its rounds alone, not on what was summed before. Nodes are kept from fit to fit while the
// rounds that entered and the values that they have are the same.

import { addRows, addSums, BLOCK_ROUNDS, copySums, emptySums, type Sums, simdScratch } from '@primo/numeric'
import type { RoundBlock, RoundTable } from '../rounds/round-table.js'

/** Sums of [columns, target] by action; null: no row. */
export interface RowSums {
  readonly columns: number
  readonly byAction: readonly (Sums | null)[]
}

/** Rows to sum. Those of a part of one block are summed in row order. */
export interface SummedRows {
  readonly columns: number
  readonly actions: number
  /** What is summed; sums of its newest version are kept. */
  readonly stream: string
  /** Names the values that the rows have; the same name, the same values. */
  readonly version: string
  /** How many rows of the part enter. */
  readonly count: (block: RoundBlock, start: number, end: number) => number
  readonly sum: (block: RoundBlock, start: number, end: number) => readonly (Sums | null)[]
}

export const LEAF_ROUNDS = 128
/** The widest nodes are at least this many, so that a late reward has few rounds summed again. */
const WIDEST_NODES = 16

interface Node {
  readonly count: number
  readonly sums: readonly (Sums | null)[]
  used: number
}

/** The nodes of a stream's newest version. */
interface Nodes {
  readonly version: string
  readonly byPlace: Map<string, Node>
  time: number
}

/** By the first block of a table and by stream. */
const kept = new WeakMap<RoundBlock, Map<string, Nodes>>()

/** Sums over rounds from ... to - 1; `from` is a multiple of LEAF_ROUNDS. */
export function sumRange(table: RoundTable, rows: SummedRows, from: number, to: number): RowSums {
  const byAction: (Sums | null)[] = Array.from({ length: rows.actions }, () => null)
  const nodes = nodesOf(table, rows)
  let widest = LEAF_ROUNDS
  while (2 * widest * WIDEST_NODES <= to) widest *= 2
  for (let at = from; at < to; ) {
    let size = widest
    while (size > LEAF_ROUNDS && (at % size !== 0 || at + size > to)) size /= 2
    const end = Math.min(to, at + size)
    const sums = end - at === size ? nodeAt(table, rows, nodes, at, size).sums : sumPart(table, rows, at, end)
    addInto(byAction, sums)
    at = end
  }
  if (from === 0) dropUnused(nodes)
  return { columns: rows.columns, byAction }
}

/** Lets go of nodes that two sums over all rounds did not use. */
function dropUnused(nodes: Nodes): void {
  for (const [place, { used }] of nodes.byPlace) if (used < nodes.time) nodes.byPlace.delete(place)
  nodes.time++
}

function nodesOf({ blocks }: RoundTable, { stream, version }: SummedRows): Nodes {
  const first = blocks[0]!
  const streams = kept.get(first) ?? new Map<string, Nodes>()
  kept.set(first, streams)
  const known = streams.get(stream)
  if (known?.version === version) return known
  const nodes = { version, byPlace: new Map(), time: 0 }
  streams.set(stream, nodes)
  return nodes
}

function nodeAt(table: RoundTable, rows: SummedRows, nodes: Nodes, at: number, size: number): Node {
  const place = `${at}/${size}`
  const count = countRange(table, rows, at, at + size)
  const known = nodes.byPlace.get(place)
  if (known?.count === count) {
    known.used = nodes.time
    return known
  }
  let sums: readonly (Sums | null)[]
  if (size === LEAF_ROUNDS) sums = sumPart(table, rows, at, at + size)
  else {
    const halves = [at, at + size / 2]
    const known = halves.map((half) => nodes.byPlace.has(`${half}/${size / 2}`))
    const [first, second] = halves.map((half) => nodeAt(table, rows, nodes, half, size / 2))
    const merged = first!.sums.map((sum) => sum && copySums(sum))
    addInto(merged, second!.sums)
    sums = merged
    // Made for this node alone.
    for (const [k, half] of halves.entries()) if (!known[k]) nodes.byPlace.delete(`${half}/${size / 2}`)
  }
  const node = { count, sums, used: nodes.time }
  nodes.byPlace.set(place, node)
  return node
}

/** A part of one leaf, and so of one block. */
function sumPart(table: RoundTable, rows: SummedRows, at: number, end: number): readonly (Sums | null)[] {
  const start = at % BLOCK_ROUNDS
  return rows.sum(table.block(at), start, start + end - at)
}

function countRange(table: RoundTable, rows: SummedRows, from: number, to: number): number {
  let count = 0
  for (let at = from; at < to; ) {
    const start = at % BLOCK_ROUNDS
    const end = Math.min(to, at - start + BLOCK_ROUNDS)
    count += rows.count(table.block(at), start, start + end - at)
    at = end
  }
  return count
}

function addInto(into: (Sums | null)[], from: readonly (Sums | null)[]): void {
  from.forEach((sums, a) => {
    if (sums === null) return
    const sum = into[a]
    if (sum == null) into[a] = copySums(sums)
    else addSums(sum, sums)
  })
}

/** Adds sums of the same columns: those of rows that were seen whole and of rows that were filled. */
export function joinSums(a: RowSums, b: RowSums): RowSums {
  const byAction = a.byAction.map((sum) => sum && copySums(sum))
  addInto(byAction, b.byAction)
  return { columns: a.columns, byAction }
}

const space = simdScratch()

/** Sums rows of one block, laid out by action and in row order within an action. `write` fills a row's columns and returns its target. */
export function sumRowsByAction(
  { columns, actions }: Pick<SummedRows, 'columns' | 'actions'>,
  rows: Int32Array,
  count: number,
  actionOf: (row: number) => number,
  write: (row: number, out: Float64Array, to: number) => number,
  weightOf: ((row: number) => number) | null,
): readonly (Sums | null)[] {
  const width = columns + 1
  const cells = space(2 * LEAF_ROUNDS * width)
  const buffer = cells.subarray(0, LEAF_ROUNDS * width)
  const scratch = cells.subarray(LEAF_ROUNDS * width)
  const next = new Int32Array(actions + 1)
  for (let i = 0; i < count; i++) next[actionOf(rows[i]!) + 1]!++
  for (let a = 0; a < actions; a++) next[a + 1] = next[a + 1]! + next[a]!
  const first = next.slice()
  const weights = weightOf === null ? null : new Float64Array(count)
  for (let i = 0; i < count; i++) {
    const row = rows[i]!
    const a = actionOf(row)
    const slot = next[a]!
    next[a] = slot + 1
    buffer[slot * width + columns] = write(row, buffer, slot * width)
    if (weights !== null) weights[slot] = weightOf!(row)
  }
  return Array.from({ length: actions }, (_, a) => {
    const own = first[a + 1]! - first[a]!
    if (own === 0) return null
    const sums = emptySums(columns)
    addRows(sums, buffer, first[a]! * width, own, weights, first[a]!, scratch)
    return sums
  })
}
