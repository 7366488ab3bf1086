import { describe, expect, test } from 'vitest'
import { readTable } from '../src/tables/read-table.js'
import { parseInteractions, parseRange, type TableSpec } from '../src/tables/table-spec.js'
import { fileOf, refusal } from './table-files.fixture.js'

const spec: TableSpec = { context: ['x1', 'x2'], covariate: 'z' }

describe('checks of the spec', () => {
  test.each<[string, Partial<TableSpec>, string]>([
    ['the covariate in the context', { context: ['x1', 'z'] }, 'covariate must be a column that is not in context'],
    ['a column named twice', { context: ['x1', 'x1'] }, 'context must be distinct columns, got "x1"'],
    ['a reward that is a context', { rewards: ['x1'] }, 'rewards must be columns that nothing else uses, got "x1"'],
    ['means without rewards', { means: ['m0'] }, 'means must be one column per action (0), got "1"'],
    ['fewer means than rewards', { rewards: ['r0', 'r1'], means: ['m0'] }, 'means must be one column per action (2)'],
    ['an empty range', { rewardRange: [1, 1] }, 'rewardRange must be two finite numbers low,high with low < high'],
    ['a range of nothing', { ranges: { y: [0, 1] } }, 'ranges must be for columns of the context or the covariate'],
    ['a product of nothing', { interactions: [['z', 'y']] }, 'interactions must be products of the covariate and'],
    ['a product of one', { interactions: [['z']] }, 'interactions must be products of two or more columns, got "z"'],
  ])('refuse %s', async (_name, part, message) => {
    const error = await refusal(readTable(fileOf('x1,x2,z\n1,2,3\n'), { ...spec, ...part }))
    expect(error.code).toBe('invalid-option')
    expect(error.message).toContain(message)
  })

  test('read flags of the command line', () => {
    expect(parseInteractions('none')).toBe('none')
    expect(parseInteractions('z:x1,z:x2:x3')).toEqual([
      ['z', 'x1'],
      ['z', 'x2', 'x3'],
    ])
    expect(parseRange('--reward-range', '-0.3,1.3')).toEqual([-0.3, 1.3])
    for (const text of ['1', '1,0', 'a,b', '0,1,2', ',1', '0,']) {
      expect(() => parseRange('--reward-range', text)).toThrow('--reward-range must be two finite numbers')
    }
  })
})
