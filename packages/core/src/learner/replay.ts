// Replaying a log: problem, options, seed and records give a learner whose snapshot equals the original's byte for byte.
// Decisions are made anew and must come out as logged; a difference is an error, not a repair.

import type { LogRecord } from '../data/log.js'
import type { Problem } from '../data/problem.js'
import { PrimoError, show } from '../errors.js'
import { createLearner, type Learner, type LearnerOptions } from './learner.js'

export function replayLog(problem: Problem, options: LearnerOptions, log: Iterable<LogRecord>): Learner {
  const learner = createLearner(problem, options)
  applyLog(learner, log)
  return learner
}

/** Continues a learner (a new or a restored one) with records. */
export function applyLog(learner: Learner, log: Iterable<LogRecord>): void {
  for (const record of log) {
    switch (record.type) {
      case 'decision': {
        const { id, context, covariates, predictions, actions } = record
        const decision = learner.decide({
          id,
          context,
          covariates,
          predictions,
          ...(actions === undefined ? {} : { actions }),
        })
        if (
          decision.action !== record.action ||
          decision.propensity !== record.propensity ||
          decision.epoch !== record.epoch
        ) {
          throw new PrimoError(
            'replay-diverged',
            `decision ${show(id)} must come out as logged (${show(record.action)} at ${record.propensity}), got ${show(decision.action)} at ${decision.propensity}`,
            { id },
          )
        }
        break
      }
      case 'reward':
        learner.reward(record.id, record.value)
        break
      case 'reveal':
        learner.reveal(record.id, record.covariates)
        break
      case 'void':
        learner.void(record.id)
        break
      case 'epoch':
        // Ends of epochs follow from the decisions; the next decision's epoch checks it.
        break
    }
  }
}
