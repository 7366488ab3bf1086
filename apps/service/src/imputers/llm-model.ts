// A language model as imputer, by the OpenAI chat protocol: the prompt is filled with the context, the temperature is 0, and the
// answer must follow a JSON schema made from the covariate. What does not is a failure.

import type { Feature, Prediction } from '@primo/core'
import type { Egress } from './egress.js'
import { type Environment, readVariable } from './headers.js'
import { postJson } from './http-model.js'
import type { LlmDefinition } from './imputer-definition.js'
import type { Model } from './model.js'
import { atPath, fillText } from './template.js'

const SYSTEM =
  'You estimate one value that was not measured. Answer with JSON that follows the schema, with your best estimate and nothing else.'

export function llmModel(
  definition: LlmDefinition,
  covariate: Feature,
  environment: Environment,
  egress: Egress,
): Model {
  const { model, prompt, key, sd = false } = definition
  const url = `${definition.url.replace(/\/$/, '')}/chat/completions`
  const schema = answerSchema(covariate, sd)
  return {
    batch: 1,
    concurrency: 4,
    close: async () => undefined,
    predict: async ([context], signal, trace) => {
      const body = {
        model,
        temperature: 0,
        messages: [
          { role: 'system', content: SYSTEM },
          { role: 'user', content: fillText(prompt, context!) },
        ],
        response_format: { type: 'json_schema', json_schema: { name: 'estimate', strict: true, schema } },
      }
      const secret = key === undefined ? {} : { authorization: `Bearer ${readVariable('key', key, environment)}` }
      const headers = { ...trace, ...secret }
      const answer = await postJson(url, body, headers, signal, egress)
      const content = atPath(answer, 'choices.0.message.content')
      if (typeof content !== 'string') return [{ failure: 'the answer has no message' }]
      let estimate: unknown
      try {
        estimate = JSON.parse(content)
      } catch {
        return [{ failure: 'the message is not JSON' }]
      }
      const prediction = atPath(estimate, 'value')
      if (prediction === undefined || prediction === null) return [{ failure: 'the message has no value' }]
      const deviation = atPath(estimate, 'sd')
      return [
        { prediction: prediction as Prediction, ...(sd && typeof deviation === 'number' ? { sd: deviation } : {}) },
      ]
    },
  }
}

function answerSchema(covariate: Feature, sd: boolean): object {
  const value =
    covariate.type === 'number'
      ? { type: 'number', minimum: covariate.min, maximum: covariate.max }
      : covariate.type === 'boolean'
        ? { type: 'number', minimum: 0, maximum: 1, description: 'The probability that it is true.' }
        : { type: 'string', enum: covariate.levels }
  const withSd = sd && covariate.type === 'number'
  return {
    type: 'object',
    properties: { value, ...(withSd ? { sd: { type: 'number', minimum: 0 } } : {}) },
    required: withSd ? ['value', 'sd'] : ['value'],
    additionalProperties: false,
  }
}
