// One off-policy evaluation, in a thread of its own.

import { parentPort, workerData } from 'node:worker_threads'
import type { EvaluationRequest, ServiceErrorCode } from '@primo/contract'
import { type EstimatorName, evaluateLog, evaluationLog, targetPolicy } from '@primo/lab'
import { PrimoError } from '@primo/numeric'
import type { ProblemRow } from '../ledger/book.js'
import { pagedDecisions } from '../ledger/paged-decisions.js'
import { ServiceError } from '../ledger/service-error.js'
import type { ReaderSpec } from '../ledger/store.js'
import { openReader } from '../store/open-store.js'
import { exportHeader, exportRows } from './export-log.js'
import { lowPriority } from './low-priority.js'

export interface EvaluationTask {
  readonly reader: ReaderSpec
  readonly row: ProblemRow
  readonly request: EvaluationRequest
}

/** Said once the log is in memory and its reader closed: from then on the thread may be ended from outside. */
export interface LogRead {
  readonly read: true
}

export type EvaluationAnswer =
  | { readonly evaluation: string }
  | { readonly refused: string; readonly code: ServiceErrorCode }
  | { readonly failed: string }

const { reader: spec, row, request } = workerData as EvaluationTask

async function evaluate(): Promise<EvaluationAnswer> {
  try {
    const { policies, against, estimators, seed = 0, replicates = 200, rows = 100_000 } = request
    const log = await readLog(Math.max(0, row.book.rounds - rows))
    parentPort!.postMessage({ read: true } satisfies LogRead)
    const evaluation = evaluateLog(log, {
      policies: policies.map((name) => targetPolicy(log, name, { explore: false })),
      seed,
      replicates,
      ...(against === undefined ? {} : { against }),
      ...(estimators === undefined ? {} : { estimators: estimators as EstimatorName[] }),
    })
    return { evaluation: JSON.stringify(evaluation) }
  } catch (error) {
    if (error instanceof PrimoError) return { refused: error.message, code: 'invalid-request' }
    // The log cannot be read, say.
    if (error instanceof ServiceError) return { refused: error.message, code: error.code }
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

async function readLog(first: number) {
  const reader = await openReader(spec)
  try {
    return await evaluationLog(exportHeader(row), exportRows(row, pagedDecisions(reader, row.id, row.version, first)))
  } finally {
    await reader.close()
  }
}

lowPriority()
evaluate().then((answer) => parentPort!.postMessage(answer))
