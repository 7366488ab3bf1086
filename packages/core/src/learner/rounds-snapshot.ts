// The rounds of a table as JSON: one text per column, base64 of little-endian arrays. Unpacking checks every value.

import { BLOCK_ROUNDS } from '@primo/numeric'
import type { Engine } from '../engine/engine.js'
import { fromBase64, toBase64 } from '../rounds/base64.js'
import {
  askProbabilityOf,
  membersOf,
  modelSdOf,
  Observed,
  type RoundBlock,
  RoundStatus,
  RoundTable,
  reasonsOf,
  signalsOf,
  type TableShape,
} from '../rounds/round-table.js'
import { invalid } from './snapshot-checks.js'

export interface RoundsSnapshot {
  readonly count: number
  readonly columns: Readonly<Record<string, string>>
  /** Rounds in the order in which they closed; absent: in that of their decisions. */
  readonly closings?: string
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
    members: shape.memberWidth ?? 0,
    modelSd: shape.covariateCount,
    reasons: shape.covariateCount,
    askProbability: shape.covariateCount,
    revealed: shape.covariateWidth,
    signals: shape.signalWidth ?? 0,
  }
}

/** `ordered`: with the order in which rounds closed, where learning depends on it. */
export function packRounds(table: RoundTable, ordered: boolean): RoundsSnapshot {
  const columns: Record<string, string> = {}
  for (const [name, width] of Object.entries(columnWidths(table.shape)) as [ColumnName, number][]) {
    const anyBlock = table.blocks.find((block) => block[name] !== null)
    if (anyBlock === undefined || width === 0) continue
    const sample = anyBlock[name]!
    const all = newArray(sample, table.count * width)
    if (name === 'modelSd' || name === 'signals') all.fill(Number.NaN)
    table.blocks.forEach((block, index) => {
      const source = block[name]
      const rows = Math.min(BLOCK_ROUNDS, table.count - index * BLOCK_ROUNDS)
      if (source !== null) all.set(source.subarray(0, rows * width), index * BLOCK_ROUNDS * width)
    })
    columns[name] = toBase64(all)
  }
  const closings = table.closings(0)
  const closed = closedRounds(table)
  const inOrder = closings.length === closed.length && closings.every((round, k) => round === closed[k])
  return {
    count: table.count,
    columns,
    ...(inOrder || !ordered ? {} : { closings: toBase64(Float64Array.from(closings)) }),
  }
}

function newArray(like: Column, length: number): Column {
  if (like instanceof Float64Array) return new Float64Array(length)
  return like instanceof Uint16Array ? new Uint16Array(length) : new Uint8Array(length)
}

/** Whether a column may hold this value: codes have a largest one, and only a prediction may be absent (NaN). */
function isLegal(name: ColumnName, value: number, engine: Engine): boolean {
  if (name === 'action') return value < engine.encoding.actions.length
  if (name === 'status') return value <= RoundStatus.voided
  if (name === 'observed') return value <= Observed.audited
  if (name === 'askProbability') return value >= 0 && value <= 1
  if (name === 'modelSd') return Number.isNaN(value) || (value >= 0 && Number.isFinite(value))
  return name === 'pretrained' || name === 'members' || name === 'signals' || Number.isFinite(value)
}

/** Columns that are only there once something was written to them. */
const OPTIONAL: readonly ColumnName[] = ['revealed', 'members', 'modelSd', 'reasons', 'askProbability', 'signals']

export function unpackRounds(snapshot: RoundsSnapshot, engine: Engine): RoundTable {
  const table = new RoundTable(engine.shape)
  const { count } = snapshot
  const sample = new RoundTable(engine.shape)
  sample.append()
  for (const [name, width] of Object.entries(columnWidths(engine.shape)) as [ColumnName, number][]) {
    const text: unknown = Object.hasOwn(snapshot.columns, name) ? snapshot.columns[name] : undefined
    // No truth was revealed, nothing was said aside, or the column has no values at all.
    if (text === undefined && (OPTIONAL.includes(name) || width * count === 0)) continue
    const like = sample.blocks[0]![name] ?? (name === 'reasons' ? new Uint8Array(0) : new Float64Array(0))
    const bytes = typeof text === 'string' ? fromBase64(text) : null
    if (bytes === null) throw invalid(`rounds.columns.${name}`, 'base64 text', text)
    const expected = count * width * like.BYTES_PER_ELEMENT
    if (bytes.length !== expected) throw invalid(`rounds.columns.${name}`, `of ${expected} bytes`, bytes.length)
    const values = newArray(like, count * width)
    new Uint8Array(values.buffer).set(bytes)
    const wrong = values.find((value) => !isLegal(name, value, engine))
    if (wrong !== undefined) throw invalid(`rounds.columns.${name}`, 'of values that rounds can have', wrong)
    while (table.count < count) table.append()
    for (const block of table.blocks) {
      if (name === 'revealed') block.revealed = new Float64Array(BLOCK_ROUNDS * width)
      if (name === 'members') membersOf(block, engine.shape)
      if (name === 'modelSd') modelSdOf(block, engine.shape)
      if (name === 'reasons') reasonsOf(block, engine.shape)
      if (name === 'askProbability') askProbabilityOf(block, engine.shape)
      if (name === 'signals') signalsOf(block, engine.shape)
      const from = block.index * BLOCK_ROUNDS * width
      block[name]!.set(values.subarray(from, from + BLOCK_ROUNDS * width))
    }
  }
  table.takeClosings(closingsOf(snapshot, table))
  return table
}

function closedRounds(table: RoundTable): readonly number[] {
  const closed: number[] = []
  for (let round = 0; round < table.count; round++) {
    if (table.block(round).status[round % BLOCK_ROUNDS] === RoundStatus.closed) closed.push(round)
  }
  return closed
}

function closingsOf(snapshot: RoundsSnapshot, table: RoundTable): readonly number[] {
  const closed = closedRounds(table)
  if (snapshot.closings === undefined) return closed
  const bytes = fromBase64(snapshot.closings)
  if (bytes === null || bytes.length % 8 !== 0) throw invalid('rounds.closings', 'base64 of rounds', snapshot.closings)
  const closings = new Float64Array(bytes.length / 8)
  new Uint8Array(closings.buffer).set(bytes)
  const known = new Set(closings)
  const isRound = (round: number) => Number.isInteger(round) && round >= 0 && round < table.count
  if (known.size !== closings.length || !closings.every(isRound) || closed.some((round) => !known.has(round)))
    throw invalid('rounds.closings', 'every closed round once', closings.length)
  return Array.from(closings)
}
