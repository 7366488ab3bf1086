// Commands as a message to the thread that writes. Consecutive decisions travel as columns, a third of the cost of as many
// objects, and their records in a buffer that both threads see.

import type { Command, Decide } from '../ledger/commands.js'
import type { Codec, Packed } from './codec.js'

const FIELDS = [
  'id',
  'eventId',
  'replyAt',
  'windowed',
  'action',
  'holdout',
  'deferred',
  'covariates',
  'clipped',
  'uploaded',
] as const

/** Decisions of one problem and revision. */
interface Decisions extends Pick<Decide, 'problem' | 'of' | 'revision'> {
  readonly kind: 'decisions'
  readonly columns: { readonly [K in (typeof FIELDS)[number]]: Decide[K][] }
  /** Where each record ends. */
  readonly ends: number[]
}

/** Bytes of the shared buffer at first, and the most that is kept for the next message. */
const FIRST_SIZE = 1 << 20
const MAX_KEPT = 1 << 24

/** One message at a time: the next one overwrites the shared buffer. */
export function createPacker(): Codec['pack'] {
  let shared: Uint8Array | null = null

  function bufferFor(size: number): Uint8Array {
    if (shared !== null && size <= shared.length) return shared
    const larger = new Uint8Array(new SharedArrayBuffer(Math.max(FIRST_SIZE, 2 * size)))
    if (larger.length <= MAX_KEPT) shared = larger
    return larger
  }

  return (commands) => {
    const packed: (Command | Decisions)[] = []
    let size = 0
    for (const command of commands) if (command.kind === 'decide') size += command.record.length
    if (size === 0) return { commands }
    const records = bufferFor(size)
    let end = 0
    for (const command of commands) {
      if (command.kind !== 'decide') {
        packed.push(command)
        continue
      }
      records.set(command.record, end)
      end += command.record.length
      const { problem, of, revision } = command
      let last = packed.at(-1)
      const same =
        last?.kind === 'decisions' && last.problem === problem && last.of === of && last.revision === revision
      if (last?.kind !== 'decisions' || !same) {
        const named = of === undefined ? { problem, revision } : { problem, of, revision }
        last = { kind: 'decisions', ...named, columns: noColumns(), ends: [] }
        packed.push(last)
      }
      for (const field of FIELDS) (last.columns[field] as unknown[]).push(command[field])
      last.ends.push(end)
    }
    return { commands: packed, records }
  }
}

export function unpackCommands({ commands, records }: Packed): Command[] {
  let start = 0
  return (commands as readonly (Command | Decisions)[]).flatMap((one) => {
    if (one.kind !== 'decisions') return [one]
    const { problem, of, revision, columns, ends } = one
    return ends.map((end, row): Decide => {
      const record = records!.subarray(start, end)
      start = end
      return {
        kind: 'decide',
        problem,
        ...(of === undefined ? {} : { of }),
        revision,
        record,
        id: columns.id[row]!,
        eventId: columns.eventId[row]!,
        replyAt: columns.replyAt[row]!,
        windowed: columns.windowed[row]!,
        action: columns.action[row]!,
        holdout: columns.holdout[row]!,
        deferred: columns.deferred[row]!,
        covariates: columns.covariates[row]!,
        clipped: columns.clipped[row]!,
        ...(columns.uploaded[row] === true ? { uploaded: true } : {}),
      }
    })
  })
}

function noColumns(): Decisions['columns'] {
  return Object.fromEntries(FIELDS.map((field) => [field, []])) as unknown as Decisions['columns']
}
