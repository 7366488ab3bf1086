// The real-data studies. Tables that are not in this repository are looked for where the studies look; without them
// those tests are skipped, and say so.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { memoryTable } from '@primo/lab/node'
import { afterAll, describe, expect, test } from 'vitest'
import { fitPredictor } from './linear-predictor.js'
import { dataFile } from './study-data.js'
import { replay, warfarin, warfarinTable } from './warfarin.js'
import { clinicalDose, doseClass, filled, pharmacogeneticDose, shareRight } from './warfarin-doses.js'
import { readPatients } from './warfarin-patients.js'

const folder = mkdtempSync(join(tmpdir(), 'primo-data-'))
afterAll(() => rmSync(folder, { recursive: true }))

const columns = [
  'Race',
  'Age',
  'Height (cm)',
  'Weight (kg)',
  'Carbamazepine (Tegretol)',
  'Phenytoin (Dilantin)',
  'Rifampin or Rifampicin',
  'Amiodarone (Cordarone)',
  'Therapeutic Dose of Warfarin',
  'CYP2C9 consensus',
  'VKORC1 -1639 consensus',
  'VKORC1 2255 consensus',
  'VKORC1 1173 consensus',
  'VKORC1 1542 consensus',
]

describe('warfarin patients', () => {
  const file = join(folder, 'made-up.csv')
  writeFileSync(
    file,
    `\ufeff${columns.join(',')}
Asian,60 - 69,160,55,0,NA,1,1,20,*1/*3,A/G,T/T,C/C,C/C
Black or African American,40 - 49,NA,90,0,0,0,0,50,NA,NA,T/T,C/T,C/C
Unknown,NA,180,NA,NA,NA,NA,NA,21,*1/*1,NA,T/T,NA,C/C
White,90+,150,50,0,0,0,0,NA,*1/*1,G/G,C/C,C/C,G/G

`,
  )
  const patients = readPatients(file)

  test('are those with a dose; linked markers count in order and only where they may', () => {
    expect(patients).toHaveLength(3)
    expect(patients.map(({ race }) => race)).toEqual(['Asian', 'Black', 'other'])
    expect(patients.map(({ alleles }) => alleles)).toEqual([1, null, null])
    // Asian: 2255 first. Black: 1173 alone may be used. Unknown: neither 2255 nor 1542 may.
    expect(patients.map(({ linked }) => linked)).toEqual([2, 1, null])
    expect(patients[0]).toMatchObject({ age: 6, inducer: true, amiodarone: true, cyp2c9: '*1/*3' })
    expect(filled(patients).map(({ age, height, weight }) => [age, height, weight])).toEqual([
      [6, 160, 55],
      [4, 170, 90],
      [5, 180, 72.5],
    ])
  })

  test('get doses by the published equations and classes by both conventions', () => {
    const [asian] = filled(patients)
    const clinical = 4.0376 - 0.2546 * 6 + 0.0118 * 160 + 0.0134 * 55 - 0.6752 + 1.2799 - 0.5695
    expect(clinicalDose(asian!)).toBeCloseTo(clinical ** 2, 10)
    const known = 5.6044 - 0.2614 * 6 + 0.0087 * 160 + 0.0128 * 55 - 0.8677 - 0.9357 - 0.1092 + 1.1816 - 0.5503
    expect(pharmacogeneticDose(asian!, 1)).toBeCloseTo(known ** 2, 10)
    expect(pharmacogeneticDose(asian!, null)).toBeCloseTo((known + 0.8677 - 0.4854) ** 2, 10)
    expect([20, 21, 49, 50].map((dose) => doseClass(dose, 'i'))).toEqual([0, 1, 1, 2])
    expect([20, 21, 49, 50].map((dose) => doseClass(dose, 'ii'))).toEqual([0, 0, 2, 2])
  })
})

describe('replays of a classification table', () => {
  test('give the shares of right choices of uniform play exactly', () => {
    const rows = 320
    const right = Float64Array.from({ length: rows }, (_, k) => Number(k % 4 !== 0))
    const withPredictions = memoryTable('made up', {
      x: Float64Array.from({ length: rows }, (_, k) => k % 7),
      z: Float64Array.from({ length: rows }, (_, k) => (k % 5 === 0 ? Number.NaN : k % 3)),
      regression: new Float64Array(rows).fill(1),
      linked: new Float64Array(rows).fill(1),
      yes: right,
      no: right.map((one) => 1 - one),
    })
    const spec = { context: ['x'], covariate: 'z', rewards: ['yes', 'no'], rewardRange: [0, 1] } as const
    const { uniform } = replay({ table: withPredictions, spec }, 1)
    expect(uniform!['part 16']).toBeCloseTo(0.5, 12)
    expect(uniform!.all).toBeCloseTo(0.5, 12)
    expect(uniform!.last).toBeCloseTo(0.5, 12)
  })

  test('a linear predictor finds a linear law', () => {
    const features = Array.from({ length: 5000 }, (_, k) => [Math.sin(k), Math.cos(3 * k)])
    const predict = fitPredictor(
      features,
      features.map(([a, b]) => 1 + 2 * a! - b!),
    )
    expect(predict([0.5, 0.5])).toBeCloseTo(1.5, 2)
  })
})

describe('a study without its table', () => {
  test.each([warfarin])('$name is passed over and says why', async (study) => {
    const before = process.env.PRIMO_DATA
    process.env.PRIMO_DATA = join(folder, 'nothing here')
    try {
      const result = await study.run({ scale: 'quick', seed: 1 })
      expect(result.conclusion).toMatch(/^Passed over: the table .*PRIMO_DATA/)
      expect(result.verdicts).toEqual([])
    } finally {
      if (before === undefined) delete process.env.PRIMO_DATA
      else process.env.PRIMO_DATA = before
    }
  })
})

describe('the tables, where they are', () => {
  const patients = dataFile('warfarin', 'warfarin.csv')
  test.skipIf(patients === null)('warfarin: the references give their known shares', () => {
    const all = filled(readPatients(patients!))
    expect(all).toHaveLength(5528)
    const shares = [() => 35, clinicalDose, (one: (typeof all)[number]) => pharmacogeneticDose(one, one.alleles)].map(
      (dose) => 100 * shareRight(all, dose, 'i'),
    )
    for (const [k, known] of [61.2, 64.3, 67.8].entries()) expect(Math.abs(shares[k]! - known)).toBeLessThan(0.3)
    const { table, spec } = warfarinTable(all, 3, 'i')
    expect(table.rows).toBe(5528 - 552)
    expect(spec.rewards).toEqual(['low', 'medium', 'high'])
  })
})
