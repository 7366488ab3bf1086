// `http`: a model behind an endpoint. A template says what is sent and a path where the answer stands; for servers of the Open
// Inference Protocol v2 there is a preset. `limits` say how long a decision waits and what happens when the model fails.

import { decideFor } from './patients.js'

export const httpImputers = async (url: string, models: string) => ({
  template: await decideFor(url, 'dose-by-http', {
    kind: 'http',
    url: `${models}/predict`,
    request: { age: '{age}', note: 'lives in the {town}' },
    response: 'prediction',
    sd: 'spread.sd',
    limits: { budget: 2000, breaker: { failures: 5, pause: 1000 } },
  }),
  inference: await decideFor(url, 'dose-by-inference', {
    kind: 'http',
    preset: 'open-inference-v2',
    url: models,
    model: 'alleles',
    inputs: { columns: ['age', 'smoker'] },
    limits: { budget: 2000 },
  }),
})
