// What was learnt, for reading: epochs with their reports, corrections, what missing values cost.

import type { CalibrationInfo, ElasticityInfo, Epochs } from '@primo/contract'
import type { ProblemHost } from '../host/problem-host.js'
import type { ProblemRow } from '../ledger/book.js'
import type { SnapshotInfo } from '../ledger/store.js'

export function epochsInfo(row: ProblemRow, snapshots: readonly SnapshotInfo[]): Epochs {
  return {
    policy: row.book.policy,
    epochs: snapshots.map(({ version, epoch, time, problemVersion, report }) => ({
      version,
      epoch,
      time,
      problemVersion,
      live: problemVersion === row.version && version === row.book.policy,
      report: JSON.parse(report) as unknown,
    })),
  }
}

/** Per covariate: the correction in use, and what the end of its epoch says of it. */
export function calibrationInfo({ row, engine, state, lastEpoch }: ProblemHost): CalibrationInfo {
  return {
    policy: row.book.policy,
    covariates: Object.fromEntries(
      engine.encoding.covariates.map(({ name }, which) => [
        name,
        {
          model: state.corrections[which] ?? null,
          ended: lastEpoch?.covariates.find(({ covariate }) => covariate === name) ?? null,
          diagnosis: lastEpoch?.diagnosis?.covariates.find(({ covariate }) => covariate === name) ?? null,
        },
      ]),
    ),
  }
}

/** What missing values cost now: elasticity and value of observing per covariate, and the sum per 1,000 decisions. */
export function elasticityInfo({ row, engine, lastEpoch }: ProblemHost): ElasticityInfo {
  const diagnosis = lastEpoch?.diagnosis ?? null
  return {
    policy: row.book.policy,
    profile: engine.profile,
    costOfMissingness: diagnosis?.costOfMissingness ?? null,
    covariates: Object.fromEntries(
      (diagnosis?.covariates ?? []).map(({ covariate, missingShare, elasticity, valueOfObserving }) => [
        covariate,
        { missingShare, elasticity, valueOfObserving },
      ]),
    ),
    warnings: [...(diagnosis?.warnings ?? [])],
  }
}
