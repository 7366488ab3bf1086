// Models of `primo train` in the service: from a file, checked, swapped without losing what was learnt of rewards; and as ONNX files.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Context, Feature, ModelFile, TrainedModel } from '@primo/core'
import { predictTrained } from '@primo/core/engine'
import { memoryTable, onnxModel, TRAINING_CLASSES, trainModel } from '@primo/lab/node'
import { Random } from '@primo/numeric'
import { afterAll, describe, expect, it } from 'vitest'
import { scoreRows } from '../../dist/index.js'
import { running } from '../running.fixture.js'

const folder = mkdtempSync(join(tmpdir(), 'primo-trained-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const random = Random.fromSeed(3)
const count = 400
const age = Float64Array.from({ length: count }, () => 20 + Math.floor(60 * random.uniform()))
const dose = Float64Array.from({ length: count }, () => 3 * random.normal())
const town = Array.from({ length: count }, () => ['north', 'south', 'east'][random.integer(3)]!)
const level = age.map(
  (value, i) => 0.05 * value + Math.sin(dose[i]!) + (town[i] === 'south' ? 1 : 0) + 0.2 * random.normal(),
)
const ill = level.map((value) => (value + random.normal() > 3 ? 1 : 0))
const group = Array.from(level, (value) => (value > 3.5 ? 'high' : value > 2 ? 'middle' : 'low'))
const table = memoryTable('drawn', { age, dose, town, level, ill, group })
const context: Record<string, Feature> = {
  age: { type: 'number', min: 0, max: 120 },
  dose: { type: 'number', min: -50, max: 50 },
  town: { type: 'category', levels: ['north', 'south', 'east', 'west'] },
}
const covariates: Record<string, Feature> = {
  level: { type: 'number', min: -10, max: 20 },
  ill: { type: 'boolean' },
  group: { type: 'category', levels: ['high', 'low', 'middle'] },
}
const rows: Context[] = Array.from({ length: 120 }, (_, i) => ({
  age: i % 5 === 0 ? age[i]! : 20 + 0.71 * i,
  dose: dose[i]!,
  town: ['north', 'south', 'east', 'west'][i % 4]!,
}))
const train = (covariate: string, kind: 'linear' | 'trees', seed = 0) =>
  trainModel(table, {
    covariate,
    features: ['age', 'dose', 'town'],
    declared: { ill: { type: 'boolean' } },
    folds: 2,
    classes: [kind],
    seed,
  })
const write = (name: string, ...models: TrainedModel[]) => {
  const file: ModelFile = { format: 'primo-model', formatVersion: 1, models }
  writeFileSync(join(folder, name), JSON.stringify(file))
}

const numbers = (prediction: unknown): number[] => {
  if (typeof prediction === 'number') return [prediction]
  const { sd: _, ...rest } = prediction as Record<string, number>
  return Object.keys(rest)
    .sort()
    .map((name) => rest[name]!)
}

describe('a trained model as an ONNX file', () => {
  it.each([
    ['level', 'linear'],
    ['level', 'trees'],
    ['ill', 'linear'],
    ['group', 'trees'],
  ] as const)('%s by %s predicts within 1e-5 of what we do', async (covariate, kind) => {
    const model = train(covariate, kind)
    const name = `${covariate}-${kind}.onnx`
    writeFileSync(join(folder, name), onnxModel(model))
    const scored = await scoreRows(join(folder, name), { context, covariate: covariates[covariate]!, rows })
    expect(scored.failure).toBeNull()
    let worst = 0
    const seen = new Set<number>()
    rows.forEach((row, i) => {
      const own = numbers(predictTrained(model, row))
      const theirs = numbers(scored.predictions[i])
      expect(theirs).toHaveLength(own.length)
      own.forEach((value, k) => {
        worst = Math.max(worst, Math.abs(value - theirs[k]!))
        seen.add(value)
      })
    })
    expect(worst).toBeLessThan(1e-5)
    expect(seen.size).toBeGreaterThan(20)
  })

  it('may have more nodes than a call takes arguments', () => {
    const many = 130_000
    const trees = {
      kind: 'trees',
      start: 0,
      roots: Array.from({ length: many }, (_, t) => t),
      feature: new Array(many).fill(-1),
      value: new Array(many).fill(0.5),
      left: new Array(many).fill(0),
      missingLeft: new Array(many).fill(0),
    }
    const score = { columns: [0], model: trees } as unknown as TrainedModel['scores'][number]
    expect(onnxModel({ ...train('level', 'linear'), scores: [score] }).length).toBeGreaterThan(many)
  })

  it('refuses a feature with the name of its output, and a class that ONNX has no operators for', () => {
    const model = train('level', 'linear')
    const named = { ...model.features[0]!, name: 'prediction' }
    expect(() => onnxModel({ ...model, features: [named] })).toThrow('named otherwise than the output')
    const score = { columns: [0], model: { kind: 'spline' } } as unknown as TrainedModel['scores'][number]
    expect(() => onnxModel({ ...model, scores: [score] })).toThrow('where the model is to be written as ONNX')
  })
})

describe('a trained model in the service', async () => {
  const service = await running({ models: folder })
  const problem = (imputer: object, more: Record<string, Feature> = context) => ({
    context: more,
    covariates: { level: { ...covariates.level, imputer } },
    actions: ['a', 'b'],
    reward: { min: 0, max: 1 },
  })
  /** As the records have them, with every bit. */
  const predictions = async (name: string) => {
    const { store } = service.service()
    const { id, version } = (await store.problem(name))!
    const said: Record<string, unknown>[] = []
    for await (const { entry } of store.allDecisions(id, version, 0))
      said.push((JSON.parse(entry.body) as { learning: { predictions: Record<string, unknown> } }).learning.predictions)
    return said
  }
  const linear = train('level', 'linear')
  write('one.json', linear)
  write('two.json', train('ill', 'trees'), train('level', 'trees'))

  it('is taken from the file by its covariate, and swapped without forgetting rewards', async () => {
    await service.ok('PUT', '/v1/problems/p', problem({ kind: 'trained', file: 'one.json' }))
    for (let i = 0; i < 60; i++) {
      const body = { eventId: `e${i}`, context: rows[i], covariates: { level: i % 2 === 0 ? null : level[i] } }
      await service.ok('POST', '/v1/problems/p/decisions', body)
      await service.ok('POST', `/v1/problems/p/decisions/e${i}/reward`, { value: i % 3 === 0 ? 1 : 0 })
    }
    await service.learnt('p')
    const said = await predictions('p')
    expect(said.map(({ level: one }) => one)).toEqual(
      rows.slice(0, 60).map((context) => predictTrained(linear, context)),
    )
    const reply = await service.ok<{ change: string }>(
      'PUT',
      '/v1/problems/p',
      problem({ kind: 'trained', file: 'two.json', version: 'second' }),
    )
    expect(reply.change).toBe('recalibrated')
    const summary = await service.summary('p')
    expect(JSON.stringify(summary)).toContain('"version":"second"')
  })

  it.each([...TRAINING_CLASSES, 'chosen'] as const)(
    'by %s predicts to the last bit what the library does',
    async (kind) => {
      const classes = kind === 'chosen' ? (['linear', 'spline', 'trees'] as const) : [kind]
      const small = memoryTable('drawn', {
        age: age.slice(0, 150),
        dose: dose.slice(0, 150),
        town: town.slice(0, 150),
        level: level.slice(0, 150),
        ill: ill.slice(0, 150),
        group: group.slice(0, 150),
      })
      // A network of three levels takes seconds; the page's test has one.
      const names = Object.keys(covariates).filter((name) => kind !== 'network' || name !== 'group')
      const models = names.map((covariate) =>
        trainModel(small, {
          covariate,
          features: ['age', 'dose', 'town'],
          declared: { ill: { type: 'boolean' } },
          folds: 2,
          classes,
        }),
      )
      write(`${kind}.json`, ...models)
      const imputer = { kind: 'trained', file: `${kind}.json` }
      const all = names.map((name) => [name, { ...covariates[name]!, imputer }])
      await service.ok('PUT', `/v1/problems/${kind}`, { ...problem({}), covariates: Object.fromEntries(all) })
      const missing = Object.fromEntries(names.map((name) => [name, null]))
      const asked = rows.slice(0, 40)
      await service.ok('POST', `/v1/problems/${kind}/decisions/batch`, {
        decisions: asked.map((context) => ({ context, covariates: missing })),
      })
      const said = await predictions(kind)
      expect(said).toEqual(
        asked.map((context) =>
          Object.fromEntries(models.map((model) => [model.covariate, predictTrained(model, context)])),
        ),
      )
      for (const { covariate } of models)
        expect(new Set(said.map((one) => JSON.stringify(one[covariate]))).size).toBeGreaterThan(3)
    },
  )

  it('is refused in a sentence where it cannot be used', async () => {
    const refused = async (imputer: object, more?: Record<string, Feature>) =>
      (await service.call('PUT', '/v1/problems/q', problem(imputer, more))).body.detail
    writeFileSync(join(folder, 'not.json'), '{')
    write('ill.json', train('ill', 'linear'))
    expect(await refused({ kind: 'trained', file: '../one.json' })).toContain('must be a file in the models folder')
    expect(await refused({ kind: 'trained', file: 'not.json' })).toContain('must be JSON that `primo train` wrote')
    expect(await refused({ kind: 'trained', file: 'ill.json' })).toContain('one that the file has a model of (ill)')
    const { dose: _, ...without } = context
    expect(await refused({ kind: 'trained', file: 'one.json' }, without)).toContain(
      'must be features of the context (age, town)',
    )
  })
})
