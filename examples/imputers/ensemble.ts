// `ensemble`: several models of one covariate. Their weights start equal; calibration learns from what is observed which of them
// to believe, so a bad one is weighted down. Here a tree model, an endpoint, and a constant that knows nothing.

import { createClient } from '@primo/client'
import { patients } from './patients.js'

const COLUMNS = ['age', 'smoker', 'town=north', 'town=south', 'town=east']

export async function ensembleImputer(url: string, models: string, learnt: (problem: string) => Promise<void>) {
  const client = createClient({ url })
  const problem = 'dose-by-ensemble'
  await client.define(problem, {
    ...patients({
      kind: 'ensemble',
      members: {
        trees: { kind: 'onnx', file: 'trees.onnx', inputs: { columns: COLUMNS }, limits: { budget: 2000 } },
        endpoint: { kind: 'http', url: `${models}/predict`, request: { age: '{age}' }, limits: { budget: 2000 } },
        guess: { kind: 'constant', value: 1.9 },
      },
    }),
    learning: { profile: 'robust', seed: 3 },
  })
  for (let patient = 0; patient < 80; patient++) {
    const age = 18 + ((patient * 37) % 78)
    const smoker = patient % 3 === 0
    const alleles = Math.min(2, Math.max(0, 1.3 - 0.006 * age + (smoker ? 0.5 : 0) + 0.3 * Math.sin(age / 12)))
    const measured = patient % 2 === 0
    const decided = await client.decide(
      problem,
      { context: { age, smoker, town: 'east' }, covariates: measured ? { alleles } : {} },
      { default: 'low', deadline: 5000 },
    )
    if (decided.from !== 'service') throw decided.error
    await client.reward(problem, decided.eventId, decided.action === 'medium' ? 1 : 0)
    if (patient % 20 === 19) await learnt(problem)
  }
  const { epochs } = await client.epochs(problem)
  return epochs
}
