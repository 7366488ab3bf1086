// What was learnt, for reading: epochs with their reports, corrections, what missing values cost.

import type { CalibrationInfo, Epochs } from '@primo/contract'
import type { ProblemRow } from '../ledger/book.js'
import type { SnapshotInfo } from '../store/store.js'
import type { ProblemHost } from './problem-host.js'

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

/** Per covariate: the correction in use, and what the newest epoch's report says of it. */
export function calibrationInfo({ row, engine, state }: ProblemHost): CalibrationInfo {
  const reports = state.reports.at(-1)?.covariates ?? []
  return {
    policy: row.book.policy,
    covariates: Object.fromEntries(
      engine.encoding.covariates.map(({ name }, which) => [
        name,
        {
          model: state.corrections[which] ?? null,
          report: reports.find(({ covariate }) => covariate === name) ?? null,
        },
      ]),
    ),
  }
}

export function elasticityInfo({ row, engine, state }: ProblemHost): unknown {
  const report = state.reports.at(-1) ?? null
  return {
    policy: row.book.policy,
    profile: engine.profile,
    covariates: Object.fromEntries((report?.covariates ?? []).map(({ covariate, ...rest }) => [covariate, rest])),
    report,
  }
}
