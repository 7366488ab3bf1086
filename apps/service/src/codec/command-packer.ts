// Commands as a message to the thread that writes. Consecutive decisions travel as columns, a third of the cost of as many
// objects, and their records in a buffer that both threads see.

import type { Command, Decide } from '../ledger/commands.js'
import type { Codec, Packed } from './codec.js'

/** Decisions of one problem and revision, field by field. */
interface Decisions extends Pick<Decide, 'problem' | 'revision'> {
  readonly kind: 'decisions'
  readonly columns: { readonly [K in keyof Omit<Decide, 'kind' | 'problem' | 'revision' | 'record'>]: Decide[K][] }
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
      const last = packed.at(-1)
      if (last?.kind === 'decisions' && last.problem === command.problem && last.revision === command.revision)
        add(last, command, end)
      else packed.push(add(noDecisions(command), command, end))
    }
    return { commands: packed, records }
  }
}

export function unpackCommands({ commands, records }: Packed): Command[] {
  let start = 0
  return (commands as readonly (Command | Decisions)[]).flatMap((one): Command | readonly Command[] => {
    if (one.kind !== 'decisions') return one
    const decides = decidesOf(one, records!, start)
    start = one.ends.at(-1)!
    return decides
  })
}

function noDecisions({ problem, revision }: Decide): Decisions {
  return {
    kind: 'decisions',
    problem,
    revision,
    columns: {
      id: [],
      eventId: [],
      replyAt: [],
      windowed: [],
      action: [],
      holdout: [],
      deferred: [],
      covariates: [],
    },
    ends: [],
  }
}

function add(decisions: Decisions, command: Decide, end: number): Decisions {
  const { columns, ends } = decisions
  columns.id.push(command.id)
  columns.eventId.push(command.eventId)
  columns.replyAt.push(command.replyAt)
  columns.windowed.push(command.windowed)
  columns.action.push(command.action)
  columns.holdout.push(command.holdout)
  columns.deferred.push(command.deferred)
  columns.covariates.push(command.covariates)
  ends.push(end)
  return decisions
}

function decidesOf({ problem, revision, columns, ends }: Decisions, records: Uint8Array, start: number): Decide[] {
  return columns.id.map((id, k) => ({
    kind: 'decide',
    problem,
    revision,
    id,
    eventId: columns.eventId[k]!,
    record: records.subarray(k === 0 ? start : ends[k - 1], ends[k]),
    replyAt: columns.replyAt[k]!,
    windowed: columns.windowed[k]!,
    action: columns.action[k]!,
    holdout: columns.holdout[k]!,
    deferred: columns.deferred[k]!,
    covariates: columns.covariates[k]!,
  }))
}
