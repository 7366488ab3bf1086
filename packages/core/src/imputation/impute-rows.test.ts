import { Random } from '@primo/numeric'
import { describe, expect, test } from 'vitest'
import type { CovariateModel } from '../calibration/correction.js'
import { correctionBasis } from '../calibration/correction-basis.js'
import { encodingOf } from '../problem/encoding.js'
import { boolean, category, number } from '../problem/feature.js'
import { Observed, RoundTable } from '../rounds/round-table.js'
import { compileImputation } from './impute-row.js'
import { compileRowsImputation } from './impute-rows.js'

const column = { imputer: { kind: 'column' } } as const
const encoding = encodingOf({
  context: { x1: number({ min: -1, max: 1 }), x2: number({ min: -1, max: 1 }), x3: boolean() },
  covariates: {
    y: { ...number({ min: -1, max: 1 }), ...column },
    flag: { ...boolean(), ...column },
    kind: { ...category(['a', 'b', 'c']), ...column },
    other: { ...number({ min: 0, max: 1 }), ...column },
  },
  actions: ['a', 'b'],
  reward: { min: 0, max: 1 },
})
const random = Random.fromSeed(5)

function correction(kind: 'linear' | 'rich', columns: number): CovariateModel {
  const { columns: width } = correctionBasis(kind, encoding.context)
  const coefficients = Array.from({ length: columns }, () => Array.from({ length: width }, () => random.normal()))
  return { kind: 'correction', class: kind, coefficients }
}

const models: Readonly<Record<string, readonly (CovariateModel | null)[]>> = {
  corrections: [correction('rich', 1), correction('linear', 1), correction('linear', 3), correction('linear', 1)],
  'constants and pre-trained models': [{ kind: 'constant', values: [0.25] }, null, null, correction('rich', 1)],
}

describe('imputing rows together', () => {
  test.each(Object.entries(models))('gives the bits of imputing them one by one: %s', (_, list) => {
    const { contextWidth, covariateWidth } = encoding
    const table = new RoundTable({ contextWidth, covariateWidth, covariateCount: 4 })
    table.appendRows(200)
    const block = table.blocks[0]!
    for (const columns of [block.context, block.covariates, block.pretrained])
      for (let k = 0; k < columns.length; k++) columns[k] = 2 * random.uniform() - 1
    for (let k = 0; k < 800; k++) block.observed[k] = random.uniform() < 0.4 ? Observed.atDecision : Observed.missing
    // Models that had nothing to say.
    for (let row = 0; row < 200; row += 7)
      block.pretrained.fill(Number.NaN, row * covariateWidth, row * covariateWidth + 2)
    const rows = Int32Array.from({ length: 150 }, (_, i) => i + Math.floor(i / 3))
    for (const clip of ['range', 'none'] as const) {
      const expected = Float64Array.from(block.covariates)
      const one = compileImputation(encoding, list, clip)
      for (const row of rows) one(block, row, expected, row * covariateWidth)
      const found = Float64Array.from(block.covariates)
      compileRowsImputation(encoding, list, clip)(block, rows, rows.length, found)
      expect(found).toEqual(expected)
      expect(found).not.toEqual(block.covariates)
    }
  })
})
