// A learner as JSON: format version, fingerprint of its problem, options, seed, what was learnt, and the rounds in columns
// (base64 of little-endian arrays). Restoring checks all of it before anything is built.

import { fromBase64, toBase64 } from '../data/base64.js'
import { type RoundBlock, RoundTable, type TableShape } from '../data/round-table.js'
import type { EpochState } from '../epoch/epoch-state.js'
import { PrimoError, show } from '../errors.js'
import { BLOCK_ROUNDS } from '../numeric/sums.js'
import type { EngineOptions } from './engine.js'

export const SNAPSHOT_FORMAT = 1

export interface RoundsSnapshot {
  readonly count: number
  readonly columns: Readonly<Record<string, string>>
}

export interface Snapshot {
  readonly format: number
  readonly problem: string
  readonly options: EngineOptions
  readonly seed: number
  readonly state: EpochState
  /** Ids that are not the number of the round: [id, round counted from 0]. */
  readonly ids: readonly (readonly [string, number])[]
  readonly rounds: RoundsSnapshot
}

type ColumnName = Exclude<keyof RoundBlock, 'index'>
type Column = Float64Array | Uint8Array | Uint16Array

/** Values per round of each column. */
function columnWidths(shape: TableShape): Readonly<Record<ColumnName, number>> {
  return {
    context: shape.contextWidth,
    covariates: shape.covariateWidth,
    pretrained: shape.covariateWidth,
    observed: shape.covariateCount,
    action: 1,
    propensity: 1,
    reward: 1,
    arrivals: 1,
    status: 1,
    revealed: shape.covariateWidth,
  }
}

export function packRounds(table: RoundTable): RoundsSnapshot {
  const columns: Record<string, string> = {}
  for (const [name, width] of Object.entries(columnWidths(table.shape)) as [ColumnName, number][]) {
    const anyBlock = table.blocks.find((block) => block[name] !== null)
    if (anyBlock === undefined || width === 0) continue
    const sample = anyBlock[name]!
    const all = newArray(sample, table.count * width)
    table.blocks.forEach((block, index) => {
      const source = block[name]
      const rows = Math.min(BLOCK_ROUNDS, table.count - index * BLOCK_ROUNDS)
      if (source !== null) all.set(source.subarray(0, rows * width), index * BLOCK_ROUNDS * width)
    })
    columns[name] = toBase64(all)
  }
  return { count: table.count, columns }
}

function newArray(like: Column, length: number): Column {
  if (like instanceof Float64Array) return new Float64Array(length)
  return like instanceof Uint16Array ? new Uint16Array(length) : new Uint8Array(length)
}

export function unpackRounds(snapshot: RoundsSnapshot, shape: TableShape): RoundTable {
  const table = new RoundTable(shape)
  for (let round = 0; round < snapshot.count; round++) table.append()
  for (const [name, width] of Object.entries(columnWidths(shape)) as [ColumnName, number][]) {
    const text = snapshot.columns[name]
    if (text === undefined) continue
    const bytes = fromBase64(text)
    for (const block of table.blocks) {
      if (name === 'revealed') block.revealed = new Float64Array(BLOCK_ROUNDS * width)
      const target = block[name]!
      const first = block.index * BLOCK_ROUNDS * width
      const rows = Math.min(BLOCK_ROUNDS, snapshot.count - block.index * BLOCK_ROUNDS)
      const size = target.BYTES_PER_ELEMENT
      const expected = snapshot.count * width * size
      if (bytes.length !== expected) {
        throw new PrimoError(
          'snapshot-invalid',
          `snapshot column ${name} must have ${expected} bytes, got ${bytes.length}`,
          { name },
        )
      }
      new Uint8Array(target.buffer).set(bytes.subarray(first * size, (first + rows * width) * size))
    }
  }
  return table
}

export function checkSnapshot(snapshot: unknown, fingerprint: string): Snapshot {
  if (typeof snapshot !== 'object' || snapshot === null) {
    throw new PrimoError('snapshot-invalid', `snapshot must be an object, got ${show(snapshot)}`)
  }
  const given = snapshot as Partial<Snapshot>
  if (!Number.isSafeInteger(given.format)) {
    throw new PrimoError('snapshot-invalid', `snapshot.format must be a whole number, got ${show(given.format)}`)
  }
  if (given.format! > SNAPSHOT_FORMAT) {
    throw new PrimoError(
      'snapshot-too-new',
      `snapshot.format must be at most ${SNAPSHOT_FORMAT}, got ${given.format}`,
      {
        format: given.format,
      },
    )
  }
  if (given.problem !== fingerprint) {
    throw new PrimoError(
      'snapshot-mismatch',
      `snapshot must be of the same problem (${fingerprint}), got ${show(given.problem)}`,
      {
        expected: fingerprint,
        problem: given.problem,
      },
    )
  }
  for (const field of ['options', 'seed', 'state', 'ids', 'rounds'] as const) {
    if (given[field] === undefined)
      throw new PrimoError('snapshot-invalid', `snapshot.${field} must be there, got undefined`, { field })
  }
  return given as Snapshot
}
