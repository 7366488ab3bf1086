// What a problem declares is what the compiler knows of its learner. A wrong request is refused at run time too.

import { describe, expect, expectTypeOf, it } from 'vitest'
import { errorOf } from '../../../numeric/src/thrown.fixture.js'
import {
  type ActionOf,
  boolean,
  type ContextOf,
  type CovariatesOf,
  category,
  createLearner,
  type Decision,
  defineProblem,
  type ErrorCode,
  type FeatureValue,
  type Learner,
  type LearnerOf,
  number,
  type Problem,
  pretrained,
  replayLog,
  restoreLearner,
} from '../index.js'

const problem = defineProblem({
  context: {
    age: number({ min: 18, max: 95 }),
    smoker: boolean(),
    town: category(['Ulm', 'Bonn']),
    job: category(['baker'], { other: true }),
    sex: { type: 'category', levels: ['f', 'm'] },
  },
  covariates: {
    genotype: { ...number({ min: 0, max: 2 }), imputer: pretrained(() => 1) },
    blood: { ...category(['A', 'B']), imputer: { kind: 'constant', value: 'A' } },
  },
  actions: ['low', 'medium', 'high'],
  reward: { min: 0, max: 1 },
})
const context = { age: 63, smoker: false, town: 'Ulm', job: 'smith', sex: 'f' } as const
type Action = 'low' | 'medium' | 'high'

const codeOf = (call: () => unknown): ErrorCode => errorOf(call).code

describe('the types of a declared problem', () => {
  it('are those of its features and actions', () => {
    expectTypeOf<ContextOf<typeof problem>>().toEqualTypeOf<{
      readonly age: number
      readonly smoker: boolean
      readonly town: 'Ulm' | 'Bonn'
      readonly job: string
      readonly sex: 'f' | 'm'
    }>()
    expectTypeOf<CovariatesOf<typeof problem>>().toEqualTypeOf<{
      readonly genotype: number
      readonly blood: 'A' | 'B'
    }>()
    expectTypeOf<ActionOf<typeof problem>>().toEqualTypeOf<Action>()
  })

  it('a feature with a default may be left out', () => {
    const learner = createLearner({
      context: {
        age: number({ min: 18, max: 95 }),
        visits: number({ min: 0, max: 9, default: 2 }),
        smoker: { type: 'boolean', default: false },
      },
      covariates: {},
      actions: ['low', 'high'],
      reward: { min: 0, max: 1 },
    })
    learner.decide({ context: { age: 40 } })
    learner.decide({ context: { age: 40, visits: 3, smoker: true } })
    // @ts-expect-error a feature without a default must be given
    expect(codeOf(() => learner.decide({ context: { visits: 3 } }))).toBe('missing-feature')
    // @ts-expect-error its values stay what they are
    expect(codeOf(() => learner.decide({ context: { age: 40, visits: 'many' } }))).toBe('wrong-type')
  })

  it('come out of every way to a learner, from a literal as from a file', () => {
    const learner = createLearner(problem)
    expectTypeOf(learner).toEqualTypeOf<LearnerOf<typeof problem>>()
    expectTypeOf(restoreLearner(problem, learner.snapshot())).toEqualTypeOf<LearnerOf<typeof problem>>()
    expectTypeOf(replayLog(problem, {}, [])).toEqualTypeOf<LearnerOf<typeof problem>>()
    const literal = createLearner({
      context: { age: { type: 'number', min: 0, max: 9 } },
      covariates: { carrier: { type: 'boolean', imputer: { kind: 'constant', value: 0.3 } } },
      actions: ['stay', 'go'],
      reward: { min: 0, max: 1 },
    })
    expectTypeOf(literal).toEqualTypeOf<
      Learner<{ readonly age: number }, { readonly carrier: boolean }, 'stay' | 'go'>
    >()
    expectTypeOf(literal.decide({ context: { age: 3 } }).action).toEqualTypeOf<'stay' | 'go'>()
  })

  it('are in the decision: action, propensities and covariates', () => {
    const decision = createLearner(problem).decide({ context })
    expectTypeOf(decision).toEqualTypeOf<Decision<Action, 'genotype' | 'blood'>>()
    expectTypeOf(decision.action).toEqualTypeOf<Action>()
    expectTypeOf(decision.propensities.high).toEqualTypeOf<number>()
    expect(Object.keys(decision.propensities)).toEqual(['low', 'medium', 'high'])
    expect(Object.keys(decision.covariates)).toEqual(['genotype', 'blood'])
    // @ts-expect-error a misspelt action
    expect(decision.propensities.hgih).toBeUndefined()
    // @ts-expect-error a misspelt covariate
    expect(decision.covariates.genotpye).toBeUndefined()
  })

  it('say what decide takes', () => {
    const { decide } = createLearner(problem)
    decide({ context, covariates: { genotype: null } })
    decide({ context, covariates: { genotype: 1.5, blood: 'B' }, actions: ['low', 'high'] })
    decide({ context, predictions: { genotype: { value: 1, sd: 0.2 } }, missing: { genotype: 'laboratory' } })
    // @ts-expect-error a misspelt name
    expect(codeOf(() => decide({ context: { ...context, agee: 63 } }))).toBe('unknown-feature')
    // @ts-expect-error a name left out
    expect(codeOf(() => decide({ context: { age: 63 } }))).toBe('missing-feature')
    // @ts-expect-error text for a boolean
    expect(codeOf(() => decide({ context: { ...context, smoker: 'no' } }))).toBe('wrong-type')
    // @ts-expect-error an unknown level
    expect(codeOf(() => decide({ context: { ...context, town: 'Trier' } }))).toBe('unknown-level')
    // @ts-expect-error null in the context
    expect(codeOf(() => decide({ context: { ...context, age: null } }))).toBe('missing-feature')
    // @ts-expect-error an unknown covariate
    expect(codeOf(() => decide({ context, covariates: { ldl: 1 } }))).toBe('unknown-feature')
    // @ts-expect-error an unknown level of a covariate
    expect(codeOf(() => decide({ context, covariates: { blood: 'C' } }))).toBe('unknown-level')
    // @ts-expect-error a prediction of nothing known
    expect(codeOf(() => decide({ context, predictions: { ldl: 1 } }))).toBe('unknown-feature')
    // @ts-expect-error an unknown action
    expect(codeOf(() => decide({ context, actions: ['tiny'] }))).toBe('unknown-action')
  })

  it('say what reveal takes', () => {
    const learner = createLearner(problem)
    const { id } = learner.decide({ context })
    expect(learner.reveal(id, { genotype: 1 })).toBe('accepted')
    // @ts-expect-error an unknown covariate
    expect(codeOf(() => learner.reveal(id, { genotpye: 1 }))).toBe('unknown-feature')
    // @ts-expect-error a feature of the context
    expect(codeOf(() => learner.reveal(id, { age: 63 }))).toBe('unknown-feature')
    // @ts-expect-error a truth that is missing
    expect(codeOf(() => learner.reveal(id, { genotype: null }))).toBe('wrong-type')
  })

  it('know a misspelt field of a feature, of a covariate and of the problem', () => {
    const { context: features, covariates, actions, reward } = problem
    const rest = { actions, reward }
    const years = () =>
      // @ts-expect-error of a feature
      createLearner({ context: { age: { type: 'number', min: 0, max: 9, unit: 'years' } }, covariates, ...rest })
    expect(codeOf(years)).toBe('invalid-problem')
    expect(
      codeOf(() =>
        createLearner({
          context: features,
          // @ts-expect-error of a covariate
          covariates: { carrier: { ...boolean(), imputer: { kind: 'constant', value: 1 }, audits: { share: 1 } } },
          ...rest,
        }),
      ),
    ).toBe('invalid-problem')
    // @ts-expect-error of the problem
    expect(codeOf(() => createLearner({ context: features, covariates, ...rest, floor: 1 }))).toBe('invalid-problem')
  })
})

describe('a problem that the compiler does not know', () => {
  const read: Problem = JSON.parse(JSON.stringify({ ...problem, covariates: { blood: problem.covariates.blood } }))

  it('gives the wide types', () => {
    const learner = createLearner(read)
    expectTypeOf(learner).toEqualTypeOf<Learner>()
    const decision = learner.decide({ context, covariates: { blood: null } })
    expectTypeOf(decision.action).toEqualTypeOf<string>()
    expectTypeOf(decision.propensities).toEqualTypeOf<Readonly<Record<string, number>>>()
    expectTypeOf(learner.reveal).parameter(1).toEqualTypeOf<Readonly<Record<string, FeatureValue>>>()
    expect(learner.reveal(decision.id, { blood: 'B' })).toBe('accepted')
  })

  it('has a place for the learner of a declared one', () => {
    const decideAnything = (learner: Learner) => learner.decide({ context })
    expect(decideAnything(createLearner(problem)).id).toBe('1')
  })
})
