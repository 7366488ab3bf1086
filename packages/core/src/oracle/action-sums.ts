// Per-action sums of [phi, r], the data of the linear fit. Rows come in parts of blocks; a part that was summed before is not summed
// again: where rows were added to it, only those are summed.

import {
  addRows,
  BLOCK_ROUNDS,
  BlockMemo,
  type BlockSums,
  copySums,
  emptySums,
  mergeBlocks,
  type Sums,
  simdScratch,
} from '@primo/numeric'
import type { RewardBatch, RewardRows, RewardView } from '../rounds/reward-rows.js'
import { type Design, designColumns } from './design.js'
import { compileDesignRows } from './write-design.js'

/** Rows that can be summed, whatever their number. */
export type SummableRows = Pick<RewardRows, 'actionCount' | 'batches' | 'parts' | 'spread'>

/** Sums of a part, which later rows of its block can be added to. */
interface PartSums {
  readonly start: number
  readonly end: number
  readonly count: number
  readonly version: string
  readonly sums: readonly (Sums | null)[]
}

const memo = new BlockMemo<PartSums>()

/** Per-action sums of [phi, r]; parts that were summed before are not summed again. */
export function actionSums(rows: SummableRows, design: Design): Sums[] {
  const columns = designColumns(design)
  const summer = viewSummer(rows.actionCount, design, rows.spread)
  const leaves: BlockSums[][] = Array.from({ length: rows.actionCount }, () => [])
  const add = (block: number, sums: readonly (Sums | null)[]) => {
    sums.forEach((sum, a) => {
      if (sum !== null) leaves[a]!.push({ block, sums: sum })
    })
  }
  if (rows.parts === undefined) for (const batch of rows.batches) add(batch.block, summer(viewOf(batch)))
  else {
    const kind = JSON.stringify(design)
    const spread = JSON.stringify(rows.spread ?? null)
    for (const part of rows.parts) {
      const { block, start, end, count, key } = part
      // Observed rows leave nothing open, so their sums do not depend on the spread.
      const version = key === 'observed' ? part.version : `${part.version}/${spread}`
      // Rounds only ever become closed, so equal counts mean the same rounds.
      const stamp = `${start}-${end}/${count}/${version}`
      const { sums } = memo.get(block, `${key}/${kind}`, stamp, (before) => {
        const goesOn =
          before?.version === version &&
          before.start === start &&
          before.end <= end &&
          before.count === part.countBefore(before.end)
        const view = part.view(goesOn ? before.end : start)
        return { start, end, count, version, sums: goesOn ? summer(view, before.sums) : summer(view) }
      })
      add(block.index, sums)
    }
  }
  return leaves.map((list) => mergeBlocks(list, columns))
}

const IN_ORDER = Int32Array.from({ length: BLOCK_ROUNDS }, (_, row) => row)

/** All rows of a batch. */
export function viewOf(batch: RewardBatch): RewardView {
  const { count, context, covariates, observed, action, reward, weight } = batch
  const rows = count <= BLOCK_ROUNDS ? IN_ORDER : Int32Array.from({ length: count }, (_, row) => row)
  return { count, rows, context, covariates, observed, action, reward, weight }
}

/** Sums by action (null: no row), going on from `before`. */
type ViewSummer = (view: RewardView, before?: readonly (Sums | null)[]) => readonly (Sums | null)[]

/** Rows that are laid out before they are summed, so that they stay in a near cache. */
const CHUNK = 512
/** One summer works at a time. */
const cells = simdScratch()

/** Rows are laid out by action, in round order within an action. */
function viewSummer(actions: number, design: Design, spread: RewardRows['spread']): ViewSummer {
  const columns = designColumns(design)
  const width = columns + 1
  const write = compileDesignRows(design, spread)
  const space = cells(2 * CHUNK * width)
  const buffer = space.subarray(0, CHUNK * width)
  const scratch = space.subarray(CHUNK * width)
  const weights = new Float64Array(CHUNK)
  const slots = new Int32Array(CHUNK)
  const start = new Int32Array(actions + 1)
  const next = new Int32Array(actions)

  function layOut({ rows, action, reward, weight, ...input }: RewardView, first: number, count: number): void {
    start.fill(0)
    for (let i = first; i < first + count; i++) {
      const a = action[rows[i]!]! + 1
      start[a] = start[a]! + 1
    }
    for (let a = 0; a < actions; a++) {
      start[a + 1] = start[a + 1]! + start[a]!
      next[a] = start[a]!
    }
    for (let i = first; i < first + count; i++) {
      const row = rows[i]!
      const a = action[row]!
      const slot = next[a]!
      next[a] = slot + 1
      slots[i - first] = slot
      buffer[slot * width + columns] = reward[row]!
      if (weight !== null) weights[slot] = weight[i]!
    }
    write(input, rows, first, count, buffer, width, slots)
  }

  return (view, before) => {
    const sums: (Sums | null)[] = Array.from({ length: actions }, () => null)
    for (let first = 0; first < view.count; first += CHUNK) {
      layOut(view, first, Math.min(CHUNK, view.count - first))
      for (let a = 0; a < actions; a++) {
        const count = start[a + 1]! - start[a]!
        if (count === 0) continue
        const earlier = before?.[a] ?? null
        sums[a] ??= earlier === null ? emptySums(columns) : copySums(earlier)
        addRows(sums[a]!, buffer, start[a]! * width, count, view.weight && weights, start[a]!, scratch)
      }
    }
    return sums.map((sum, a) => sum ?? before?.[a] ?? null)
  }
}
