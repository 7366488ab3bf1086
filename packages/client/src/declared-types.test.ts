// One definition serves the library, the client and the service; what it declares, the compiler knows of the calls.

import type { ProblemDefinition } from '@primo/contract'
import { boolean, category, createLearner, defineProblem, number, pretrained } from '@primo/core'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { createClient, type Decided, type DecisionReplyOf, type ProblemClient } from './index.js'

const problem = defineProblem({
  context: { age: number({ min: 18, max: 95 }), smoker: boolean(), sex: { type: 'category', levels: ['f', 'm'] } },
  covariates: {
    genotype: { ...number({ min: 0, max: 2 }), imputer: { kind: 'linear', intercept: 1, coefficients: {} } },
    blood: { ...category(['A', 'B']), imputer: { kind: 'column' }, audit: { share: 0.1 } },
  },
  actions: ['low', 'high'],
  reward: { min: 0, max: 1 },
})
const context = { age: 63, smoker: false, sex: 'f' } as const

/** A service that answers every call with nothing, and what it was asked. */
function silent() {
  const calls: { readonly path: string; readonly method: string; readonly body: unknown }[] = []
  const answer: typeof fetch = async (url, init) => {
    const { pathname } = new URL(String(url))
    calls.push({ path: pathname, method: init?.method ?? '', body: JSON.parse(String(init?.body ?? 'null')) })
    return new Response('{}', { headers: { 'content-type': 'application/json' } })
  }
  return { calls, client: createClient({ url: 'http://service', fetch: answer }) }
}

describe('the client of a declared problem', () => {
  it('has the types of the definition', async () => {
    const { client } = silent()
    const dose = client.problem('dose', problem)
    expectTypeOf(dose).toEqualTypeOf<
      ProblemClient<
        { readonly age: number; readonly smoker: boolean; readonly sex: 'f' | 'm' },
        { readonly genotype: number; readonly blood: 'A' | 'B' },
        'low' | 'high'
      >
    >()
    const decided = await dose.decide({ context, covariates: { genotype: null } }, { default: 'low' })
    expectTypeOf(decided).toEqualTypeOf<Decided<'low' | 'high', 'genotype' | 'blood'>>()
    if (decided.from !== 'service') throw decided.error
    expectTypeOf(decided.reply).toEqualTypeOf<DecisionReplyOf<'low' | 'high', 'genotype' | 'blood'>>()
  })

  it('refuses what the definition does not have', async () => {
    const { calls, client } = silent()
    const dose = client.problem('dose', problem)
    // @ts-expect-error a misspelt name
    await dose.decide({ context: { ...context, agee: 63 } }, { default: 'low' })
    // @ts-expect-error text for a boolean
    await dose.decide({ context: { ...context, smoker: 'no' } }, { default: 'low' })
    // @ts-expect-error an unknown level
    await dose.decide({ context, covariates: { blood: 'C' } }, { default: 'low' })
    // @ts-expect-error an unknown default
    await dose.decide({ context }, { default: 'tiny' })
    // @ts-expect-error an unknown action
    await dose.decide({ context, excluded: ['tiny'] }, { default: 'low' })
    // @ts-expect-error an unknown covariate
    await dose.reveal('1', { genotpye: 1 })
    // The types are all there is: nothing is checked a second time before it is sent.
    expect(calls).toHaveLength(6)
  })

  it('calls for its problem and sends its definition', async () => {
    const { calls, client } = silent()
    const dose = client.problem('dose', problem)
    await dose.define()
    await dose.reward('visit', 1, { rewardId: 'r' })
    await dose.reveal('visit', { genotype: 2 })
    await dose.info()
    expect(calls).toEqual([
      { path: '/v1/problems/dose', method: 'PUT', body: JSON.parse(JSON.stringify(problem)) },
      { path: '/v1/problems/dose/decisions/visit/reward', method: 'POST', body: { value: 1, rewardId: 'r' } },
      { path: '/v1/problems/dose/decisions/visit/reveal', method: 'POST', body: { covariates: { genotype: 2 } } },
      { path: '/v1/problems/dose', method: 'GET', body: null },
    ])
  })

  it('without a definition stays what it was', async () => {
    const { calls, client } = silent()
    await client.problem('dose')
    await client.decide('dose', { context: { anything: 1 } }, { default: 'whatever' })
    expect(calls.map(({ method }) => method)).toEqual(['GET', 'POST'])
  })
})

describe('a problem of the library', () => {
  it('is a definition for the service where its imputers are plain data', () => {
    const definition: ProblemDefinition = problem
    expect(createLearner(problem).decide({ context }).id).toBe('1')
    expectTypeOf(silent().client.define).parameter(1).toEqualTypeOf<ProblemDefinition>()
    expect(JSON.parse(JSON.stringify(definition))).toEqual(definition)
  })

  it('with a function for an imputer is none', () => {
    const local = defineProblem({
      ...problem,
      covariates: { genotype: { ...number({ min: 0, max: 2 }), imputer: pretrained(() => 1) } },
    })
    // @ts-expect-error a function cannot be sent
    const definition: ProblemDefinition = local
    expect(JSON.parse(JSON.stringify(definition))).not.toEqual(definition)
    silent().client.problem('dose', {
      ...problem,
      covariates: {
        genotype: {
          ...number({ min: 0, max: 2 }),
          imputer: {
            kind: 'ensemble',
            // @ts-expect-error nor a function inside an ensemble
            members: { one: { kind: 'function', predict: () => 1 }, two: { kind: 'constant', value: 1 } },
          },
        },
      },
    })
  })
})
