// Checksums of rows: 32 bits that change with any bit of the row. Short fields are mixed here (after FNV-1a), long texts by CRC-32.

import { crc32 } from 'node:zlib'
import type { NewEntry, RoundRow, SnapshotRow } from './facts.js'

const START = 0x811c9dc5
const PRIME = 0x01000193
const NOTHING = 0x20000
const number = new DataView(new ArrayBuffer(8))

function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, PRIME)
  return product ^ (product >>> 15)
}

function withNumber(hash: number, value: number | null): number {
  if (value === null) return mixed(hash, NOTHING)
  // Zero has one sign: not every store keeps it.
  number.setFloat64(0, value + 0, true)
  return mixed(mixed(hash, number.getInt32(0, true)), number.getInt32(4, true))
}

function withText(hash: number, text: string | null): number {
  if (text === null) return mixed(hash, NOTHING)
  let mix = mixed(hash, text.length)
  for (let k = 0; k < text.length; k++) mix = Math.imul(mix ^ text.charCodeAt(k), PRIME)
  return mixed(mix, 0)
}

function withLong(hash: number, text: string | Uint8Array): number {
  return crc32(text, hash >>> 0) | 0
}

export function entryChecksum({ problem, seq, time, kind, round, body }: Omit<NewEntry, 'checksum'>): number {
  const head = withNumber(withNumber(withNumber(START, problem), seq), time)
  return withLong(withText(withNumber(head, round), kind), body)
}

export function roundChecksum(problem: number, row: RoundRow): number {
  let hash = withText(withText(withNumber(START, problem), row.id), row.eventId)
  hash = withNumber(withNumber(withNumber(hash, row.round), row.version), row.seq)
  hash = withNumber(withText(hash, row.action), row.holdout ? 1 : 0)
  hash = withNumber(withNumber(withText(hash, row.state), row.arrivals), row.value)
  return withNumber(hash, row.deadline)
}

export interface RewardRow {
  readonly problem: number
  readonly decision: string
  readonly rewardId: string
  readonly value: number
}

export function rewardChecksum({ problem, decision, rewardId, value }: RewardRow): number {
  return withNumber(withText(withText(withNumber(START, problem), decision), rewardId), value)
}

/** `value`: as JSON. */
export interface RevealRow {
  readonly problem: number
  readonly decision: string
  readonly covariate: string
  readonly value: string
}

export function revealChecksum({ problem, decision, covariate, value }: RevealRow): number {
  return withText(withText(withText(withNumber(START, problem), decision), covariate), value)
}

export function stateChecksum(state: string): number {
  return withLong(START, state)
}

/** Of all but the state, which is not always read: it has a checksum of its own. */
export function snapshotChecksum(row: Omit<SnapshotRow, 'state' | 'checksum'>): number {
  let hash = withNumber(withNumber(withNumber(START, row.problem), row.problemVersion), row.version)
  hash = withNumber(withNumber(withNumber(hash, row.epoch), row.cut), row.time)
  return withLong(withNumber(withText(hash, row.software), row.stateChecksum), row.report)
}

/** A row of `problems` as it is stored. */
export interface ProblemTexts {
  readonly id: number
  readonly name: string
  readonly definition: string
  readonly version: number
  readonly revision: number
  readonly seed: number
  readonly created: number
  readonly retired: number | null
  readonly book: string
  readonly sums: string
}

export function problemChecksum(row: ProblemTexts): number {
  let hash = withText(withNumber(START, row.id), row.name)
  hash = withNumber(withNumber(withNumber(hash, row.version), row.revision), row.seed)
  hash = withText(withNumber(withNumber(hash, row.created), row.retired), row.sums)
  return withLong(withLong(hash, row.definition), row.book)
}
