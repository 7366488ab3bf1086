// A learner as JSON: format version, fingerprint of its problem, options, seed, what was learnt (restore-state.ts), and the rounds
// in columns (rounds-snapshot.ts). Restoring checks all of it before anything is built.

import { PrimoError, show } from '@primo/numeric'
import type { EngineOptions } from '../engine/engine.js'
import type { EpochState } from '../engine/epoch-state.js'
import type { Encoding } from '../problem/encoding.js'
import type { RoundsSnapshot } from './rounds-snapshot.js'
import { invalid, isCount, isRecord } from './snapshot-checks.js'

/** Version of the snapshots that this version writes; newer ones are refused. */
export const SNAPSHOT_FORMAT = 1

/** A learner as JSON. */
export interface Snapshot {
  readonly format: number
  readonly problem: string
  readonly options: EngineOptions
  readonly seed: number
  readonly state: EpochState
  /** Ids that are not the number of the round: [id, round counted from 0]. */
  readonly ids: readonly (readonly [string, number])[]
  readonly rounds: RoundsSnapshot
  /** By feature that takes values outside its range: how many came; absent: none. */
  readonly clipped?: Readonly<Record<string, number>>
}

export function restoreClipped({ clipped = {} }: Snapshot, { clips }: Encoding): Readonly<Record<string, number>> {
  if (!isRecord(clipped)) throw invalid('clipped', 'a map feature -> count', clipped)
  for (const [name, count] of Object.entries(clipped))
    if (!isCount(count) || !clips.some((feature) => feature.name === name))
      throw invalid(`clipped.${name}`, 'a count of a feature that clips', count)
  return clipped
}

export function restoreIds(snapshot: Snapshot): Map<string, number> {
  if (!Array.isArray(snapshot.ids)) throw invalid('ids', 'a list of [id, round]', snapshot.ids)
  const ids = new Map<string, number>()
  const rounds = new Set<number>()
  for (const entry of snapshot.ids as readonly unknown[]) {
    const [id, round] = Array.isArray(entry) ? (entry as unknown[]) : []
    const known = isCount(round) && round < snapshot.rounds.count && !rounds.has(round)
    if (typeof id !== 'string' || id === '' || ids.has(id) || !known)
      throw invalid('ids', 'of distinct decided rounds', Array.isArray(entry) ? entry.map(show).join(', ') : entry)
    ids.set(id, round)
    rounds.add(round)
  }
  return ids
}

export function checkSnapshot(snapshot: unknown, fingerprint: string): Snapshot {
  if (!isRecord(snapshot)) throw new PrimoError('snapshot-invalid', `snapshot must be an object, got ${show(snapshot)}`)
  const given = snapshot as Partial<Snapshot>
  const { format } = given
  if (!isCount(format) || format < 1) throw invalid('format', 'a whole number >= 1', format)
  if (format > SNAPSHOT_FORMAT) {
    throw new PrimoError('snapshot-too-new', `snapshot.format must be at most ${SNAPSHOT_FORMAT}, got ${format}`, {
      format,
    })
  }
  if (given.problem !== fingerprint) {
    throw new PrimoError(
      'snapshot-mismatch',
      `snapshot.problem must be that of the same problem (${fingerprint}), got ${show(given.problem)}`,
      {
        expected: fingerprint,
        problem: given.problem,
      },
    )
  }
  if (!isRecord(given.options)) throw invalid('options', 'an object', given.options)
  if (!isCount(given.seed)) throw invalid('seed', 'a whole number >= 0', given.seed)
  if (!isRecord(given.state)) throw invalid('state', 'an object', given.state)
  if (!isRecord(given.rounds)) throw invalid('rounds', 'an object', given.rounds)
  const { count, columns } = given.rounds as Partial<RoundsSnapshot>
  if (!isCount(count)) throw invalid('rounds.count', 'a whole number >= 0', count)
  if (!isRecord(columns)) throw invalid('rounds.columns', 'an object', columns)
  return given as Snapshot
}
