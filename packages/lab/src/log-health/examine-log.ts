// What should be known of a decision log before anything is concluded from it. One pass over its rows; columns of numbers are kept.

import { countUpload, noUploadGaps } from '@primo/core/ledger'
import { sortOrder } from '@primo/numeric'
import type { LogRow } from '../log/log-columns.js'
import type { LogHeader } from '../log/log-header.js'
import { tableError } from '../tables/table-error.js'
import type { PropensityCalibration } from './calibration-test.js'
import { drift } from './drift.js'
import { duplicates } from './duplicates.js'
import { leakage } from './leakage.js'
import type { LogFinding } from './log-finding.js'
import { LogSurvey } from './log-survey.js'
import { missingUploads } from './missing-uploads.js'
import { PropensityExamination } from './propensity-findings.js'
import { delays, missingRewards } from './reward-findings.js'

/** How well a decision log is. */
export interface LogHealth {
  readonly rows: number
  readonly findings: readonly LogFinding[]
  /** Played against what propensities say. */
  readonly calibration: PropensityCalibration
}

/** Looks at a decision log for what would spoil an evaluation. */
export async function examineLog(
  header: LogHeader,
  rows: AsyncIterable<LogRow> | Iterable<LogRow>,
): Promise<LogHealth> {
  const survey = new LogSurvey(header)
  // A log may be a part: its runs may begin at any counter.
  const uploads = noUploadGaps('~')
  const propensities = new PropensityExamination(header, survey.features)
  for await (const row of rows) {
    survey.add(row)
    propensities.add(row)
    countUpload(uploads, String(row.decisionId))
  }
  if (survey.rows === 0) throw tableError('table-empty', 'log', 'must have rows, got none')
  const order = orderInTime(survey.time.values())
  const { findings, report } = propensities.findings()
  const explained = findings.every(({ check, state }) => check !== 'calibration' || state === 'ok') && report.tests > 0
  return {
    rows: survey.rows,
    calibration: report,
    findings: [
      ...findings,
      ...duplicates(survey),
      ...missingUploads(uploads),
      ...missingRewards(survey),
      ...delays(survey, order),
      ...drift(survey, order, explained),
      ...leakage(survey),
    ],
  }
}

/** By time where every row has one, else as in the file. */
function orderInTime(times: Float64Array): Uint32Array {
  return times.some(Number.isNaN) ? Uint32Array.from(times, (_, i) => i) : sortOrder(times)
}
