// Checks one definition in a thread of its own.

import { parentPort, workerData } from 'node:worker_threads'
import type { ProblemDefinition } from '@primo/contract'
import { type ErrorCode, PrimoError } from '@primo/numeric'
import type { LearningStart } from '../ledger/book.js'
import { checkDefinition, learningStart } from './problem-engine.js'

export type Checked =
  | { readonly start: LearningStart }
  | { readonly refused: string; readonly code: ErrorCode; readonly facts: PrimoError['facts'] }

function check(definition: ProblemDefinition): Checked {
  try {
    return { start: learningStart(checkDefinition(definition)) }
  } catch (error) {
    if (error instanceof PrimoError) return { refused: error.message, code: error.code, facts: error.facts }
    throw error
  }
}

parentPort!.postMessage(check(JSON.parse(workerData as string) as ProblemDefinition))
