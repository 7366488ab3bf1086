// How a problem goes, from its book.

import type { ProblemSummary } from '@primo/contract'
import { modelsInUse } from '@primo/core/engine'
import type { ProblemHost } from '../host/problem-host.js'
import { memoryOf } from '../learning/memory-of.js'
import type { Book, Moments, ProblemRow } from '../ledger/book.js'
import type { ClockHold } from '../ledger/clock.js'
import { clockWarning } from './clock-warning.js'
import { missingUploads, uploadsOf } from './missing-uploads.js'

export function summarize(row: ProblemRow, live: ProblemHost, hold: ClockHold | null): ProblemSummary {
  const { book } = row
  const { tally } = book
  const models = modelsInUse(live.state, live.engine)
  const names = live.engine.encoding.covariates.map(({ name }) => name)
  const both: Moments = {
    count: tally.policy.count + tally.holdout.count,
    sum: tally.policy.sum + tally.holdout.sum,
    squares: tally.policy.squares + tally.holdout.squares,
  }
  const actions = meansOf(book)
  const uploads = uploadsOf(row)
  return {
    problem: row.name,
    version: row.version,
    mode: live.mode,
    time: book.time,
    decisions: tally.decisions,
    open: tally.open + tally.pending,
    closed: tally.closed,
    dropped: tally.dropped,
    voided: tally.voided,
    expired: tally.expired,
    lateRewards: tally.late,
    reward: meanOf(both),
    groups: { policy: meanOf(tally.policy), holdout: meanOf(tally.holdout) },
    actions,
    covariates: Object.fromEntries(
      Object.entries(tally.covariates).map(([name, counts]) => {
        const { observed, missing, revealed, reasons, rungs, failures = {}, asked, answered } = counts
        const total = observed + missing
        return [
          name,
          {
            observed,
            missing,
            revealed,
            missingShare: total === 0 ? null : missing / total,
            reasons,
            rungs,
            failures,
            failureShare: missing === 0 ? null : sumOf(failures) / missing,
            model: models[names.indexOf(name)]!,
            audit: { asked, answered },
          },
        ]
      }),
    ),
    clipped: tally.clipped ?? {},
    uploads,
    learning: {
      profile: live.engine.profile,
      epoch: book.epoch,
      policyVersion: book.policy,
      learntVersion: book.learnt,
      gamma: live.state.gamma,
      memory: memoryOf(live.state),
      quota: book.quota,
      counted: book.counted,
      fitting: book.ending !== null,
      failures: book.failures,
      lastFailure: book.lastFailure,
    },
    warnings: [
      ...(hold === null ? [] : [clockWarning(hold)]),
      ...rolledBack(book),
      ...missingUploads(uploads, actions),
    ],
  }
}

export function meansOf({ tally }: Book): ProblemSummary['actions'] {
  const means = Object.entries(tally.actions).map(([action, { decisions, reward }]) => {
    return [action, { decisions, reward: meanOf(reward) }] as const
  })
  return Object.fromEntries(means)
}

/** Said until another candidate is set. */
function rolledBack({ verdict }: Book): readonly string[] {
  return verdict?.step === 'rolled-back' ? [`a promoted candidate was rolled back: ${verdict.why}`] : []
}

function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0)
}

function meanOf({ count, sum, squares }: Moments): {
  closed: number
  mean: number | null
  standardError: number | null
} {
  if (count === 0) return { closed: 0, mean: null, standardError: null }
  const mean = sum / count
  const variance = Math.max(0, squares / count - mean * mean) * (count / Math.max(1, count - 1))
  return { closed: count, mean, standardError: count < 2 ? null : Math.sqrt(variance / count) }
}
