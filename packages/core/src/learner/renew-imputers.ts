// Changing the models of a learner: a snapshot of it as one of the same problem with other imputers. What was learnt of rewards is
// kept, calibration of the changed models begins anew (renew-predictions.ts, renew-calibration.ts).

import { PrimoError } from '@primo/numeric'
import { createEngine } from '../engine/engine.js'
import { renewCalibration } from '../epoch/renew-calibration.js'
import { renewPredictions } from '../epoch/renew-predictions.js'
import { checkProblem, type Problem, problemFingerprint } from '../problem/problem.js'
import { restoreState } from './restore-state.js'
import { packRounds, unpackRounds } from './rounds-snapshot.js'
import { checkSnapshot, type Snapshot } from './snapshot.js'

/** `saved` is a snapshot of `before`; the result one of `after`, which may differ from it in imputers alone. */
export function renewImputers(before: Problem, after: Problem, saved: unknown): Snapshot {
  const snapshot = checkSnapshot(saved, problemFingerprint(checkProblem(before)))
  if (problemFingerprint(withoutModels(before)) !== problemFingerprint(withoutModels(checkProblem(after))))
    throw new PrimoError('snapshot-mismatch', 'the problem must differ in its imputers alone, got another problem', {})
  const old = createEngine(before, snapshot.options)
  const engine = createEngine(after, snapshot.options)
  const table = unpackRounds(snapshot.rounds, old)
  const { count } = table
  return {
    ...snapshot,
    problem: problemFingerprint(engine.problem),
    state: renewCalibration(restoreState(snapshot, old), engine, () => count),
    rounds: packRounds(renewPredictions(table, old, engine)),
  }
}

function withoutModels(problem: Problem): Problem {
  const covariates = Object.entries(problem.covariates).map(([name, covariate]) => [
    name,
    { ...covariate, imputer: { kind: 'column' } as const },
  ])
  return { ...problem, covariates: Object.fromEntries(covariates) }
}
