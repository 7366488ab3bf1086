// Rounds in columns: blocks of 4,096 rounds by round index, each a set of typed arrays. Growing adds a block and copies
// nothing; sums, windows and workers use the same blocks. Rounds are numbered from 0 here (round t of the paper is t - 1).

import { BLOCK_ROUNDS } from '@primo/numeric'

/** What has become of a round's reward. */
export const RoundStatus = { open: 0, closed: 1, dropped: 2, voided: 3 } as const

/** When a covariate's value became known; asked: an audit wants to know; audited: it was told. */
export const Observed = { missing: 0, atDecision: 1, later: 2, asked: 3, audited: 4 } as const

export interface TableShape {
  readonly contextWidth: number
  readonly covariateWidth: number
  readonly covariateCount: number
  /** Columns of what members of ensembles said; default 0. */
  readonly memberWidth?: number
  /** Columns of signals; default 0. */
  readonly signalWidth?: number
}

/** The columns of 4,096 rounds. */
export interface RoundBlock {
  readonly index: number
  /** Encoded contexts, row-major. */
  readonly context: Float64Array
  /** z-tilde as the decision used it, inside units, row-major. */
  readonly covariates: Float64Array
  /** The pre-trained prediction, inside units, NaN where there was none. */
  readonly pretrained: Float64Array
  /** Per covariate: see Observed. */
  readonly observed: Uint8Array
  readonly action: Uint16Array
  readonly propensity: Float64Array
  /** Reward in units of the mean reward's range (0 to 1); aggregated so far while the round is open. */
  readonly reward: Float64Array
  /** Rewards that have arrived. */
  readonly arrivals: Uint16Array
  readonly status: Uint8Array
  /** What the members of ensembles said, inside units, NaN where one was silent; absent until the first one in this block. */
  members: Float64Array | null
  /** Per covariate the standard deviation that its model gave, inside units, NaN where none; absent until the first one in this block. */
  modelSd: Float64Array | null
  /** Per covariate why it was missing: 1 + place among the declared reasons, 0 where none of them; absent until the first in this block. */
  reasons: Uint8Array | null
  /**
   * Per covariate the probability with which its truth was asked for, 0 where it was not or was asked with the audit's share; absent until an
   * audit with a budget asked, or one with another share than now had.
   */
  askProbability: Float64Array | null
  /** Truths revealed later, inside units; absent until the first one in this block. */
  revealed: Float64Array | null
  /** What was seen between decision and reward, inside units, NaN where nothing was; absent until the first one in this block. */
  signals: Float64Array | null
}

/** A place outside of memory for contexts, which are most of a long table and are read only when something is fitted. */
export interface ContextArchive {
  /** Whether it was taken in; otherwise it stays in memory. */
  readonly keep: (block: number, context: Float64Array) => boolean
  readonly load: (block: number) => Float64Array
}

/** Rounds in columns, in blocks. */
export class RoundTable {
  readonly shape: TableShape
  readonly blocks: RoundBlock[] = []
  readonly #archive: ContextArchive | null
  #count = 0
  /** Rounds in the order in which they closed. */
  #closings: number[] = []

  constructor(shape: TableShape, archive: ContextArchive | null = null) {
    this.shape = shape
    this.#archive = archive
  }

  get count(): number {
    return this.#count
  }

  /** Closes a round: its reward is final, and it is learnt from. */
  close(round: number): void {
    this.block(round).status[round % BLOCK_ROUNDS] = RoundStatus.closed
    this.#closings.push(round)
  }

  /** Takes back the closing that came last. */
  reopen(round: number): void {
    this.#closings.pop()
    this.block(round).status[round % BLOCK_ROUNDS] = RoundStatus.open
  }

  /** Rounds closed so far, and those that closed after the first `from`, in the order in which they did. */
  get closedCount(): number {
    return this.#closings.length
  }

  takeClosings(rounds: readonly number[]): void {
    this.#closings = [...rounds]
  }

  closings(from: number): readonly number[] {
    return this.#closings.slice(from)
  }

  /** Room for one more round; returns its index. Its columns are zero until written. */
  append(): number {
    return this.appendRows(1)
  }

  /**
   * Room for `count` more rounds of one block; returns the index of the first. `context` takes the place of the block's context
   * columns where a block begins: it is read, never written.
   */
  appendRows(count: number, context?: Float64Array): number {
    const round = this.#count
    this.#count += count
    if (round % BLOCK_ROUNDS === 0) {
      this.blocks.push(newBlock(this.blocks.length, this.shape, context))
      this.#putAway(this.blocks.length - 3)
    }
    return round
  }

  /** These blocks in place of the table's own, with other columns beside the context; the archive goes with them. */
  withBlocks(shape: TableShape, blocks: readonly RoundBlock[]): RoundTable {
    const table = new RoundTable(shape, this.#archive)
    table.blocks.push(...blocks)
    table.#count = this.#count
    table.#closings = this.#closings
    return table
  }

  /** A block that nothing is written to any more keeps its context in the archive. */
  #putAway(index: number): void {
    const block = this.blocks[index]
    const archive = this.#archive
    if (block === undefined || !archive?.keep(index, block.context)) return
    Object.defineProperty(block, 'context', { get: () => archive.load(index), enumerable: true })
  }

  /** Takes back the round appended last. Its columns keep what was written; the next round writes over it. */
  retract(): void {
    this.#count--
    if (this.#count % BLOCK_ROUNDS === 0) this.blocks.pop()
  }

  block(round: number): RoundBlock {
    return this.blocks[Math.floor(round / BLOCK_ROUNDS)]!
  }
}

/** The block's member columns, made when they are first needed: nobody has spoken. */
export function membersOf(block: RoundBlock, { memberWidth = 0 }: TableShape): Float64Array {
  block.members ??= new Float64Array(BLOCK_ROUNDS * memberWidth).fill(Number.NaN)
  return block.members
}

/** The block's column of standard deviations, made when it is first needed: no model gave one. */
export function modelSdOf(block: RoundBlock, { covariateCount }: TableShape): Float64Array {
  block.modelSd ??= new Float64Array(BLOCK_ROUNDS * covariateCount).fill(Number.NaN)
  return block.modelSd
}

/** The block's column of missing reasons, made when it is first needed. */
export function reasonsOf(block: RoundBlock, { covariateCount }: TableShape): Uint8Array {
  block.reasons ??= new Uint8Array(BLOCK_ROUNDS * covariateCount)
  return block.reasons
}

/** The block's column of probabilities of asking, made when it is first needed. */
export function askProbabilityOf(block: RoundBlock, { covariateCount }: TableShape): Float64Array {
  block.askProbability ??= new Float64Array(BLOCK_ROUNDS * covariateCount)
  return block.askProbability
}

/** The block's columns of signals, made when they are first needed: none was seen. */
export function signalsOf(block: RoundBlock, { signalWidth = 0 }: TableShape): Float64Array {
  block.signals ??= new Float64Array(BLOCK_ROUNDS * signalWidth).fill(Number.NaN)
  return block.signals
}

/** Whether every signal of the row was seen. */
export function allSignals({ signals }: RoundBlock, row: number, width: number): boolean {
  if (signals === null) return false
  for (let k = row * width; k < (row + 1) * width; k++) if (Number.isNaN(signals[k])) return false
  return true
}

/** Writes what a request says beside its values: columns that most problems never have. */
export function writeAside(
  block: RoundBlock,
  row: number,
  shape: TableShape,
  aside: {
    readonly members: Float64Array | null
    readonly modelSd: Float64Array | null
    readonly reasons: Uint8Array | null
  },
): void {
  const { members, modelSd, reasons } = aside
  const first = row * shape.covariateCount
  const end = first + shape.covariateCount
  if (members !== null) membersOf(block, shape).set(members, row * members.length)
  // A row that is written over must not keep what stood there.
  if (modelSd !== null) modelSdOf(block, shape).set(modelSd, first)
  else block.modelSd?.fill(Number.NaN, first, end)
  if (reasons !== null) reasonsOf(block, shape).set(reasons, first)
  else block.reasons?.fill(0, first, end)
  block.askProbability?.fill(0, first, end)
}

export function offsetOf(round: number): number {
  return round % BLOCK_ROUNDS
}

function newBlock(index: number, shape: TableShape, context?: Float64Array): RoundBlock {
  return {
    index,
    context: context ?? new Float64Array(BLOCK_ROUNDS * shape.contextWidth),
    covariates: new Float64Array(BLOCK_ROUNDS * shape.covariateWidth),
    pretrained: new Float64Array(BLOCK_ROUNDS * shape.covariateWidth),
    observed: new Uint8Array(BLOCK_ROUNDS * shape.covariateCount),
    action: new Uint16Array(BLOCK_ROUNDS),
    propensity: new Float64Array(BLOCK_ROUNDS),
    reward: new Float64Array(BLOCK_ROUNDS),
    arrivals: new Uint16Array(BLOCK_ROUNDS),
    status: new Uint8Array(BLOCK_ROUNDS),
    members: null,
    modelSd: null,
    reasons: null,
    askProbability: null,
    revealed: null,
    signals: null,
  }
}
