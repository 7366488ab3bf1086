// Commands on their way to the thread that writes. Decisions that follow each other travel as columns, a third of what as
// many objects cost to copy, and their records through memory that both threads see.

import type { Command, Decide } from '../../ledger/commands.js'

/** Decisions of one problem and revision, field by field. */
interface Decisions extends Pick<Decide, 'problem' | 'revision'> {
  readonly kind: 'decisions'
  readonly columns: { readonly [K in keyof Omit<Decide, 'kind' | 'problem' | 'revision' | 'record'>]: Decide[K][] }
  /** Where each record ends. */
  readonly ends: number[]
}

export interface PackedCommands {
  readonly commands: readonly (Exclude<Command, Decide> | Decisions)[]
  /** The records of all decisions, one behind the other. */
  readonly records: Uint8Array
}

/** Memory for the records of one batch at a time. */
export class Mailbox {
  #bytes = new Uint8Array(new SharedArrayBuffer(1 << 20))

  room(size: number): Uint8Array {
    if (size <= this.#bytes.length) return this.#bytes
    const larger = new Uint8Array(new SharedArrayBuffer(2 * size))
    if (larger.length <= MOST_KEPT) this.#bytes = larger
    return larger
  }
}

const MOST_KEPT = 1 << 24

export function packCommands(commands: readonly Command[], mailbox: Mailbox): PackedCommands {
  const packed: (Exclude<Command, Decide> | Decisions)[] = []
  let size = 0
  for (const command of commands) if (command.kind === 'decide') size += command.record.length
  const records = mailbox.room(size)
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

export function unpackCommands({ commands, records }: PackedCommands): Command[] {
  let start = 0
  return commands.flatMap((one): Command | readonly Command[] => {
    if (one.kind !== 'decisions') return one
    const decides = decidesOf(one, records, start)
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
