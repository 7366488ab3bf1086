import type { Prediction } from '@primo/core'
import { describe, expect, it } from 'vitest'
import { imputeTable } from './impute-table.js'
import { judgeModel } from './judge-model.js'
import { trainModel } from './train-model.js'
import { trainModels } from './train-models.js'
import { FEATURES, trainedTable } from './trained-table.fixture.js'

const table = trainedTable()
const linear = { features: FEATURES, folds: 3, classes: ['linear'] } as const
const level = trainModel(table, { ...linear, covariate: 'level' })
const group = trainModel(table, { ...linear, covariate: 'group' })

describe('a model in the shadow', () => {
  const later = trainedTable(500, 8)
  const all = (prediction: Prediction | null) => new Array<Prediction | null>(later.rows).fill(prediction)

  it('is better than a constant, by as much as its held-out error says', () => {
    const judged = judgeModel(level, later, all(3))!
    expect(judged.better).toBe(true)
    expect(judged.truths).toBeGreaterThan(300)
    expect(judged.error / level.card.error).toBeGreaterThan(0.85)
    expect(judged.error / level.card.error).toBeLessThan(1.15)
    expect(judgeModel(group, later, all({ a: 1 / 3, b: 1 / 3, c: 1 / 3 }))!.better).toBe(true)
  })

  it('is not better than itself, nor than the truth', () => {
    const column = later.columns.get('level')!
    const truths = column.kind === 'number' ? Array.from(column.values) : []
    expect(judgeModel(level, later, truths)!.better).toBe(false)
    const own = imputeTable(blank(later), { format: 'primo-model', formatVersion: 1, models: [level] }, PREDICT)
    const judged = judgeModel(level, later, Array.from(own[0]!.values as Float64Array))!
    expect(judged).toMatchObject({ difference: 0, better: false })
  })

  it('is not judged by few truths, or by none of which the model in use spoke', () => {
    expect(judgeModel(level, trainedTable(30), all(3))).toBeNull()
    expect(judgeModel(level, later, all(null))).toBeNull()
  })
})

const PREDICT = { draw: null, seed: 0 } as const

/** The table with every level missing. */
function blank(given: typeof table): typeof table {
  const columns = new Map(given.columns)
  columns.set('level', { kind: 'number', values: new Float64Array(given.rows).fill(Number.NaN) })
  return { ...given, columns }
}

describe('completed tables', () => {
  const models = trainModels(table, { ...linear, covariates: ['level', 'group'] })

  it('keep what was observed and have no gaps', () => {
    const completed = imputeTable(table, models, { draw: 1, seed: 3 })
    expect(completed.map(({ name }) => name)).toEqual(['group', 'level'])
    const column = table.columns.get('level')!
    const values = completed[1]!.values as Float64Array
    let missing = 0
    for (let row = 0; row < table.rows; row++) {
      const given = column.kind === 'number' ? column.values[row]! : Number.NaN
      if (Number.isNaN(given)) missing++
      else expect(values[row]).toBe(given)
    }
    expect(values.some(Number.isNaN)).toBe(false)
    expect(completed[1]!.filled).toBe(missing)
    expect(new Set(Array.from<unknown>(completed[0]!.values))).toEqual(new Set(['a', 'b', 'c']))
  })

  it('draw about the prediction with the spread of held-out errors, and anew by number', () => {
    const file = { format: 'primo-model', formatVersion: 1, models: [level] } as const
    const empty = blank(table)
    const [mean] = imputeTable(empty, file, PREDICT)
    const [one] = imputeTable(empty, file, { draw: 1, seed: 3 })
    const [two] = imputeTable(empty, file, { draw: 2, seed: 3 })
    expect(one!.values).not.toEqual(two!.values)
    expect(imputeTable(empty, file, { draw: 1, seed: 3 })[0]).toEqual(one)
    let square = 0
    for (let row = 0; row < table.rows; row++)
      square += ((one!.values[row] as number) - (mean!.values[row] as number)) ** 2
    // 900 draws: about 3% of it.
    expect(Math.sqrt(square / table.rows) / level.card.error).toBeGreaterThan(0.88)
    expect(Math.sqrt(square / table.rows) / level.card.error).toBeLessThan(1.12)
  })
})
