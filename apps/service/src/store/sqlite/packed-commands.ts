// Commands on their way to the thread that writes. Decisions that follow each other travel as columns: a third of what as
// many objects cost to copy.

import type { Command, Decide } from '../../ledger/commands.js'

/** Decisions of one problem and revision, field by field. */
interface Decisions extends Pick<Decide, 'problem' | 'revision'> {
  readonly kind: 'decisions'
  readonly columns: { readonly [K in keyof Omit<Decide, 'kind' | 'problem' | 'revision'>]: Decide[K][] }
}

export type PackedCommands = readonly (Exclude<Command, Decide> | Decisions)[]

export function packCommands(commands: readonly Command[]): PackedCommands {
  const packed: (Exclude<Command, Decide> | Decisions)[] = []
  for (const command of commands) {
    if (command.kind !== 'decide') {
      packed.push(command)
      continue
    }
    const last = packed.at(-1)
    if (last?.kind === 'decisions' && last.problem === command.problem && last.revision === command.revision)
      add(last, command)
    else packed.push(add(noDecisions(command), command))
  }
  return packed
}

export function unpackCommands(packed: PackedCommands): Command[] {
  return packed.flatMap((one): Command | readonly Command[] => (one.kind === 'decisions' ? decidesOf(one) : one))
}

function noDecisions({ problem, revision }: Decide): Decisions {
  return {
    kind: 'decisions',
    problem,
    revision,
    columns: {
      id: [],
      eventId: [],
      record: [],
      replyAt: [],
      windowed: [],
      action: [],
      holdout: [],
      deferred: [],
      covariates: [],
    },
  }
}

function add(decisions: Decisions, command: Decide): Decisions {
  const { columns } = decisions
  columns.id.push(command.id)
  columns.eventId.push(command.eventId)
  columns.record.push(command.record)
  columns.replyAt.push(command.replyAt)
  columns.windowed.push(command.windowed)
  columns.action.push(command.action)
  columns.holdout.push(command.holdout)
  columns.deferred.push(command.deferred)
  columns.covariates.push(command.covariates)
  return decisions
}

function decidesOf({ problem, revision, columns }: Decisions): Decide[] {
  return columns.id.map((id, k) => ({
    kind: 'decide',
    problem,
    revision,
    id,
    eventId: columns.eventId[k]!,
    record: columns.record[k]!,
    replyAt: columns.replyAt[k]!,
    windowed: columns.windowed[k]!,
    action: columns.action[k]!,
    holdout: columns.holdout[k]!,
    deferred: columns.deferred[k]!,
    covariates: columns.covariates[k]!,
  }))
}
