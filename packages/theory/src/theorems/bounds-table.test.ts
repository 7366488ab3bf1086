import { expect, test } from 'vitest'
import { boundsTable, type ProblemConstants } from './bounds-table.js'
import { theorem2Epoch } from './theorem-2.js'

const problem: ProblemConstants = {
  actions: 5,
  lambda: 0.3,
  elasticity: { printed: 0.012262, missingOnly: 0.00596 },
  lipschitz: 0.38764,
  omega0: 0.288722,
  etaBound: 0.5,
  delta0: 0.28737,
  floor: 0.1,
  entropyExponent: 1,
  rewardClass: { kind: 'linear', dimension: 45 },
  observationClass: { kind: 'linear', dimension: 6 },
}

test('has one row per theorem, formula and epoch up to the horizon, and one regret bound each', () => {
  const table = boundsTable(problem, 2 ** 17)
  expect(table.epochs).toHaveLength(2 * 2 * 16)
  expect(table.regret.map(({ theorem, formulas }) => `${theorem} ${formulas}`)).toEqual([
    '2 printed',
    '2 corrected',
    '4 printed',
    '4 corrected',
  ])
  for (const theorem of [2, 4]) {
    const rounds = table.epochs.filter((row) => row.theorem === theorem && row.formulas === 'printed')
    expect(rounds.reduce((sum, row) => sum + row.rounds, 0)).toBe(2 ** 17 - 2)
  }
  expect(JSON.parse(JSON.stringify(table))).toEqual(table)
})

test('shows the gammas of the reference runs in its last epoch and names the largest term', () => {
  const table = boundsTable(problem, 2 ** 17)
  const find = (theorem: number, formulas: string) =>
    table.epochs.find((row) => row.theorem === theorem && row.formulas === formulas && row.epoch === 17)!
  expect(find(2, 'printed').gamma.toFixed(2)).toBe('0.27')
  expect(find(4, 'printed').gamma.toFixed(2)).toBe('0.14')
  expect(find(2, 'printed').largest).toBe('oracle')
  const byHand = theorem2Epoch({
    epoch: 17,
    actions: 5,
    lambda: 0.3,
    delta: 0.05,
    elasticity: 0.00596,
    rewardRadius: 16 * Math.sqrt(45 / 2 ** 15),
  })
  expect(find(2, 'corrected').Gamma).toBeCloseTo(byHand.Gamma, 12)
})

test('works for every class that has a radius', () => {
  const classes = [
    { kind: 'lipschitz', lipschitz: 1, xDim: 3 },
    { kind: 'convex-lipschitz', lipschitz: 1 },
    { kind: 'twice-differentiable', bound: 1 },
    { kind: 'entropy', entropyExponent: 2 },
    { kind: 'ellipsoid', eigenvalues: [1, 0.1, 0.01] },
  ] as const
  for (const rewardClass of classes) {
    const table = boundsTable({ ...problem, rewardClass, covariateClass: rewardClass }, 300)
    for (const row of table.epochs) expect(row.gamma).toBeGreaterThan(0)
  }
})

test('bad input is refused', () => {
  expect(() => boundsTable(problem, 0)).toThrow('horizon must be a whole number >= 1, got 0')
  expect(() => boundsTable({ ...problem, floor: -1 }, 10)).toThrow('floor must be in (0, 1], got -1')
  expect(() => boundsTable({ ...problem, rewardClass: { kind: 'linear', dimension: 0 } }, 10)).toThrow(
    'dimension must be a finite number > 0, got 0',
  )
})
