import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { boundModel } from './bounded-model.js'
import type { Limits } from './imputer-definition.js'
import { type Model, ModelBusy, type Said } from './model.js'

// Time stands still unless a test lets it pass.
beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

type Rows = Parameters<Model['predict']>[0]

function guarded(predict: (rows: Rows) => Promise<readonly Said[]>, limits: Limits = {}, model: Partial<Model> = {}) {
  const calls: Rows[] = []
  const clock = { now: 0 }
  const guard = boundModel(
    {
      batch: 8,
      concurrency: 1,
      close: async () => undefined,
      ...model,
      predict: (rows) => {
        calls.push(rows)
        return predict(rows)
      },
    },
    {
      limits: { budget: 40, ...limits },
      check: (value) => (typeof value === 'number' && value >= 0 && value <= 2 ? null : `predicted ${value}`),
      clock: () => clock.now,
    },
  )
  return { calls, clock, ask: (x: number) => guard.ask({ x }), breaker: guard.breaker }
}
const echo = async (rows: Rows) => rows.map(({ x }) => ({ prediction: Number(x) }))
const after = (milliseconds: number) => async (rows: Rows) => {
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
  return echo(rows)
}
const pass = (milliseconds: number) => vi.advanceTimersByTimeAsync(milliseconds)

test('asks a context once, and again when the answer is too old', async () => {
  const { ask, calls, clock } = guarded(echo, { cache: { age: 100 } })
  expect(await ask(1)).toEqual({ prediction: 1, from: 'model' })
  expect(await ask(1)).toEqual({ prediction: 1, from: 'model' })
  expect(calls.length).toBe(1)
  clock.now = 101
  await ask(1)
  expect(calls.length).toBe(2)
})

test('rows that wait for a free call go together, and equal contexts share one row', async () => {
  const { ask, calls } = guarded(after(5), { budget: 500 })
  const asked = [0, 1, 2, 2, 1, 0.5].map(ask)
  await pass(10)
  const answers = await Promise.all(asked)
  expect(answers.map((answer) => ('failure' in answer ? null : answer.prediction))).toEqual([0, 1, 2, 2, 1, 0.5])
  expect(calls.map((rows) => rows.length)).toEqual([1, 3])
})

test('waits for its budget and no longer; a late answer is remembered', async () => {
  const { ask, calls } = guarded(after(80))
  const told: unknown[] = []
  void ask(1).then((answer) => told.push(answer))
  await pass(39)
  expect(told).toEqual([])
  await pass(1)
  expect(told).toEqual([{ failure: 'the model did not answer within 40 ms' }])
  await pass(40)
  expect(await ask(1)).toEqual({ prediction: 1, from: 'model' })
  expect(calls.length).toBe(1)
})

test.each([
  ['NaN', async () => [{ prediction: Number.NaN }], 'predicted NaN'],
  ['out of range', async () => [{ prediction: 3 }], 'predicted 3'],
  ['the wrong number of answers', async () => [], 'the model failed: the model gave 0 answers to 1 rows'],
  ['a thrown error', () => Promise.reject(new Error('no')), 'the model failed: no'],
])('%s is a failure, never a value, and is not remembered', async (_, predict, failure) => {
  const { ask, calls } = guarded(predict as (rows: Rows) => Promise<readonly Said[]>)
  expect(await ask(1)).toEqual({ failure })
  expect(await ask(1)).toEqual({ failure })
  expect(calls.length).toBe(2)
})

test('an older answer stands in while the model fails, and says why', async () => {
  let works = true
  const { ask, clock } = guarded(async (rows) => (works ? echo(rows) : Promise.reject(new Error('gone'))), {
    cache: { age: 100, keep: 1000 },
  })
  await ask(1)
  works = false
  clock.now = 500
  expect(await ask(1)).toEqual({ prediction: 1, from: 'cache', reason: 'the model failed: gone' })
  clock.now = 1600
  expect(await ask(1)).toEqual({ failure: 'the model failed: gone' })
})

test('leaves a failing model alone, probes it once after the pause, and comes back', async () => {
  let works = false
  const { ask, calls, clock, breaker } = guarded(
    async (rows) => (works ? echo(rows) : Promise.reject(new Error('gone'))),
    { breaker: { failures: 2, pause: 1000 } },
  )
  await ask(0.1)
  await ask(0.2)
  expect(breaker()).toBe('open')
  expect(await ask(0.3)).toEqual({ failure: 'the model keeps failing and is left alone for a while' })
  expect(calls.length).toBe(2)
  works = true
  clock.now = 1000
  expect(await ask(0.4)).toEqual({ prediction: 0.4, from: 'model' })
  expect(breaker()).toBe('closed')
})

test('a model that asks for patience gets it', async () => {
  const { ask, calls, clock } = guarded(() => Promise.reject(new ModelBusy('the model answered 429', 7000)))
  expect(await ask(0.1)).toEqual({ failure: 'the model failed: the model answered 429' })
  clock.now = 6999
  await ask(0.2)
  expect(calls.length).toBe(1)
  clock.now = 7000
  await ask(0.3)
  expect(calls.length).toBe(2)
})

test('what waits beyond its budget for a free call is dropped, not piled up', async () => {
  const { ask, calls } = guarded(after(100), { budget: 10, batch: 1, breaker: { failures: 1000 } })
  const asked = Array.from({ length: 50 }, (_, k) => ask(k / 50))
  await pass(10)
  const answers = await Promise.all(asked)
  expect(answers.every((answer) => 'failure' in answer)).toBe(true)
  await pass(1000)
  expect(calls.length).toBe(1)
  void ask(1)
  expect(calls.length).toBe(2)
})

test('one hold-up that many rows wait for is one failure; a model that stays silent is left alone', async () => {
  const { ask, breaker } = guarded(after(1e9), { budget: 40, breaker: { failures: 3 } })
  const many = Array.from({ length: 20 }, (_, k) => ask(k / 20))
  await pass(40)
  await Promise.all(many)
  expect(breaker()).toBe('closed')
  for (const [k, state] of ['closed', 'open'].entries()) {
    const asked = ask(1 + k / 20)
    await pass(40)
    await asked
    expect(breaker()).toBe(state)
  }
})
