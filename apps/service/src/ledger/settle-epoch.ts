// Ends of epochs, and what operators do to learning. An end is a record; a thread fits and publishes a policy. Meanwhile the
// old policy decides and further ends wait: several that fall due become one.

import type { ProblemRow } from './book.js'
import { stateChecksum } from './checksums.js'
import { type FitFailed, type Operate, type Outcome, type Publish, type Relearn, refuse } from './commands.js'
import type { EpochRecord, OperationRecord, PolicyRecord } from './records.js'
import type { Settling } from './settle.js'

export function endEpochIfDue(settling: Settling, row: ProblemRow): void {
  const { book } = row
  if (book.ending !== null || book.frozen) return
  if ((book.counted === 'closed' ? book.closed : book.rounds) >= book.quota) endEpoch(settling, row, 'quota')
}

/** Where closed rounds count, those that are enough do not wait for the next decision: it may not come for long. */
export function endEpochIfClosed(settling: Settling, row: ProblemRow): void {
  if (row.book.counted === 'closed') endEpochIfDue(settling, row)
}

export function endEpochByAge(settling: Settling, row: ProblemRow): void {
  const { book } = row
  const age = row.definition.learning?.maxEpochAge?.milliseconds
  if (age === undefined || settling.held || book.ending !== null || book.frozen) return
  if (settling.now - book.epochSince < age || book.closed === 0) return
  endEpoch(settling, row, 'age')
}

export function endEpoch(settling: Settling, row: ProblemRow, why: EpochRecord['why']): void {
  const { book } = row
  const body: EpochRecord = { epoch: book.epoch, rounds: book.rounds, closed: book.closed, why }
  const cut = settling.append(row, 'epoch', null, JSON.stringify(body))
  book.ending = { epoch: book.epoch, cut, rounds: book.rounds, since: book.time }
}

export function settlePublish(settling: Settling, row: ProblemRow, command: Publish): Outcome {
  const { book } = row
  // The learner is stale: another one has learnt this end, or learning has restarted.
  if (book.ending?.cut !== command.cut || command.version !== book.learnt + 1) return { stale: true }
  const { software } = command
  const body: PolicyRecord = { version: command.version, epoch: command.next.epoch, cut: command.cut, software }
  settling.append(row, 'policy', null, JSON.stringify(body))
  settling.changes.snapshots.push({
    problem: row.id,
    version: command.version,
    problemVersion: row.version,
    epoch: command.next.epoch,
    cut: command.cut,
    time: book.time,
    state: command.state,
    report: command.report,
    software,
    stateChecksum: stateChecksum(command.state),
    checksum: 0,
  })
  book.ending = null
  if (book.candidate !== undefined) book.candidate.due = command.cut
  book.learnt = command.version
  book.epoch = command.next.epoch
  book.quota = command.next.quota
  book.counted = command.next.counted
  book.epochSince = settling.waitsFrom(row)
  book.lastFailure = null
  // Frozen while the fit ran: the new policy is kept and does not go live, unless the live one cannot be played any
  // more.
  if (!book.frozen || (book.policy !== 0 && book.policy < (book.firstPolicy ?? 0))) book.policy = command.version
  if (book.endAgain === true) {
    delete book.endAgain
    if (!book.frozen) endEpoch(settling, row, 'model')
  }
  // What closed while the fit ran.
  endEpochIfClosed(settling, row)
  return { done: true }
}

export function settleRelearn(settling: Settling, row: ProblemRow, { policy }: Relearn): Outcome {
  const { book } = row
  if (book.policy !== policy || policy < (book.firstPolicy ?? 0)) return { stale: true }
  book.firstPolicy = book.learnt + 1
  settling.touch(row)
  // An end that waits is learnt so, too.
  if (book.ending === null) endEpoch(settling, row, 'learner')
  return { done: true }
}

export function settleFitFailed(settling: Settling, row: ProblemRow, command: FitFailed): Outcome {
  const { book } = row
  if (book.ending?.cut !== command.cut) return { stale: true }
  settling.append(row, 'fit-failed', null, JSON.stringify({ cut: command.cut, message: command.message }))
  book.failures++
  book.lastFailure = command.message
  if (command.recut) {
    book.ending = null
    endEpoch(settling, row, 'retry')
  }
  return { done: true }
}

export function settleOperate(settling: Settling, row: ProblemRow, { operation, by = null }: Operate): Outcome {
  const { book } = row
  const log = (done: Omit<OperationRecord, 'by'>) => {
    const body: OperationRecord = { ...done, ...(by === null ? {} : { by }) }
    settling.append(row, 'operation', null, JSON.stringify(body))
  }
  if (operation === 'retire') {
    log({ operation })
    row.retired = book.time
  } else if (operation === 'freeze') {
    if (book.frozen) return { done: true }
    log({ operation })
    book.frozen = true
  } else if (operation === 'confirm-clock') {
    log({ operation, offset: settling.offset })
    moveWaits(settling, row)
    return { done: true }
  } else if (operation === 'unfreeze') {
    if (!book.frozen) return { done: true }
    log({ operation })
    book.frozen = false
    book.policy = book.learnt
  } else {
    const version = operation.rollback
    if (version !== 0 && !settling.facts.hasSnapshot(row.id, row.version, version))
      return refuse('unknown-policy', `no policy of "${row.name}" has version ${version}`)
    if (version !== 0 && version < (book.firstPolicy ?? 0))
      return refuse(
        'unknown-policy',
        `policy ${version} of "${row.name}" was learnt in another way than the problem learns now`,
      )
    log({ operation: 'rollback', version })
    book.policy = version
    book.frozen = true
  }
  row.revision++
  return { done: true }
}

/** Waits are lengths of time: what is left of them stays as it is when time moves to a confirmed clock. */
function moveWaits(settling: Settling, row: ProblemRow): void {
  const { offset } = settling
  row.book.clock = settling.now + offset
  row.book.epochSince += offset
  for (const stored of settling.facts.waiting(row.id)) {
    const round = settling.current(row, stored)
    round.deadline! += offset
    settling.change(row, round)
  }
}
