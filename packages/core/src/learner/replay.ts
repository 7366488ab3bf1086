// Replaying a log: problem, options, seed and records give a learner whose snapshot equals the original's byte for byte.
// Decisions are made anew and must come out as logged; a difference is an error, not a repair.

import { PrimoError, show } from '@primo/numeric'
import type { CovariateSpecs, DeclaredProblem, Features, Problem } from '../problem/problem.js'
import type { ValuesOf } from '../problem/values-of.js'
import type { EpochRecord, LogRecord } from '../rounds/log.js'
import { createLearner, type Learner, type LearnerOptions } from './learner.js'

/** The learner that made this log: every decision is made anew and must come out as logged. */
export function replayLog<
  const Context extends Features,
  const Covariates extends CovariateSpecs,
  const Action extends string,
>(
  problem: DeclaredProblem<Context, Covariates, Action>,
  options: LearnerOptions,
  log: Iterable<LogRecord>,
): Learner<ValuesOf<Context>, ValuesOf<Covariates>, Action>
export function replayLog(problem: Problem, options: LearnerOptions, log: Iterable<LogRecord>): Learner {
  const learner = createLearner(problem, options)
  applyLog(learner, log)
  return learner
}

/** Continues a learner (a new or a restored one) with records. */
export function applyLog(learner: Learner, log: Iterable<LogRecord>): void {
  if (typeof log !== 'object' || log === null || !(Symbol.iterator in log)) {
    throw new PrimoError('wrong-type', `log must be a list of records, got ${show(log)}`, { field: 'log' })
  }
  // The end of an epoch that the log says comes with the next decision.
  let end: EpochRecord | null = null
  for (const record of log) {
    switch (record?.type) {
      case 'decision': {
        const { id, context, covariates, predictions, missing, actions } = record
        const before = learner.epochs().length
        const decision = learner.decide({
          id,
          context,
          covariates,
          predictions,
          ...(missing === undefined ? {} : { missing }),
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
        const asked = Object.entries(decision.covariates).filter(([, use]) => use.pleaseReveal === true)
        const logged = Object.keys(record.asked ?? {})
        if (asked.length !== logged.length || asked.some(([name]) => !logged.includes(name))) {
          throw new PrimoError(
            'replay-diverged',
            `decision ${show(id)} must ask for the truths it is logged to ask for (${logged.join(', ') || 'none'}), got ${asked.map(([name]) => name).join(', ') || 'none'}`,
            { id },
          )
        }
        const ended = learner.epochs().length > before ? learner.epochs().at(-1) : undefined
        if (end !== null && (ended?.epoch !== end.epoch || ended.window.to !== end.cut)) {
          const made = ended === undefined ? 'no end' : `the end of epoch ${ended.epoch} after ${ended.window.to}`
          throw new PrimoError(
            'replay-diverged',
            `decision ${show(id)} must come with the end of epoch ${end.epoch} after ${end.cut} rounds, got ${made}`,
            { id, epoch: end.epoch, cut: end.cut },
          )
        }
        end = null
        break
      }
      case 'reward':
        learner.reward(record.id, record.value)
        break
      case 'reveal':
        learner.reveal(record.id, record.covariates)
        break
      case 'signal':
        learner.signal(record.id, record.signals)
        break
      case 'void':
        learner.void(record.id)
        break
      case 'epoch':
        // Ends of epochs follow from the decisions: the next one must bring this end about.
        end = record
        break
      default:
        throw new PrimoError(
          'invalid-request',
          `type of a log record must be decision, reward, reveal, signal, void or epoch, got ${show((record as { type?: unknown } | null)?.type)}`,
          { record },
        )
    }
  }
}
