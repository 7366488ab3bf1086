// Choosing a dose when the genotype is often not measured: decide, reward, reveal, snapshot, restore.
// Every example exports a function that returns what it learnt, and is run by the tests.

import { boolean, createLearner, defineProblem, number, pretrained, restoreLearner } from '@primo/core'
import { Random } from '@primo/numeric'

const problem = defineProblem({
  context: { age: number({ min: 18, max: 95 }), smoker: boolean() },
  covariates: {
    // The model thinks that the number of risk alleles falls with age; it does not know about smokers.
    genotype: { ...number({ min: 0, max: 2 }), imputer: pretrained((x) => 1.2 - 0.004 * Number(x.age)) },
  },
  actions: ['low', 'medium', 'high'],
  reward: { min: 0, max: 1 },
})

export function dosing(patients = 3000, seed = 7) {
  const world = Random.fromSeed(seed).split('patients')
  let learner = createLearner(problem, {
    profile: 'primo-cal',
    oracle: { interactions: [['genotype', 'genotype']] },
    seed,
  })
  let right = 0
  for (let patient = 0; patient < patients; patient++) {
    const age = Math.round(18 + 77 * world.uniform())
    const smoker = world.uniform() < 0.3
    const genotype = Math.min(2, Math.max(0, 0.6 + (smoker ? 0.8 : 0) + 0.6 * (world.uniform() - 0.5)))
    const measured = world.uniform() < 0.4
    const decision = learner.decide({ context: { age, smoker }, covariates: { genotype: measured ? genotype : null } })
    const best = ['high', 'medium', 'low'][Math.round(genotype)]!
    if (decision.action === best && patient >= patients / 2) right++
    learner.reward(decision.id, decision.action === best ? 1 : 0)
    // Now and then the laboratory answers late: the truth is kept, the decision stays as it was.
    if (!measured && patient % 10 === 0) learner.reveal(decision.id, { genotype })
    // A restart in between changes nothing.
    if (patient === Math.floor(patients / 3))
      learner = restoreLearner(problem, JSON.parse(JSON.stringify(learner.snapshot())))
  }
  return { shareRight: right / (patients / 2), epochs: learner.epochs() }
}
