import { type Context, checkProblem, type TrainedModel, trained } from '@primo/core'
import { predictTrained } from '@primo/core/engine'
import { describe, expect, it } from 'vitest'
import { MISSING_CODE, type Table } from '../tables/table.js'
import { fitLink } from './link-fit.js'
import { trainModel } from './train-model.js'
import { trainModels } from './train-models.js'
import { FEATURES, trainedTable } from './trained-table.fixture.js'
import { trainingConclusion } from './training-text.js'

const table = trainedTable()
const declared = { carrier: { type: 'boolean' } } as const
const QUICK = ['linear', 'trees'] as const
const train = (covariate: string, more = {}) =>
  trainModel(table, { covariate, features: FEATURES, declared, folds: 3, classes: QUICK, ...more })
const level = train('level')
const carrier = train('carrier')
const group = train('group')

function contextOf({ columns }: Table, row: number): Context {
  const cells = FEATURES.flatMap((name) => {
    const column = columns.get(name)!
    if (column.kind === 'text')
      return column.codes[row] === MISSING_CODE ? [] : [[name, column.levels[column.codes[row]!]!]]
    return Number.isNaN(column.values[row]) ? [] : [[name, column.values[row]!]]
  })
  return Object.fromEntries(cells)
}

describe('training a model of a covariate', () => {
  it('predicts better than the best constant, and says which features matter', () => {
    for (const { card } of [level, carrier, group]) {
      expect(card.explained).toBeGreaterThan(0.25)
      expect(card.importance.at(-1)?.feature).toBe('noise')
      expect(card.tried.filter(({ chosen }) => chosen)).toHaveLength(1)
      expect(card.tried[0]!.loss).toBeLessThanOrEqual(card.tried.at(-1)!.loss)
    }
    expect(level.card.error).toBeLessThan(0.65)
    expect(trainingConclusion(level)).toContain('level is best predicted by trees')
  })

  it('has a held-out error that fresh rows confirm', () => {
    const fresh = trainedTable(4000, 5)
    const truths = fresh.columns.get('level')!
    let [sum, count, inside] = [0, 0, 0]
    for (let row = 0; row < fresh.rows; row++) {
      const truth = truths.kind === 'number' ? truths.values[row]! : Number.NaN
      if (Number.isNaN(truth)) continue
      const { value, sd } = predictTrained(level, contextOf(fresh, row)) as { value: number; sd: number }
      sum += (truth - value) ** 2
      inside += Math.abs(truth - value) < 2 * sd ? 1 : 0
      count++
    }
    // 2,800 rows: the error of a root mean square is about 2% of it, that of the held-out one about 4%.
    expect(Math.sqrt(sum / count) / level.card.error).toBeGreaterThan(0.85)
    expect(Math.sqrt(sum / count) / level.card.error).toBeLessThan(1.12)
    expect(inside / count).toBeGreaterThan(0.91)
  })

  it('gives probabilities that come true', () => {
    for (const { card } of [carrier, group])
      for (const { predicted, observed, rows } of card.calibration)
        expect(Math.abs(predicted - observed)).toBeLessThan(4 * Math.sqrt(0.25 / rows))
    const said = predictTrained(group, contextOf(table, 0)) as Record<string, number>
    expect(Object.keys(said)).toEqual(['a', 'b', 'c'])
    expect(Object.values(said).reduce((sum, p) => sum + p, 0)).toBeCloseTo(1, 12)
  })

  it('is the same again, through JSON, and a function of the seed', () => {
    const again = train('level')
    expect(JSON.stringify(again)).toBe(JSON.stringify(level))
    const copy = JSON.parse(JSON.stringify(level)) as TrainedModel
    for (let row = 0; row < 50; row++)
      expect(predictTrained(copy, contextOf(table, row))).toEqual(predictTrained(level, contextOf(table, row)))
    expect(train('level', { seed: 1 }).fingerprint).not.toBe(level.fingerprint)
  })

  it('counts rows that stand for others more where asked to', () => {
    const weighted = train('level', { weights: 'observation' })
    expect(weighted.card.weights).toBe('observation')
    expect(weighted.fingerprint).not.toBe(level.fingerprint)
  })

  it('trains several in the order of how often they are seen, and keeps models of what helps', () => {
    const covariates = ['level', 'group', 'carrier']
    const file = trainModels(table, { covariates, features: FEATURES, declared, folds: 3, classes: ['linear'] })
    expect(file.models.map(({ covariate }) => covariate)).toEqual(['group', 'carrier', 'level'])
    for (const model of file.models) expect(model.features.map(({ name }) => name)).toEqual(FEATURES)
    expect(file.given?.map(({ covariate }) => covariate)).toContain('level')
  })

  it('refuses what cannot be trained, in a sentence', () => {
    expect(() => train('level', { features: [] })).toThrow('features must be at least one column')
    expect(() => train('level', { features: ['height'] })).toThrow('must have the column "height"')
    expect(() => train('level', { classes: ['forest'] })).toThrow('classes must be some of linear')
    expect(() => train('level', { observed: new Uint8Array(table.rows) })).toThrow('at least 20 rows')
  })
})

describe('the calibration of scores', () => {
  it('undoes a slope and an offset', () => {
    const scores = Float64Array.from({ length: 4000 }, (_, i) => ((i % 80) - 40) / 10)
    // A share of each score's 50 rows that is its probability.
    const truths = scores.map((score, i) =>
      Math.floor(i / 80) + 0.5 < 50 / (1 + Math.exp(-(0.5 * score - 1))) ? 1 : 0,
    )
    const { slope, offsets } = fitLink({ type: 'boolean' }, [scores], truths, null)
    expect(slope).toBeCloseTo(0.5, 1)
    expect(offsets[0]).toBeCloseTo(-1, 1)
  })

  it('bears scores that are far too sure', () => {
    const scores = [0, 1, 2].map((k) => Float64Array.from({ length: 300 }, (_, i) => (i % 3 === k ? 500 : -500)))
    const truths = Float64Array.from({ length: 300 }, (_, i) => (i % 10 === 0 ? (i + 1) % 3 : i % 3))
    const { slope } = fitLink({ type: 'category', levels: ['a', 'b', 'c'] }, scores, truths, null)
    expect(slope).toBeLessThan(0.02)
  })
})

describe('a trained model in a problem', () => {
  const problem = (model: TrainedModel, changed = {}) => ({
    context: {
      age: { type: 'number', min: 0, max: 120 },
      town: { type: 'category', levels: ['bonn', 'ulm', 'trier', 'kiel'] },
      dose: { type: 'number', min: -20, max: 20 },
      noise: { type: 'number', min: -9, max: 9 },
      ...changed,
    },
    covariates: { level: { type: 'number', min: -10, max: 20, imputer: { kind: 'trained', model } } },
    actions: ['a', 'b'],
    reward: { min: 0, max: 1 },
  })

  it('is checked when the problem is', () => {
    expect(() => checkProblem(problem(level))).not.toThrow()
    expect(() => checkProblem(problem(level, { dose: { type: 'boolean' } }))).toThrow(
      'context.dose.type must be "number"',
    )
    expect(() => checkProblem(problem(carrier))).toThrow('one that predicts a boolean')
    expect(() => checkProblem(problem({ ...level, covariate: 'other' }))).toThrow('it was changed after it was trained')
    const score = level.scores[0]!
    const circle = {
      ...score,
      model: { ...score.model, left: (score.model as unknown as { left: number[] }).left.map(() => 0) },
    }
    expect(() => checkProblem(problem({ ...level, scores: [circle as typeof score] }))).toThrow('must be a later node')
  })

  it('is taken from a file by the name of its covariate', () => {
    const file = { format: 'primo-model', formatVersion: 1, models: [level, group] } as const
    expect(trained(file, 'group').model).toBe(group)
    expect(() => trained(file)).toThrow('one that the file has a model of (level, group)')
    expect(() => trained({ ...file, formatVersion: 2 as 1 }, 'group')).toThrow('formatVersion must be 1')
  })
})
