// `llm`: a language model behind an endpoint that speaks the OpenAI chat protocol with JSON-schema answers. `key` names the
// environment variable that has the key. Language models are slow: give them a budget, and let the cache remember.

import { decideFor } from './patients.js'

export const llmImputer = (url: string, models: string) =>
  decideFor(url, 'dose-by-llm', {
    kind: 'llm',
    url: `${models}/v1`,
    model: 'any-small-model',
    prompt: 'How many risk alleles does a patient of age {age} have who lives in the {town}? Smoker: {smoker}.',
    sd: true,
    limits: { budget: 3000, timeout: 10_000, cache: { size: 50_000, age: 86_400_000 } },
  })
