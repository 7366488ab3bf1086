// Sums behind the ladder: per column of a covariate and per fold, [B(x), z - g~] over the closed rounds whose value is known,
// or over those that an audit asked for; `moved` is taken off the target where the isotonic rung comes first. A round's fold is a fixed function of its number, so the sums of a block are
// computed once and kept, and go on where they stopped.

import { blockParts, type RoundRange } from '../data/block-parts.js'
import type { EncodedCovariate } from '../data/encoding.js'
import { revealsOf } from '../data/problem.js'
import { Observed, type RoundBlock, RoundStatus, type RoundTable } from '../data/round-table.js'
import { BlockMemo } from '../numeric/block-memo.js'
import { blockDecay, scaleSums, weightInBlock } from '../numeric/forgetting.js'
import { addRows, BLOCK_ROUNDS, type BlockSums, copySums, emptySums, mergeBlocks, type Sums } from '../numeric/sums.js'
import type { CorrectionBasis } from './correction-basis.js'
import type { CompiledMap } from './monotone-map.js'

type FoldPair = readonly [Sums | null, Sums | null]

/** Sums of the known rounds of a part, which later rounds of the block can be added to. */
interface PartSums {
  readonly start: number
  readonly end: number
  readonly halfLife: number | null
  readonly known: number
  readonly pairs: readonly FoldPair[]
}

/** Weight of a row from its context at x[at]. */
export type RowWeight = (x: Float64Array, at: number) => number

const memo = new BlockMemo<PartSums>()
// Weights and maps are fitted anew each time, so sums with them are not kept.
const unkept = { get: (_block: object, _key: string, _stamp: string, make: (before?: PartSums) => PartSums) => make() }

/** 0 or 1: the top bit of a multiplicative hash of the round's number. */
export function foldOfRound(round: number): 0 | 1 {
  return (Math.imul(round, 0x9e3779b1) >>> 31) as 0 | 1
}

export function ladderSums(
  table: RoundTable,
  range: RoundRange,
  covariate: EncodedCovariate,
  which: number,
  basis: CorrectionBasis,
  halfLife: number | null = null,
  source: 'known' | 'audited' = 'known',
  weigh: RowWeight | null = null,
  moved: CompiledMap | null = null,
): readonly (readonly [Sums, Sums])[] {
  const { covariateWidth, covariateCount } = table.shape
  const flags: readonly (number | undefined)[] =
    source === 'audited'
      ? [Observed.audited]
      : revealsOf(covariate.feature) === 'context'
        ? [Observed.atDecision, Observed.later]
        : [Observed.atDecision]
  const isKnown = (block: RoundBlock, row: number) => {
    if (!flags.includes(block.observed[row * covariateCount + which])) return false
    return (
      block.status[row] === RoundStatus.closed && !Number.isNaN(block.pretrained[row * covariateWidth + covariate.at])
    )
  }
  const leaves: readonly [BlockSums[], BlockSums[]][] = Array.from({ length: covariate.width }, () => [[], []])
  for (const { block, start, end } of blockParts(table, range)) {
    const count = (to: number) => {
      let known = 0
      for (let row = start; row < to; row++) if (isKnown(block, row)) known++
      return known
    }
    const known = count(end)
    if (known === 0) continue
    const key = `ladder/${source}/${which}/${basis.kind}`
    const decay = halfLife === null ? 1 : blockDecay(block.index, range.to, halfLife)
    const { pairs } = (weigh === null && moved === null ? memo : unkept).get(
      block,
      key,
      `${start}-${end}/${known}/${halfLife}`,
      (before) => {
        // Rounds only ever become known, so an equal count means the same rounds: only the later ones are summed.
        const goesOn =
          before?.start === start &&
          before.end <= end &&
          before.halfLife === halfLife &&
          before.known === count(before.end)
        const [from, sums] = goesOn ? [before.end, before.pairs] : [start, null]
        const made = sumPart(table, block, from, end, covariate, which, basis, isKnown, halfLife, weigh, moved, sums)
        return { start, end, halfLife, known, pairs: made }
      },
    )
    pairs.forEach((pair, k) => {
      for (const fold of [0, 1] as const) {
        const sums = pair[fold]
        if (sums !== null) leaves[k]![fold].push({ block: block.index, sums: scaleSums(sums, decay) })
      }
    })
  }
  return leaves.map(([a, b]) => [mergeBlocks(a, basis.columns), mergeBlocks(b, basis.columns)])
}

/** Rows that are expanded and summed before the next ones, so that they stay in a near cache. */
const CHUNK = 128

function sumPart(
  table: RoundTable,
  block: RoundBlock,
  start: number,
  end: number,
  covariate: EncodedCovariate,
  which: number,
  basis: CorrectionBasis,
  isKnown: (block: RoundBlock, row: number) => boolean,
  halfLife: number | null,
  weigh: RowWeight | null,
  moved: CompiledMap | null,
  before: readonly FoldPair[] | null,
): readonly FoldPair[] {
  const { contextWidth, covariateWidth, covariateCount } = table.shape
  const { columns } = basis
  const width = columns + 1
  const buffer = new Float64Array(CHUNK * width)
  const scratch = halfLife === null && weigh === null ? buffer : new Float64Array(CHUNK * width)
  const pairs: [Sums | null, Sums | null][] = Array.from({ length: covariate.width }, (_, k) => {
    const [a, b] = before?.[k] ?? [null, null]
    return [a, b]
  })
  for (const fold of [0, 1] as const) {
    const rows: number[] = []
    for (let row = start; row < end; row++) {
      if (foldOfRound(block.index * BLOCK_ROUNDS + row) === fold && isKnown(block, row)) rows.push(row)
    }
    if (rows.length === 0) continue
    for (let k = 0; k < covariate.width; k++) {
      const earlier = pairs[k]![fold]
      pairs[k]![fold] = earlier === null ? emptySums(columns) : copySums(earlier)
    }
    for (let first = 0; first < rows.length; first += CHUNK) {
      const chunk = rows.slice(first, first + CHUNK)
      const weights =
        halfLife === null && weigh === null
          ? null
          : Float64Array.from(chunk, (row) => {
              const age = halfLife === null ? 1 : weightInBlock(row, halfLife)
              return weigh === null ? age : age * weigh(block.context, row * contextWidth)
            })
      chunk.forEach((row, i) => {
        basis.expand(block.context, row * contextWidth, buffer, i * width)
      })
      for (let k = 0; k < covariate.width; k++) {
        chunk.forEach((row, i) => {
          const at = row * covariateWidth + covariate.at + k
          const seen = block.observed[row * covariateCount + which] === Observed.atDecision
          const truth = seen ? block.covariates[at]! : block.revealed![at]!
          const pretrained = block.pretrained[at]!
          buffer[i * width + columns] = truth - pretrained - (moved === null ? 0 : moved(pretrained))
        })
        addRows(pairs[k]![fold]!, buffer, 0, chunk.length, weights, 0, scratch)
      }
    }
  }
  return pairs
}
