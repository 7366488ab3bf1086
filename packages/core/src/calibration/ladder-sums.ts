// Sums behind the ladder: per column of a covariate and per fold, [B, z - g~] over the closed rounds whose value is known,
// or over those that an audit asked for; where the isotonic rung comes first, less what it `moved`. A round's fold is a fixed
// function of its number, so the sums of a block are computed once and kept, and go on where they stopped.

import {
  addRows,
  BLOCK_ROUNDS,
  BlockMemo,
  type BlockSums,
  blockDecay,
  copySums,
  emptySums,
  mergeBlocks,
  type Sums,
  scaleSums,
  simdScratch,
  weightInBlock,
} from '@primo/numeric'
import type { EncodedCovariate } from '../problem/encoding.js'
import { revealsOf } from '../problem/problem.js'
import { auditWeight } from '../rounds/audit-weight.js'
import { type BlockPart, blockParts, type RoundRange } from '../rounds/block-parts.js'
import { Observed, type RoundBlock, RoundStatus, type RoundTable } from '../rounds/round-table.js'
import { type InputBasis, scaleName } from './input-basis.js'
import type { CompiledMap } from './monotone-map.js'

type FoldPair = readonly [Sums | null, Sums | null]

/** Sums of the known rounds of a part, which later rounds of the block can be added to. */
interface PartSums {
  readonly start: number
  readonly end: number
  readonly halfLife: number | null
  readonly scale: string
  readonly known: number
  readonly pairs: readonly FoldPair[]
}

/** Weight of a row from its context at x[at]. */
export type RowWeight = (x: Float64Array, at: number) => number

const memo = new BlockMemo<PartSums>()
// Weights and maps are fitted anew each time, so sums with them are not kept.
const unkept = { get: (_block: object, _key: string, _stamp: string, make: (before?: PartSums) => PartSums) => make() }

/**
 * Blocks whose sums are merged before all are (a subtree of the fixed tree, so the bits are the same). Once all their rounds
 * are closed only the merged sums are kept: those of a wide basis are larger than the block.
 */
const GROUP = 16
const merged = new BlockMemo<readonly FoldPair[]>()

/** 0 or 1: the top bit of a multiplicative hash of the round's number. */
export function foldOfRound(round: number): 0 | 1 {
  return (Math.imul(round, 0x9e3779b1) >>> 31) as 0 | 1
}

export function ladderSums(
  table: RoundTable,
  range: RoundRange,
  covariate: EncodedCovariate,
  which: number,
  basis: InputBasis,
  halfLife: number | null = null,
  source: 'known' | 'audited' = 'known',
  weigh: RowWeight | null = null,
  moved: CompiledMap | null = null,
): readonly (readonly [Sums, Sums])[] {
  const { covariateWidth, covariateCount } = table.shape
  const flag = source === 'audited' ? Observed.audited : Observed.atDecision
  const other = source === 'known' && revealsOf(covariate.feature) === 'context' ? Observed.later : flag
  const isKnown = (block: RoundBlock, row: number) => {
    const observed = block.observed[row * covariateCount + which]
    if (observed !== flag && observed !== other) return false
    return (
      block.status[row] === RoundStatus.closed && !Number.isNaN(block.pretrained[row * covariateWidth + covariate.at])
    )
  }
  const key = `ladder/${source}/${which}/${basis.kind}/${basis.input}`
  const scale = scaleName(basis.scale)
  const pairsOf = ({ block, start, end }: BlockPart, known: number): readonly FoldPair[] => {
    const stamp = `${start}-${end}/${known}/${halfLife}/${scale}`
    const { pairs } = (weigh === null && moved === null ? memo : unkept).get(block, key, stamp, (before) => {
      // Rounds only ever become known, so an equal count means the same rounds: only the later ones are summed.
      const goesOn =
        before?.start === start &&
        before.end <= end &&
        before.halfLife === halfLife &&
        before.scale === scale &&
        before.known === countRows(block, start, before.end, isKnown)
      const [from, sums] = goesOn ? [before.end, before.pairs] : [start, null]
      const made = sumPart(
        table,
        block,
        from,
        end,
        covariate,
        which,
        basis,
        isKnown,
        halfLife,
        weigh,
        moved,
        sums,
        source,
      )
      return { start, end, halfLife, scale, known, pairs: made }
    })
    const decay = halfLife === null ? 1 : blockDecay(block.index, range.to, halfLife)
    return decay === 1 ? pairs : pairs.map(([a, b]) => [a && scaleSums(a, decay), b && scaleSums(b, decay)])
  }
  const groups = new Map<number, BlockPart[]>()
  for (const part of blockParts(table, range)) {
    const group = Math.floor(part.block.index / GROUP)
    const parts = groups.get(group)
    if (parts === undefined) groups.set(group, [part])
    else parts.push(part)
  }
  const roots = [...groups].map(([group, parts]) => {
    const known = parts.map(({ block, start, end }) => countRows(block, start, end, isKnown))
    const merge = () =>
      mergePairs(
        parts.map((part, k) => [part.block.index, known[k] === 0 ? [] : pairsOf(part, known[k]!)]),
        covariate.width,
      )
    const keeps =
      weigh === null && moved === null && halfLife === null && parts.length === GROUP && parts.every(isFinal)
    if (!keeps) return [group, merge()] as const
    const pairs = merged.get(parts[0]!.block, key, `${known.join()}/${scale}`, merge)
    for (const { block } of parts) memo.forget(block, key)
    return [group, pairs] as const
  })
  return mergePairs(roots, covariate.width).map(([a, b]) => [
    a ?? emptySums(basis.columns),
    b ?? emptySums(basis.columns),
  ])
}

/** Merges what stands at leaves of the fixed tree, per column and fold. */
function mergePairs(leaves: readonly (readonly [number, readonly FoldPair[]])[], width: number): readonly FoldPair[] {
  const foldOf = (k: number, fold: 0 | 1): Sums | null => {
    const present = leaves.flatMap(([block, pairs]): BlockSums[] => {
      const sums = pairs[k]?.[fold] ?? null
      return sums === null ? [] : [{ block, sums }]
    })
    return present.length === 0 ? null : mergeBlocks(present, present[0]!.sums.columns)
  }
  return Array.from({ length: width }, (_, k): FoldPair => [foldOf(k, 0), foldOf(k, 1)])
}

/** Whether the part is a whole block in which no round is open. */
function isFinal({ block, start, end }: BlockPart): boolean {
  return start === 0 && end === BLOCK_ROUNDS && !block.status.includes(RoundStatus.open)
}

function countRows(
  block: RoundBlock,
  start: number,
  end: number,
  holds: (block: RoundBlock, row: number) => boolean,
): number {
  let count = 0
  for (let row = start; row < end; row++) if (holds(block, row)) count++
  return count
}

/** Rows that are expanded and summed before the next ones, so that they stay in a near cache. */
const CHUNK = 256

/** Scratch space that is used again from part to part. */
const rows = new Int32Array(BLOCK_ROUNDS)
const cells = simdScratch()

function sumPart(
  table: RoundTable,
  block: RoundBlock,
  start: number,
  end: number,
  covariate: EncodedCovariate,
  which: number,
  basis: InputBasis,
  isKnown: (block: RoundBlock, row: number) => boolean,
  halfLife: number | null,
  weigh: RowWeight | null,
  moved: CompiledMap | null,
  before: readonly FoldPair[] | null,
  source: 'known' | 'audited',
): readonly FoldPair[] {
  const { contextWidth, covariateWidth, covariateCount } = table.shape
  const { columns, inputWidth } = basis
  const width = columns + 1
  const { context } = block
  const space = cells(CHUNK * (2 * width + inputWidth))
  const buffer = space.subarray(0, CHUNK * width)
  const scratch = space.subarray(CHUNK * width, 2 * CHUNK * width)
  const inputs = space.subarray(2 * CHUNK * width)
  const pairs: [Sums | null, Sums | null][] = Array.from({ length: covariate.width }, (_, k) => {
    const [a, b] = before?.[k] ?? [null, null]
    return [a, b]
  })
  const { audit } = covariate.feature
  const uneven = source === 'audited' && block.askProbability !== null
  const asked = (row: number) => (uneven ? auditWeight(audit!, block, row * covariateCount + which) : 1)
  for (const fold of [0, 1] as const) {
    let count = 0
    for (let row = start; row < end; row++) {
      if (foldOfRound(block.index * BLOCK_ROUNDS + row) === fold && isKnown(block, row)) rows[count++] = row
    }
    if (count === 0) continue
    for (let k = 0; k < covariate.width; k++) {
      const earlier = pairs[k]![fold]
      pairs[k]![fold] = earlier === null ? emptySums(columns) : copySums(earlier)
    }
    for (let first = 0; first < count; first += CHUNK) {
      const chunk = rows.subarray(first, Math.min(count, first + CHUNK))
      const weights =
        halfLife === null && weigh === null && !uneven
          ? null
          : Float64Array.from(chunk, (row) => {
              const age = halfLife === null ? 1 : weightInBlock(row, halfLife)
              return (weigh === null ? age : age * weigh(context, row * contextWidth)) * asked(row)
            })
      for (let i = 0; i < chunk.length; i++) {
        const row = chunk[i]!
        const own = row * covariateWidth + covariate.at
        basis.gather(context, row * contextWidth, block.pretrained, own, inputs, i * inputWidth)
      }
      basis.expandRows(inputs, 0, chunk.length, buffer, 0, width)
      for (let k = 0; k < covariate.width; k++) {
        for (let i = 0; i < chunk.length; i++) {
          const row = chunk[i]!
          const at = row * covariateWidth + covariate.at + k
          const seen = block.observed[row * covariateCount + which] === Observed.atDecision
          const truth = seen ? block.covariates[at]! : block.revealed![at]!
          const pretrained = block.pretrained[at]!
          buffer[i * width + columns] = truth - pretrained - (moved === null ? 0 : moved(pretrained))
        }
        addRows(pairs[k]![fold]!, buffer, 0, chunk.length, weights, 0, scratch)
      }
    }
  }
  return pairs
}
