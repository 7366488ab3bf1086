// The problem that the imputer examples share: a dose for patients whose number of risk alleles is often not measured.
// `imputer` is the model you have; everything else stays the same.

import { createClient } from '@primo/client'
import type { CovariateReply, ProblemDefinition } from '@primo/contract'

type Imputer = ProblemDefinition['covariates'][string]['imputer']

export function patients(imputer: Imputer): ProblemDefinition {
  return {
    context: {
      age: { type: 'number', min: 18, max: 95 },
      smoker: { type: 'boolean' },
      town: { type: 'category', levels: ['north', 'south', 'east'] },
    },
    covariates: { alleles: { type: 'number', min: 0, max: 2, imputer } },
    actions: ['low', 'medium', 'high'],
    reward: { min: 0, max: 1 },
  }
}

/** Defines the problem on a running service and decides for one patient whose alleles were not measured. */
export async function decideFor(url: string, problem: string, imputer: Imputer): Promise<CovariateReply> {
  const client = createClient({ url })
  await client.define(problem, patients(imputer))
  const context = { age: 63, smoker: true, town: 'south' }
  const decided = await client.decide(problem, { context }, { default: 'medium', deadline: 5000 })
  if (decided.from !== 'service') throw decided.error
  await client.reward(problem, decided.eventId, 1)
  return decided.reply.covariates.alleles!
}
