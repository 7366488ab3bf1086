// Defines and changes a problem. These changes keep what was learnt: another model of a covariate (only its calibration
// restarts), limits of imputers, fallbacks, guards, mode, activation, retention, reward window and default, audit, minimum
// propensity, actions added at the end. Other changes are refused unless the caller lets learning restart.

import type { ProblemDefinition } from '@primo/contract'
import { newActionTally, newBook, newTally, type ProblemRow } from './book.js'
import { canonicalJson } from './canonical-json.js'
import { type Define, type Outcome, refuse } from './commands.js'
import type { ProblemRecord } from './records.js'
import type { Settling } from './settle.js'
import { endEpoch } from './settle-epoch.js'
import { noSums } from './sums.js'

export function settleDefine(settling: Settling, command: Define): Outcome {
  const row = settling.problem(command.problem)
  if (row === undefined) return create(settling, command)
  if (row.retired !== null) return refuse('problem-retired', `problem "${command.problem}" was retired`)
  const { definition } = command
  if (canonicalJson(inOrder(definition)) === canonicalJson(inOrder(row.definition))) return { defined: 'unchanged' }
  const obstacle = invalidates(row.definition, definition)
  if (obstacle !== null && !command.renew)
    return refuse('problem-changed', `changing ${obstacle} would invalidate what was learnt: ?version=new starts anew`)
  const models = changedModels(row.definition, definition)
  const added = definition.actions.length > row.definition.actions.length
  row.definition = definition
  row.revision++
  const renewed = obstacle !== null || (models.length > 0 && command.renew)
  if (renewed) {
    row.version++
    row.seed = command.seed
  }
  const body: ProblemRecord = {
    version: row.version,
    seed: row.seed,
    definition,
    begins: renewed,
    ...(renewed || models.length === 0 ? {} : { models }),
    ...by(command),
  }
  const seq = settling.append(row, 'problem', null, JSON.stringify(body))
  const { book } = row
  if (renewed) {
    row.book = { ...newBook(definition, seq, book.time, command.start), epochSince: settling.waitsFrom(row) }
    settling.touch(row)
    return { defined: 'renewed' }
  }
  for (const action of definition.actions) book.tally.actions[action] ??= newActionTally()
  for (const [name, counts] of Object.entries(newTally(definition).covariates)) book.tally.covariates[name] ??= counts
  // The next fit includes the new action or model. A fit that runs now does not, so another one follows it.
  if ((added || models.length > 0) && !book.frozen && book.closed > 0) {
    if (book.ending === null) endEpoch(settling, row, added ? 'actions' : 'model')
    else if (models.length > 0) book.endAgain = true
  }
  return { defined: models.length > 0 ? 'recalibrated' : 'updated' }
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

/** Order matters for context, covariates and levels: columns follow it. */
function inOrder(definition: ProblemDefinition): unknown {
  return {
    ...definition,
    context: Object.entries(definition.context),
    covariates: Object.entries(definition.covariates),
  }
}

/** The imputer without what may change at any time: how long, how often and how many at once it is asked. */
function modelOf(imputer: object): unknown {
  const { limits: _, members, ...kept } = imputer as { limits?: unknown; members?: Readonly<Record<string, object>> }
  if (typeof members !== 'object' || members === null) return kept
  return {
    ...kept,
    members: Object.entries(members).map(([name, member]) => [name, modelOf(member)]),
  }
}

function differ(a: unknown, b: unknown): boolean {
  return canonicalJson(a ?? null) !== canonicalJson(b ?? null)
}

/** Covariates whose model is another one. */
function changedModels(before: ProblemDefinition, after: ProblemDefinition): readonly string[] {
  return Object.keys(after.covariates).filter((name) => {
    const old = before.covariates[name]?.imputer
    return old !== undefined && differ(modelOf(old), modelOf(after.covariates[name]!.imputer))
  })
}

/** The first thing whose change would invalidate what was learnt; null: nothing. */
function invalidates(before: ProblemDefinition, after: ProblemDefinition): string | null {
  if (differ(Object.entries(before.context), Object.entries(after.context))) return 'context'
  const features = ({ covariates }: ProblemDefinition) =>
    Object.entries(covariates).map(([name, { audit: _, fallback: __, ...kept }]) => [name, { ...kept, imputer: null }])
  if (differ(features(before), features(after))) return 'covariates'
  if (differ(before.actions, after.actions.slice(0, before.actions.length))) return 'actions other than by adding some'
  for (const field of ['min', 'max', 'mean', 'aggregate', 'learnFrom'] as const)
    if (differ(before.reward[field], after.reward[field])) return `reward.${field}`
  if ((before.reward.window === undefined) !== (after.reward.window === undefined)) return 'whether reward has a window'
  const learning = ({ learning: given }: ProblemDefinition) => {
    const { maxEpochAge: _, ...kept } = given ?? {}
    return kept
  }
  if (differ(learning(before), learning(after))) return 'learning'
  return null
}
