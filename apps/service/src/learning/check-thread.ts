// Checks one definition in a thread of its own.

import { parentPort, workerData } from 'node:worker_threads'
import type { ProblemDefinition } from '@primo/contract'
import { type ErrorCode, PrimoError } from '@primo/numeric'
import type { LearningStart } from '../ledger/book.js'
import { type CodeModule, loadCodeModules } from './code-modules.js'
import { checkDefinition, learningStart } from './problem-engine.js'

export interface CheckStart {
  /** JSON. */
  readonly definition: string
  readonly code: readonly CodeModule[]
}

export type Checked =
  | { readonly start: LearningStart }
  | { readonly refused: string; readonly code: ErrorCode; readonly facts: PrimoError['facts'] }

async function check({ definition, code }: CheckStart): Promise<Checked> {
  const loaded = await loadCodeModules(code)
  try {
    return { start: learningStart(checkDefinition(JSON.parse(definition) as ProblemDefinition, loaded)) }
  } catch (error) {
    if (error instanceof PrimoError) return { refused: error.message, code: error.code, facts: error.facts }
    throw error
  }
}

parentPort!.postMessage(await check(workerData as CheckStart))
