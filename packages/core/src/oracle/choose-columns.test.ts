import { emptySums, Random, type Sums } from '@primo/numeric'
import { describe, expect, it } from 'vitest'
import { chooseColumns } from './choose-columns.js'
import { centredGrams, columnGain, eliminate, residualLeft, squareLeft } from './column-evidence.js'

interface World {
  readonly rows: number
  readonly actions: number
  /** By action: of [1, x, z, zx, xx, zz]. */
  readonly theta: readonly (readonly number[])[]
  readonly noise: number
}

const FEATURES = 6
const BASE = 3
const ALIKE = [3, 3, 3]

/** Rows [features, reward] by action; x and z uniform on [-1, 1]. */
function draw({ rows, actions, theta, noise }: World, seed: number): number[][][] {
  const random = Random.fromSeed(seed)
  const made: number[][][] = Array.from({ length: actions }, () => [])
  for (let i = 0; i < rows; i++) {
    const x = 2 * random.uniform() - 1
    const z = 2 * random.uniform() - 1
    const phi = [1, x, z, z * x, x * x, z * z]
    const a = i % actions
    const mean = phi.reduce((sum, value, k) => sum + value * theta[a]![k]!, 0)
    made[a]!.push([...phi, mean + noise * random.normal()])
  }
  return made
}

function sumsOf(rows: readonly (readonly number[])[]): Sums {
  const sums = emptySums(FEATURES)
  const width = FEATURES + 1
  for (const row of rows) {
    sums.count++
    sums.weight++
    for (let i = 0; i < width; i++)
      for (let j = i; j < width; j++) sums.gram[i * width + j] = sums.gram[i * width + j]! + row[i]! * row[j]!
  }
  return sums
}

const choose = (world: World, seed: number, sure = false) =>
  chooseColumns({
    sums: draw(world, seed).map(sumsOf),
    numbers: [false, true, true],
    alike: ALIKE,
    ridge: 0.05,
    mean: 0,
    sure,
  })

/** ln det and quadratic form of I + X diag(1/ridges) X', by elimination on n x n numbers. */
function naiveEvidence(rows: readonly (readonly number[])[], columns: readonly number[], ridges: readonly number[]) {
  const matrix = rows.map((one, i) => [
    ...rows.map(
      (two, j) => (i === j ? 1 : 0) + columns.reduce((sum, c, k) => sum + (one[c]! * two[c]!) / ridges[k]!, 0),
    ),
    one[FEATURES]!,
  ])
  let logDeterminant = 0
  let form = 0
  const n = rows.length
  for (let k = 0; k < n; k++) {
    const pivot = matrix[k]![k]!
    logDeterminant += Math.log(pivot)
    form += matrix[k]![n]! ** 2 / pivot
    for (let i = k + 1; i < n; i++) {
      const share = matrix[i]![k]! / pivot
      for (let j = k; j <= n; j++) matrix[i]![j]! -= share * matrix[k]![j]!
    }
  }
  return { logDeterminant, form }
}

describe('the evidence of a column', () => {
  it('is that of the Gaussian model written out over all rows', () => {
    const world: World = {
      rows: 40,
      actions: 2,
      theta: [
        [0.5, 1, 0, 1, 0, 0],
        [0.5, 0, 1, -1, 0, 0],
      ],
      noise: 0.5,
    }
    const rows = draw(world, 3)
    const grams = centredGrams(rows.map(sumsOf), 0)
    const ridges = [0.05, 0.7, 1.3]
    for (const [k, ridge] of ridges.entries()) eliminate(grams, k, ridge, k + 1)
    const t = 0.8
    const evidence = (columns: readonly number[], own: readonly number[]) => {
      const parts = rows.map((list) => naiveEvidence(list, columns, own))
      const form = parts.reduce((sum, part) => sum + part.form, 0)
      return { form, value: -20 * Math.log(form) - parts.reduce((sum, part) => sum + part.logDeterminant, 0) / 2 }
    }
    const without = evidence([0, 1, 2], ridges)
    const withIt = evidence([0, 1, 2, 3], [...ridges, 1 / t])
    expect(residualLeft(grams)).toBeCloseTo(without.form, 9)
    expect(columnGain(grams, 3, t, residualLeft(grams))).toBeCloseTo(withIt.value - without.value, 9)
    expect(squareLeft(grams, 3)).toBeGreaterThan(0)
  })
})

describe('the choice of columns', () => {
  const noise = 0.3
  // Six standard errors of the smaller coefficient: missed less than once in 1,000 runs.
  const asked: World = {
    rows: 900,
    actions: 3,
    noise,
    theta: [
      [0.5, 0.2, 0.1, 0.4, 0, 0],
      [0.5, 0, 0.3, -0.4, 0, 0],
      [0.4, 0, 0, 0.4, 0, 0],
    ],
  }
  const plain: World = { ...asked, theta: asked.theta.map((theta) => theta.map((value, k) => (k < BASE ? value : 0))) }

  it('takes the product that is there', () => {
    for (let seed = 1; seed <= 20; seed++) expect(choose(asked, seed).columns).toContain(3)
  })

  it('leaves out products that are not there, but for a few', () => {
    // With three candidates one run in 50 takes any: 20 of 200 come by chance less than once in a million.
    let runs = 0
    for (let seed = 1; seed <= 200; seed++) if (choose({ ...plain, rows: 4500 }, seed).columns.length > BASE) runs++
    expect(runs).toBeLessThan(20)
  })

  it('takes a product that is in doubt for a part only', () => {
    // Of z x, of x x and of z z: mean squares of the three, around what the others say of them.
    const spreads = [1 / 9, 4 / 45, 4 / 45]
    let taken = 0
    let mostly = 0
    for (let seed = 1; seed <= 200; seed++) {
      const { columns, ridges } = choose(plain, seed)
      const parts = columns.slice(BASE).map((column, k) => {
        const square = (plain.rows / plain.actions) * spreads[column - BASE]!
        return square / (square + ridges[BASE + k]!)
      })
      if (parts.length > 0) taken++
      if (parts.some((part) => part > 0.5)) mostly++
    }
    expect(taken).toBeGreaterThan(40)
    const runs = Array.from({ length: 200 }, (_, seed) => choose(plain, seed + 1, true))
    expect(runs.filter(({ columns }) => columns.length > BASE).length).toBeLessThan(20)
    expect(mostly).toBeLessThan(20)
    const sure = choose(asked, 1)
    expect(sure.ridges[sure.columns.indexOf(3)]!).toBeLessThan(1)
  })

  it('always keeps the plain columns and shrinks them more where there is nothing to learn', () => {
    // Twenty coefficients: what they say together outweighs the quarter that is expected.
    const ten = (theta: (action: number) => readonly number[]): World => ({
      ...plain,
      actions: 10,
      theta: Array.from({ length: 10 }, (_, a) => theta(a)),
    })
    const nothing = ten(() => [0.5, 0, 0, 0, 0, 0])
    const much = ten((a) => [0.5, a % 2 === 0 ? 1 : -1, a % 3 === 0 ? 1 : -1, 0, 0, 0])
    const none = choose(nothing, 5)
    const some = choose(much, 5)
    expect(none.columns.slice(0, BASE)).toEqual([0, 1, 2])
    expect(none.ridges[1]!).toBeGreaterThan(10 * some.ridges[1]!)
    expect(none.wide[1]!).toBeLessThan(none.ridges[1]!)
  })

  it('expects a quarter of the noise where few rows say nothing', () => {
    const few: World = { ...plain, rows: 9, theta: plain.theta.map(() => [0.5, 0, 0, 0, 0, 0]) }
    const shares = Array.from({ length: 100 }, (_, seed) => {
      const rows = draw(few, seed + 1)
      const grams = centredGrams(rows.map(sumsOf), 0)
      eliminate(grams, 0, 0.05, 1)
      return (4 * squareLeft(grams, 1)) / few.rows / choose(few, seed + 1).ridges[1]!
    })
    // Of 100 such samples the evidence alone would choose another unit in most.
    expect(shares.filter((share) => Math.abs(share - 1) < 1e-9).length).toBeGreaterThan(90)
  })

  it('does not depend on the units of the rewards', () => {
    const sums = draw(asked, 7)
    const inUnits = (unit: number) =>
      chooseColumns({
        sums: sums.map((rows) => sumsOf(rows.map((row) => row.map((v, k) => (k === FEATURES ? v * unit : v))))),
        numbers: [false, true, true],
        alike: ALIKE,
        ridge: 0.05,
        mean: 0,
        sure: false,
      })
    expect(inUnits(2 ** -10)).toEqual(inUnits(1))
  })

  it('takes nothing from no rows', () => {
    const empty = chooseColumns({
      sums: [emptySums(FEATURES)],
      numbers: [false, true, true],
      alike: ALIKE,
      ridge: 0.05,
      mean: 0,
      sure: false,
    })
    expect(empty.columns).toEqual([0, 1, 2])
    expect(empty.ridges.every((ridge) => ridge > 0)).toBe(true)
  })
})
