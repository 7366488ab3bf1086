// The random sequences of all calls: problems, steps, times and replicas, drawn together.

import type { ProblemDefinition } from '@primo/contract'
import fc from 'fast-check'

export const LANES = 20
const STEPS = 25

const definition: fc.Arbitrary<ProblemDefinition> = fc
  .record({
    window: fc.option(fc.constantFrom(50, 200), { nil: undefined }),
    aggregate: fc.constantFrom('first', 'sum', 'mean', 'last'),
    fallback: fc.option(fc.constantFrom(0, 0.25), { nil: undefined }),
    learnFrom: fc.constantFrom(undefined, 'arrival', 'closing'),
    activation: fc.constantFrom(undefined, undefined, 'implicit', 'explicit'),
    activationWindow: fc.option(fc.constant({ milliseconds: 100 }), { nil: undefined }),
    length: fc.integer({ min: 2, max: 5 }),
    counted: fc.constantFrom('closed', 'decisions'),
    profile: fc.constantFrom('primo', 'primo-cal', 'robust'),
    maxEpochAge: fc.option(fc.constant({ milliseconds: 300 }), { nil: undefined }),
    guards: fc.constantFrom(undefined, { floor: 0.1 }, { holdout: 0.4, baseline: 'b' }, { kill: true, baseline: 'a' }),
    mode: fc.constantFrom(undefined, undefined, 'active', 'shadow'),
    audit: fc.constantFrom(undefined, { share: 0.5 }, { budget: 0.2 }),
  })
  .map(({ window, aggregate, fallback, learnFrom, length, counted, profile, maxEpochAge, audit, ...rest }) => {
    const reward = {
      min: 0,
      max: 1,
      ...(window === undefined
        ? {}
        : {
            window: { milliseconds: window },
            aggregate: learnFrom === 'arrival' ? 'first' : aggregate,
            default: fallback,
            learnFrom,
          }),
    }
    const learning = { profile, seed: 7, schedule: { kind: 'fixed', length, counted }, maxEpochAge }
    const covariate = { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 }, audit }
    const whole = {
      context: { x: { type: 'number', min: 0, max: 1 } },
      covariates: { z: covariate },
      actions: ['a', 'b'],
      reward,
      learning,
      ...rest,
    }
    return JSON.parse(JSON.stringify(whole)) as ProblemDefinition
  })

const which = fc.integer({ min: 0, max: 12 })
const value = fc.constantFrom(0, 0.25, 0.5, 1, 1, 2)
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      event: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
      x: fc.constantFrom<number[]>(0, 0.5, 1),
      z: fc.constantFrom(undefined, null, 0.25, 0.75),
      reason: fc.constantFrom(undefined, 'asleep'),
      only: fc.constantFrom(undefined, undefined, ['b'] as string[]),
      defer: fc.constantFrom(undefined, undefined, true),
      /** Whether `served` is given as the mode asks, or wrongly. */
      fits: fc.constantFrom(true, true, true, true, true, false),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('reward' as const),
      which,
      byEvent: fc.boolean(),
      value,
      rewardId: fc.constantFrom(undefined, undefined, 'r1', 'r2'),
      batch: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('activate' as const), which, byEvent: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('void' as const), which, byEvent: fc.boolean(), unseen: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('reveal' as const),
      which,
      byEvent: fc.boolean(),
      value: fc.constantFrom(0.25, 0.75),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('freeze' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unfreeze' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('rollback' as const), version: fc.integer({ min: 0, max: 3 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('define' as const),
      change: fc.constantFrom('none', 'guards', 'mode', 'action', 'default', 'context', 'learning'),
      renew: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('retire' as const), really: fc.integer({ min: 0, max: 9 }) }) },
)
export type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

export const runs = fc.record({
  lanes: fc.array(
    fc.record({ definition, steps: fc.array(step, { minLength: STEPS, maxLength: STEPS, size: 'max' }) }),
    { minLength: LANES, maxLength: LANES, size: 'max' },
  ),
  times: fc.array(fc.record({ advance: fc.constantFrom(0, 0, 1, 50, 60, 100, 400), tick: fc.boolean() }), {
    minLength: STEPS,
    maxLength: STEPS,
    size: 'max',
  }),
  restartAt: fc.option(fc.integer({ min: 5, max: STEPS - 1 }), { nil: -1, freq: 2 }),
})

/** Drawn after the run, so that all replicas play the same sequences. */
export const draws = (replicas: number) => {
  const replica = fc.nat({ max: replicas - 1 })
  const ofSteps = fc.array(replica, { minLength: STEPS, maxLength: STEPS, size: 'max' })
  return fc.record({
    replicaOf: fc.array(ofSteps, { minLength: LANES, maxLength: LANES, size: 'max' }),
    restarted: replica,
  })
}
