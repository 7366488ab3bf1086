// One off-policy evaluation, in a process of its own: it may be ended at any moment, and what goes wrong in it ends no service. (A thread
// would do, but a runtime that ends a thread while its code is being compiled may take the whole process with it.)

import type { EvaluationRequest, ServiceErrorCode } from '@primo/contract'
import { type EstimatorName, evaluateLog, evaluationLog, targetPolicy } from '@primo/lab/evaluation'
import { PrimoError } from '@primo/numeric'
import type { ProblemRow } from '../ledger/book.js'
import { ServiceError } from '../ledger/service-error.js'
import type { ReaderSpec } from '../ledger/store.js'
import { openReader } from '../store/open-store.js'
import { decisionsBetween, roundsBetween } from './decisions-between.js'
import { exportHeader, exportRows } from './export-log.js'
import { lowPriority } from './low-priority.js'

export interface EvaluationTask {
  readonly reader: ReaderSpec
  readonly row: ProblemRow
  readonly request: EvaluationRequest
}

export type EvaluationAnswer =
  | { readonly evaluation: string }
  | { readonly refused: string; readonly code: ServiceErrorCode }
  | { readonly failed: string }

async function evaluate(task: EvaluationTask): Promise<EvaluationAnswer> {
  try {
    const { policies, against, estimators, seed = 0, replicates = 200 } = task.request
    const log = await readLog(task)
    const evaluation = evaluateLog(log, {
      policies: policies.map((name) => targetPolicy(log, name, { explore: false })),
      seed,
      replicates,
      ...(against === undefined ? {} : { against }),
      ...(estimators === undefined ? {} : { estimators: estimators as EstimatorName[] }),
    })
    // The limits along the way are for reports in files. The range of rewards is in the definition.
    const answer = {
      ...evaluation,
      rewardRange: undefined,
      anytime: evaluation.anytime && { ...evaluation.anytime, path: undefined },
    }
    return { evaluation: JSON.stringify(answer) }
  } catch (error) {
    if (error instanceof PrimoError) return { refused: error.message, code: 'invalid-request' }
    // The log cannot be read, say.
    if (error instanceof ServiceError) return { refused: error.message, code: error.code }
    return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) }
  }
}

/** The newest decisions of the period. */
async function readLog({ reader: spec, row, request }: EvaluationTask) {
  const { rows = 100_000 } = request
  const reader = await openReader(spec)
  try {
    const { first, end } = await roundsBetween(reader, row, request)
    const decisions = decisionsBetween(reader, row, Math.max(first, end - rows), end)
    return await evaluationLog(exportHeader(row), exportRows(row, decisions))
  } finally {
    await reader.close()
  }
}

lowPriority()
process.once('disconnect', () => process.exit())
process.once('message', async (task: EvaluationTask) => {
  process.send!(await evaluate(task), () => process.exit())
})
