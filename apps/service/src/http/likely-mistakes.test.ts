// The mistakes that newcomers make, each with the sentence that says what to do.

import { expect, test } from 'vitest'
import { running } from '../running.fixture.js'

const age = { type: 'number', min: 18, max: 95 }
const imputer = { kind: 'constant', value: 0.5 }
const risk = { type: 'number', min: 0, max: 1, imputer }
const dose = { context: { age }, covariates: { risk }, actions: ['low', 'high'], reward: { min: 0, max: 1 } }
const define = (changes: object) => ['PUT', '/v1/problems/mistaken', { ...dose, ...changes }] as const
const context = (features: object) => define({ context: features })
const covariate = (changes: object) => define({ covariates: { risk: { ...risk, ...changes } } })
const decide = (body: unknown) => ['POST', '/v1/problems/dose/decisions', body] as const
const { reward: _, ...withoutReward } = dose

const MISTAKES = [
  [
    'a type of another language',
    context({ age: { ...age, type: 'int' } }),
    'context.age.type must be "number", "boolean" or "category", got "int": write "number" with its min and max',
  ],
  [
    'a categorical type',
    context({ site: { type: 'categorical', levels: ['a', 'b'] } }),
    'context.site.type must be "number", "boolean" or "category", got "categorical": write "category" with its levels',
  ],
  [
    'bool',
    context({ site: { type: 'bool' } }),
    'context.site.type must be "number", "boolean" or "category", got "bool": write "boolean"',
  ],
  [
    'a text type',
    context({ site: { type: 'string' } }),
    'context.site.type must be "number", "boolean" or "category", got "string": write "category" with its levels',
  ],
  [
    'no type',
    context({ age: { min: 18, max: 95 } }),
    'context.age.type must be "number", "boolean" or "category", got nothing',
  ],
  [
    'a type in place of a feature',
    context({ age: 'number' }),
    'context.age must be an object such as {"type": "number", "min": 0, "max": 1}, got "number"',
  ],
  [
    'no min',
    context({ age: { type: 'number', max: 95 } }),
    'context.age.min must be a finite number (the smallest value that can occur), got nothing',
  ],
  [
    'minimum for min',
    context({ age: { type: 'number', minimum: 18, max: 95 } }),
    'context.age must have only the fields type, min, max, outside, default, got "minimum" (did you mean "min"?)',
  ],
  [
    'a range by text',
    context({ age: { type: 'number', min: '18', max: 95 } }),
    'context.age.min must be a finite number (the smallest value that can occur), got "18"',
  ],
  [
    'a range upside down',
    context({ age: { type: 'number', min: 95, max: 18 } }),
    'context.age.max must be greater than min (95), got 18',
  ],
  [
    'no levels',
    context({ site: { type: 'category' } }),
    'context.site.levels must be a list of at least one level, such as ["a", "b"], got nothing',
  ],
  [
    'values for levels',
    context({ site: { type: 'category', values: ['a', 'b'] } }),
    'context.site must have only the fields type, levels, other, default, got "values"',
  ],
  [
    'levels that are numbers',
    context({ site: { type: 'category', levels: [1, 2] } }),
    'context.site.levels must be non-empty texts, got 1',
  ],
  [
    'a list of features',
    context([{ name: 'age', ...age }]),
    'context must be an object: name -> feature, got an array of 1',
  ],
  [
    'levels twice',
    context({ site: { type: 'category', levels: ['a', 'a'] } }),
    'context.site.levels must be distinct, got "a"',
  ],
  [
    'a covariate without a model',
    covariate({ imputer: undefined }),
    'covariates.risk.imputer must be the model that predicts it where it is missing, such as { kind: "constant", value }, got nothing',
  ],
  [
    'an unknown model',
    covariate({ imputer: { kind: 'sklearn', file: 'm.pkl' } }),
    'covariates.risk.imputer.kind must be one of constant, linear, column, table, trained, module, onnx, http, llm, ensemble, got "sklearn"',
  ],
  [
    'a model by name',
    covariate({ imputer: 'mean' }),
    'covariates.risk.imputer must be the model that predicts it where it is missing, such as { kind: "constant", value }, got "mean"',
  ],
  [
    'a misspelt field of a covariate',
    covariate({ imputr: imputer }),
    'covariates.risk must have only the fields type, min, max, outside, imputer, reveals, audit, price, reasons, got "imputr" (did you mean "imputer"?)',
  ],
  [
    'a constant without a value',
    covariate({ imputer: { kind: 'constant' } }),
    'covariates.risk.imputer.value must be a prediction, got nothing',
  ],
  [
    'a constant outside the range',
    covariate({ imputer: { kind: 'constant', value: 7 } }),
    'covariates.risk.imputer.value must be a value of the covariate (it predicted 7, outside 0 to 1), got 7',
  ],
  [
    'a coefficient of an unknown feature',
    covariate({ imputer: { kind: 'linear', intercept: 0, coefficients: { aeg: 1 } } }),
    'covariates.risk.imputer.coefficients must have only the columns age, got "aeg" (did you mean "age"?)',
  ],
  [
    'a category by a linear model',
    define({
      covariates: {
        risk: { type: 'category', levels: ['a', 'b'], imputer: { kind: 'linear', intercept: 0, coefficients: {} } },
      },
    }),
    'covariates.risk.imputer.kind must be "table", "constant", "column" or a served model for a category, got "linear"',
  ],
  [
    'a field of the problem misspelt',
    define({ action: ['low', 'high'] }),
    'the body must have only the fields context, covariates, actions, labels, reward, learning, guards, guardrails, mode, activation, activationWindow, uploads, retention, got "action" (did you mean "actions"?)',
  ],
  [
    'a covariate also in the context',
    define({ context: { age, risk: age } }),
    'covariates.risk must be named differently from every context feature (declare it once: as a covariate if it may be missing), got "risk"',
  ],
  ['actions by number', define({ actions: [1, 2] }), 'actions must be non-empty texts such as ["low", "high"], got 1'],
  [
    'actions as objects',
    define({ actions: { low: {}, high: {} } }),
    'actions must be a list of at least one action, such as ["low", "high"], got an object',
  ],
  [
    'no reward',
    ['PUT', '/v1/problems/mistaken', withoutReward],
    'reward must be an object with min and max, got nothing',
  ],
  [
    'a reward without a range',
    define({ reward: { type: 'number' } }),
    'reward must have only the fields min, max, mean, window, default, aggregate, learnFrom, got "type"',
  ],
  [
    'a window by number',
    define({ reward: { min: 0, max: 1, window: 3600 } }),
    'reward.window must be an object with milliseconds, got 3600',
  ],
  [
    'an unknown profile',
    define({ learning: { profile: 'linucb' } }),
    'profile must be "primo" or "primo-cal" or "robust", got "linucb"',
  ],
  [
    'an unknown option',
    define({ learning: { explore: 0.1 } }),
    'learning must have only the options profile, schedule, window, oracle, calibration, gamma, minimumPropensity, exploration, imputation, rows, refresh, missing, rewards, use, memory, got "explore"',
  ],
  [
    'a guard misspelt',
    define({ guards: { base: 'low' } }),
    'guards must have only the fields floor, holdout, baseline, kill, got "base" (did you mean "baseline"?)',
  ],
  [
    'a baseline that is no action',
    define({ guards: { baseline: 'lo' } }),
    'guards.baseline must be one of the actions, got "lo"',
  ],
  [
    'a name with a space',
    ['PUT', '/v1/problems/my%20dose', dose],
    'problem must be a name of letters, digits, "_", "." and "-", at most 64, got "my dose"',
  ],
  [
    'a missing context feature',
    decide({ context: {} }),
    'context.age must be given, got nothing; declare it as a covariate if it may be missing',
  ],
  [
    'null for a context feature',
    decide({ context: { age: null } }),
    'context.age must be given, got null; declare it as a covariate if it may be missing',
  ],
  ['a number as text', decide({ context: { age: '63' } }), 'context.age must be a number, got "63"'],
  [
    'a misspelt feature',
    decide({ context: { agee: 63 } }),
    'context must have only the features age, got "agee" (did you mean "age"?)',
  ],
  [
    'a misspelt covariate',
    decide({ context: { age: 63 }, covariates: { rsk: 0.2 } }),
    'covariates must have only the covariates risk, got "rsk" (did you mean "risk"?)',
  ],
  [
    'a covariate among the context',
    decide({ context: { age: 63, risk: 0.2 } }),
    'context must not have the covariate "risk", got it there: give it in covariates',
  ],
  ['a value outside the range', decide({ context: { age: 130 } }), 'context.age must be between 18 and 95, got 130'],
  [
    'features without "context"',
    decide({ age: 63 }),
    'context must be given, got nothing; there is no field "age": put "age" inside "context"',
  ],
  [
    'an unknown key',
    decide({ context: { age: 63 }, event_id: 'e1' }),
    'the body must have only the fields eventId, subject, context, covariates, predictions, missing, actions, excluded, deferActivation, served, got "event_id" (did you mean "eventId"?)',
  ],
  ['NaN', decide('{"context":{"age":NaN}}'), 'the body must be JSON (which has no NaN: a missing covariate is null)'],
  [
    'a list of decisions',
    decide([{ context: { age: 63 } }]),
    'the body must be an object with eventId, subject, context, covariates, predictions, missing, actions, excluded, deferActivation, served, got an array of 1',
  ],
  [
    'an unknown action',
    decide({ context: { age: 63 }, actions: ['lo', 'high'] }),
    'actions must be among "low", "high", got "lo"',
  ],
  [
    'a decision of an unknown problem',
    ['POST', '/v1/problems/doze/decisions', { context: { age: 63 } }],
    'no problem is called "doze"',
  ],
  [
    'a reward under another name',
    ['POST', '/v1/problems/dose/decisions/e1/reward', { reward: 1 }],
    'value must be given, got nothing; there is no field "reward": did you mean "value"?',
  ],
  [
    'a reward as text',
    ['POST', '/v1/problems/dose/decisions/e1/reward', { value: '1' }],
    'value must be a number, got "1"',
  ],
  [
    'a reward outside the range',
    ['POST', '/v1/problems/dose/decisions/e1/reward', { value: 5 }],
    'value must be between 0 and 1, got 5',
  ],
  [
    'a route with a slash too much',
    ['POST', '/v1/problems/dose/decide', { context: { age: 63 } }],
    'no route answers POST /v1/problems/dose/decide',
  ],
] as const

const { call, ok, summary } = await running()
await ok('PUT', '/v1/problems/dose', dose)
await ok('POST', '/v1/problems/dose/decisions', { context: { age: 63 }, eventId: 'e1' })

test.each(MISTAKES)('%s', async (_, [method, path, body], sentence) => {
  const { status, body: answer } = await call(method, path, body)
  expect(answer.detail).toBe(sentence)
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
})

test('nothing was defined or decided by mistake', async () => {
  expect((await call('GET', '/v1/problems/mistaken')).status).toBe(404)
  expect((await summary('dose')).decisions).toBe(1)
})
