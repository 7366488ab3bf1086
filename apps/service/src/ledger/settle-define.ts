// Defines and changes a problem. What a change keeps of what was learnt says definition-change.ts; a change that would lose it is refused
// unless the caller lets learning restart.

import type { ProblemDefinition } from '@primo/contract'
import { newActionTally, newBook, newTally, type ProblemRow } from './book.js'
import { canonicalJson } from './canonical-json.js'
import { type Define, type Outcome, refuse } from './commands.js'
import { changeOf } from './definition-change.js'
import type { ProblemRecord } from './records.js'
import type { Settling } from './settle.js'
import { forgetCandidates } from './settle-candidate.js'
import { endEpoch } from './settle-epoch.js'
import { noSums } from './sums.js'

export function settleDefine(settling: Settling, command: Define): Outcome {
  const row = settling.problem(command.problem)
  if (row === undefined) return create(settling, command)
  const { definition } = command
  const { change, kept, anew, models, added, columns } = changeOf(row, definition, command.renew)
  if (change === 'refused' && row.retired !== null) return refuse('problem-retired', anew[0]!)
  if (change === 'refused') return refuse('problem-changed', `${anew.join('; ')}: ?version=new starts anew`)
  if (change === 'unchanged') return { defined: 'unchanged' }
  if (change !== 'updated' || added.length > 0) forgetCandidates(settling, row)
  // Sums about a guardrail are in its units.
  else if (row.book.watch !== undefined && !sameGuardrails(row.definition, definition)) row.book.watch.guardrails = {}
  row.definition = definition
  row.revision++
  const renewed = change === 'renewed'
  if (renewed) {
    row.version++
    row.seed = command.seed
  }
  const body: ProblemRecord = {
    version: row.version,
    seed: row.seed,
    definition,
    begins: renewed,
    ...(models.length === 0 ? {} : { models }),
    ...(columns ? { grown: kept } : {}),
    ...by(command),
  }
  const seq = settling.append(row, 'problem', null, JSON.stringify(body))
  const { book } = row
  if (renewed) {
    row.book = {
      ...newBook(definition, seq, book.time, command.start),
      epochSince: settling.waitsFrom(row),
      ...(book.uploads === undefined ? {} : { uploads: book.uploads }),
    }
    settling.touch(row)
    return { defined: 'renewed' }
  }
  if (columns) book.grown = [...(book.grown ?? []), seq]
  for (const action of definition.actions) book.tally.actions[action] ??= newActionTally()
  for (const [name, counts] of Object.entries(newTally(definition).covariates)) book.tally.covariates[name] ??= counts
  // The next fit includes the new action or model. A fit that runs now does not, so another one follows it.
  if ((added.length > 0 || models.length > 0) && !book.frozen && book.closed > 0) {
    if (book.ending === null) endEpoch(settling, row, added.length > 0 ? 'actions' : 'model')
    else if (models.length > 0) book.endAgain = true
  }
  return { defined: change }
}

function sameGuardrails(before: ProblemDefinition, after: ProblemDefinition): boolean {
  return canonicalJson(before.guardrails ?? {}) === canonicalJson(after.guardrails ?? {})
}

function create(settling: Settling, command: Define): Outcome {
  const { definition, seed } = command
  const row: ProblemRow = {
    id: 0,
    name: command.problem,
    definition,
    version: 1,
    revision: 1,
    seed,
    created: settling.now,
    retired: null,
    book: newBook(definition, 0, settling.now, command.start),
    sums: noSums(),
    checksum: 0,
  }
  settling.changes.created.push(row)
  const body: ProblemRecord = { version: 1, seed, definition, begins: true, ...by(command) }
  settling.append(row, 'problem', null, JSON.stringify(body))
  row.book.start = row.book.seq
  return { defined: 'created' }
}

function by({ by: name = null }: Define): { by?: string } {
  return name === null ? {} : { by: name }
}
