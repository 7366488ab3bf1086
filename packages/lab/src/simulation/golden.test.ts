// Fixed seeds give stored action sequences: a change here is a decision, not an accident.

import { boolean, category, createLearner, number, pretrained } from '@primo/core'
import { expect, it } from 'vitest'

const problem = {
  context: {
    age: number({ min: 18, max: 95 }),
    smoker: boolean(),
    site: category(['north', 'south'], { other: true }),
  },
  covariates: {
    genotype: { ...number({ min: 0, max: 2 }), imputer: pretrained((x) => 1.2 - 0.004 * Number(x.age)) },
  },
  actions: ['low', 'medium', 'high'],
  reward: { min: 0, max: 1 },
} as const

function actions(profile: 'primo' | 'primo-cal', seed: number): string {
  const learner = createLearner(problem, { profile, seed })
  let sequence = ''
  for (let t = 0; t < 120; t++) {
    const genotype = (t * 7) % 3
    const decision = learner.decide({
      context: { age: 18 + ((t * 31) % 78), smoker: t % 4 === 0, site: ['north', 'south', 'abroad'][t % 3]! },
      covariates: { genotype: t % 2 === 0 ? genotype : null },
    })
    sequence += decision.action[0]
    learner.reward(decision.id, decision.action === ['low', 'medium', 'high'][genotype] ? 1 : 0.2)
  }
  return sequence
}

it('plays the stored sequences', () => {
  expect({
    'primo 1': actions('primo', 1),
    'primo 2': actions('primo', 2),
    'primo-cal 1': actions('primo-cal', 1),
    'primo-cal 2': actions('primo-cal', 2),
  }).toMatchSnapshot()
})
