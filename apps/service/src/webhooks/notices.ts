// What an operator wants to hear of without asking: policies that go live or back, problems frozen, warnings, what fails and what has
// recovered. Something that keeps failing is told once. Of several replicas the one that learns speaks for the problems.

import type { ProblemHost } from '../host/problem-host.js'
import type { ImputerTurn } from '../imputers/imputers.js'
import type { Damage } from '../ledger/store-damaged.js'

/** `problem`: null where it is about the service. */
export type Tell = (type: string, problem: string | null, data: object) => void

export interface Notices {
  /** A problem is decided otherwise from now on. */
  readonly replaced: (before: ProblemHost, now: ProblemHost) => void
  readonly fitted: (problem: string) => void
  readonly fitFailed: (problem: string, message: string) => void
  readonly imputerTurned: (turn: ImputerTurn) => void
  /** null: the clock is taken for right again. */
  readonly clock: (warning: string | null) => void
  readonly damaged: (damage: Damage) => void
}

export function createNotices(tell: Tell, leads: () => boolean): Notices {
  const failingFits = new Set<string>()
  return {
    replaced: (before, now) => {
      if (!leads()) return
      const { name } = now.row
      for (const { type, data } of changesOf(before, now)) tell(type, name, data)
    },
    fitted: (problem) => {
      if (failingFits.delete(problem)) tell('primo.fit.recovered', problem, {})
    },
    fitFailed: (problem, message) => {
      if (failingFits.has(problem)) return
      failingFits.add(problem)
      tell('primo.fit.failing', problem, { message })
    },
    imputerTurned: ({ problems, kind, failing, reason }) => {
      const type = failing ? 'primo.imputer.failing' : 'primo.imputer.recovered'
      for (const problem of problems) tell(type, problem, { kind, ...(reason === null ? {} : { message: reason }) })
    },
    clock: (warning) => {
      if (warning === null) tell('primo.clock.released', null, {})
      else tell('primo.clock.held', null, { message: warning })
    },
    damaged: ({ problem, detail }) => tell('primo.store.damaged', problem, { message: detail }),
  }
}

interface Change {
  readonly type: string
  readonly data: object
}

function changesOf(before: ProblemHost, now: ProblemHost): readonly Change[] {
  const changes: Change[] = []
  const [old, book] = [before.row.book, now.row.book]
  const versions = { policy: book.policy, before: old.policy, problemVersion: now.row.version }
  // Learning that starts anew is no promotion.
  if (now.row.version === before.row.version && book.policy !== old.policy) {
    const back = book.policy < old.policy
    changes.push({ type: back ? 'primo.policy.rolled-back' : 'primo.policy.published', data: versions })
  }
  if (book.frozen !== old.frozen) {
    const type = book.frozen ? 'primo.problem.frozen' : 'primo.problem.unfrozen'
    changes.push({ type, data: { policy: book.policy } })
  }
  const { verdict } = book
  // Giving up a candidate changes nothing that decides.
  const isNew = verdict?.step !== old.verdict?.step || verdict?.time !== old.verdict?.time
  if (verdict !== undefined && verdict.step !== 'given-up' && isNew)
    changes.push({
      type: `primo.candidate.${verdict.step}`,
      data: { policy: book.policy, ...(verdict.why === null ? {} : { message: verdict.why }) },
    })
  const known = new Set(warningsOf(before).map(({ code, covariate }) => `${code} ${covariate}`))
  for (const warning of warningsOf(now))
    if (!known.has(`${warning.code} ${warning.covariate}`))
      changes.push({ type: 'primo.problem.warning', data: warning })
  return changes
}

function warningsOf({ lastEpoch }: ProblemHost) {
  return lastEpoch?.diagnosis?.warnings ?? []
}
