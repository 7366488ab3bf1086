// Changing the problem of a learner: a snapshot of it as one of the problem that it has grown into. Rounds become rows of the new columns;
// what was learnt is kept and read through the old ones until the next end of an epoch (epoch/grow.ts). Imputers may change as well.

import { PrimoError } from '@primo/numeric'
import { createEngine } from '../engine/engine.js'
import { growState, renewRounds } from '../epoch/grow.js'
import { renewCalibration } from '../epoch/renew-calibration.js'
import { columnsOf } from '../problem/columns.js'
import { encodingOf } from '../problem/encoding.js'
import { growthOf } from '../problem/growth.js'
import { checkProblem, type Problem, problemFingerprint } from '../problem/problem.js'
import { restoreState } from './restore-state.js'
import { packRounds, unpackRounds } from './rounds-snapshot.js'
import { checkSnapshot, type Snapshot } from './snapshot.js'

/**
 * `saved` is a snapshot of `before`; the result one of `after`, whose ranges may be wider, which may have more levels, more features of
 * the context (with a default) and other imputers. Throws `snapshot-mismatch` with the reason where what was learnt cannot be kept.
 * @example
 * const wider = { ...problem, context: { age: number({ min: 0, max: 120 }) } }
 * const again = restoreLearner(wider, growProblem(problem, wider, learner.snapshot()))
 */
export function growProblem(before: Problem, after: Problem, saved: unknown): Snapshot {
  const snapshot = checkSnapshot(saved, problemFingerprint(checkProblem(before)))
  const [obstacle] = [...growthOf(columnsOf(before), checkProblem(after)).obstacles, ...otherChanges(before, after)]
  if (obstacle !== undefined) throw new PrimoError('snapshot-mismatch', obstacle, {})
  const old = createEngine(before, snapshot.options)
  const engine = createEngine(after, snapshot.options)
  const table = unpackRounds(snapshot.rounds, old)
  const { count } = table
  const { clips } = encodingOf(after)
  const { clipped = {}, ...rest } = snapshot
  const counted = Object.entries(clipped).filter(([name]) => clips.some((feature) => feature.name === name))
  return {
    ...rest,
    problem: problemFingerprint(engine.problem),
    state: renewCalibration(growState(restoreState(snapshot, old), old.problem, engine), engine, () => count),
    rounds: packRounds(renewRounds(table, old, engine), engine.remembers !== null),
    ...(counted.length === 0 ? {} : { clipped: Object.fromEntries(counted) }),
  }
}

function otherChanges(before: Problem, after: Problem): readonly string[] {
  const rest = ({ actions, reward, covariates, signals = {} }: Problem) => ({
    actions,
    reward,
    signals: Object.entries(signals),
    covariates: Object.entries(covariates).map(([name, { reveals, reasons }]) => [name, reveals, reasons]),
  })
  return JSON.stringify(rest(before)) === JSON.stringify(rest(after))
    ? []
    : ['actions, reward, signals, reveals and reasons must stay as they are, got others']
}
