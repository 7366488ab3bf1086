// Every function class in all three roles, in the lab: both profiles run, and a learner restored from a snapshot goes
// on alike. Rates and regret: `primo study function-classes`.

import { type ClassOptions, createLearner, restoreLearner } from '@primo/core'
import { createEngine } from '@primo/core/engine'
import { bendsEnvironment, simulate, worldOf } from '@primo/lab'
import { describe, expect, it } from 'vitest'
import { classPolicy } from './function-classes.js'

const environment = bendsEnvironment()
type OtherClass = Exclude<ClassOptions, { readonly kind: 'linear' }>

const CLASSES: readonly OtherClass[] = [
  { kind: 'isotonic' },
  { kind: 'lipschitz', bound: 4, centres: 40 },
  { kind: 'convex', bound: 4, bins: 15 },
  { kind: 'spline', segments: 6 },
  { kind: 'kernel', landmarks: 15, exact: 0, folds: 2 },
  { kind: 'trees', rounds: 10 },
  { kind: 'network', steps: 60, hidden: 4, batch: 16 },
  { kind: 'select', ladder: [{ kind: 'linear' }, { kind: 'trees', rounds: 5 }], folds: 2 },
]

describe('function classes in the lab', () => {
  it.each(CLASSES)('$kind runs for rewards, corrections and missingness in both profiles', (own) => {
    for (const profile of ['primo-cal', 'robust'] as const) {
      const { options } = classPolicy(profile, own) as { options: object }
      const engine = createEngine(environment.problem, {
        ...options,
        calibration: { class: own, delta0: 0.2, observation: { model: own, loss: 'likelihood' } },
        schedule: { kind: 'growth', first: 60, factor: 2 },
      })
      const { state, tally } = simulate({ engine, world: worldOf(environment, 1, 300), seed: 1 })
      expect(state.rewardModel!.kind).toBe(own.kind)
      expect(state.corrections[0]!.kind).toBe('class-correction')
      expect(Number.isFinite(tally.knownRegret)).toBe(true)
      const report = state.reports.at(-1)!
      expect(report.covariates[0]!.calibration!.folds[0]!.observation.kind).toBe('class')
      for (const { columns } of report.covariates[0]!.calibration!.folds) {
        expect(columns[0]!.size).toBeLessThanOrEqual(0.2 * (1 + 1e-9))
      }
      if (own.kind === 'select') expect(report.reward!.selection![0]!.length).toBe(2)
    }
  })

  it('a learner restored from its snapshot goes on with the same bits', () => {
    const options = {
      profile: 'robust',
      oracle: { kind: 'trees', rounds: 10, actions: 'feature' },
      calibration: { class: { kind: 'kernel', landmarks: 10, exact: 0, folds: 2 } },
      seed: 4,
    } as const
    const straight = createLearner(environment.problem, options)
    let interrupted = createLearner(environment.problem, options)
    const [world] = [...worldOf(environment, 4, 200)]
    for (let row = 0; row < 200; row++) {
      for (const learner of [straight, interrupted]) {
        const decision = learner.decide({
          context: { x1: world!.context[2 * row]!, x2: world!.context[2 * row + 1]! },
          covariates: { z: world!.observed[row] === 1 ? world!.truth[row]! : null },
          predictions: { z: world!.pretrained[row]! },
        })
        learner.reward(decision.id, world!.rewards[row * 3 + environment.problem.actions.indexOf(decision.action)]!)
      }
      if (row % 50 === 49)
        interrupted = restoreLearner(environment.problem, JSON.parse(JSON.stringify(interrupted.snapshot())))
    }
    expect(JSON.stringify(interrupted.snapshot())).toBe(JSON.stringify(straight.snapshot()))
    const { use, rung, ball } = straight.report().covariates[0]!.correction
    expect([use, rung]).toEqual(['calibrated', 'kernel'])
    expect(ball.size).toBeGreaterThan(0)
    const broken = JSON.parse(JSON.stringify(straight.snapshot()))
    broken.state.rewardModel.models = 'gone'
    expect(() => restoreLearner(environment.problem, broken)).toThrow(
      expect.objectContaining({ code: 'snapshot-invalid' }),
    )
  })
})
