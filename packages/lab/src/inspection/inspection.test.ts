import { Random } from '@primo/numeric'
import { describe, expect, test } from 'vitest'
import { fileOf } from '../tables/table-files.fixture.js'
import { profileTable } from './profile-table.js'
import { profileText } from './profile-text.js'

/** 2,000 visits: dose is missing more often in Bern, lab together with it; age has a sentinel, income a few texts. */
function visits(): string {
  const random = Random.fromSeed(3)
  const lines = Array.from({ length: 2000 }, (_, k) => {
    const clinic = ['Bern', 'Basel', 'Chur'][Math.floor(3 * random.uniform())]!
    const missing = random.uniform() < (clinic === 'Bern' ? 0.6 : 0.2)
    const age = k % 50 === 0 ? '-999' : String(20 + Math.floor(60 * random.uniform()))
    const income = k % 100 === 1 ? 'unknown' : (1000 * (1 + random.uniform())).toFixed(1)
    const dose = missing ? 'NA' : random.uniform().toFixed(3)
    const lab = missing && k % 2 === 0 ? '' : random.uniform().toFixed(3)
    return [k, `p${k}`, age, clinic, income, dose, lab, '2024-03-05', 7, random.uniform(), random.uniform()].join(',')
  })
  return `,patient,age,clinic,income,dose,lab,visited,unit,r0,r1\n${lines.join('\n')}\n`
}

describe('profileTable', () => {
  test('says what columns hold, what is missing with what, what predicts it and what looks wrong', async () => {
    const profile = await profileTable(fileOf(visits()))
    expect(profile.rows).toBe(2000)
    expect(profile.unnamed).toEqual([1])
    const kinds = Object.fromEntries(profile.columns.map(({ name, kind }) => [name, kind]))
    expect(kinds).toEqual({
      patient: 'text',
      age: 'number',
      clinic: 'category',
      income: 'number',
      dose: 'number',
      lab: 'number',
      visited: 'date',
      unit: 'number',
      r0: 'number',
      r1: 'number',
    })
    expect(profile.suspicious).toEqual([
      { column: 'age', value: '-999', count: 40 },
      { column: 'income', value: 'unknown', count: 20 },
    ])
    const dose = profile.columns.find(({ name }) => name === 'dose')!
    expect(dose.markers).toEqual({ NA: dose.missing })
    const lab = profile.columns.find(({ name }) => name === 'lab')!
    const together = profile.patterns.filter(({ columns }) => columns.includes('dose') && columns.includes('lab'))
    expect(together.reduce((sum, { rows }) => sum + rows, 0)).toBe(lab.missing)
    const [best] = profile.predictors
    expect(best).toMatchObject({ column: 'dose', predictor: 'clinic' })
    expect(best!.auc).toBeGreaterThan(0.6)
    expect(profile.predictors.some(({ predictor }) => predictor === 'income')).toBe(false)
  })

  test('suggests a spec: rewards by name, covariates by what is missing, the rest context or left out', async () => {
    const { spec, leftOut } = await profileTable(fileOf(visits()))
    expect(spec).toMatchObject({
      context: ['clinic'],
      covariate: 'age',
      others: [{ covariate: 'income' }, { covariate: 'dose' }, { covariate: 'lab' }],
      rewards: ['r0', 'r1'],
    })
    expect(spec.na).toEqual(expect.arrayContaining(['NA', 'age=-999', 'income=unknown']))
    expect(leftOut.map(({ column }) => column)).toEqual(['patient', 'visited', 'unit'])
  })

  test('finds the prediction and the observed flag of one covariate', async () => {
    const lines = Array.from({ length: 40 }, (_, k) => `${k / 3},${k % 2},${k % 2 === 1 ? k / 7 : ''},${k / 8}`)
    const { spec } = await profileTable(fileOf(`x,b,z,gtilde\n${lines.join('\n')}\n`))
    expect(spec).toEqual({ context: ['x'], covariate: 'z', observed: 'b', prediction: 'gtilde' })
  })

  test('suggests neither treatment nor outcome, nor a copy of either, whatever it is named', async () => {
    const random = Random.fromSeed(5)
    const lines = Array.from({ length: 400 }, (_, k) => {
      const arm = random.integer(2)
      const got = random.uniform() < 0.3 + 0.2 * arm ? 1 : 0
      const cells = [
        k % 7,
        arm === 1 ? 'mail' : 'none',
        got,
        arm === 1 ? 'B' : 'A',
        got === 1 ? '2024-05-01' : '',
        3 * got,
      ]
      return [...cells, random.uniform() < 0.3 ? '' : random.uniform()].join(',')
    })
    const file = fileOf(`age,sent,visit,cell,cancelled,euros,z\n${lines.join('\n')}\n`)
    const { spec, leftOut } = await profileTable(file, { action: 'sent', reward: 'visit' })
    expect(spec).toMatchObject({ context: ['age'], covariate: 'z', action: 'sent', reward: 'visit' })
    expect(spec.after).toEqual(['cancelled', 'euros'])
    expect(leftOut).toContainEqual({ column: 'cell', why: 'it is sent in other words' })
    const named = await profileTable(fileOf('age,treatment,response,outcome_late,z\n1,a,1,2,\n2,b,0,1,3\n3,a,1,1,4\n'))
    expect(named.spec.context).toEqual(['age'])
    // "none" is an action here, no code of a missing one.
    expect(spec.na ?? []).not.toContain('sent=none')
    await expect(profileTable(file, { action: 'arm' })).rejects.toThrow('no column "arm" (action); the columns are age')
  })

  test('takes any table, and says so where nothing is missing or it is a log', async () => {
    const lines = Array.from(
      { length: 300 },
      (_, k) => `${k % 9 === 0 ? 'inf' : k},a${k},${k % 3},${((k * 37) % 300) / 300}`,
    )
    const profile = await profileTable(fileOf(`x,text,action,reward\n${lines.join('\n')}\n`))
    const text = profileText(profile)
    expect(text).toContain('34 values of x are "inf"')
    expect(text).toContain('Every row is one decision: action was chosen, reward came of it.')
    expect(profile.spec.covariate).toBe('x')
    const whole = await profileTable(fileOf('x,y\n1,2\n2,3\n3,5\n'))
    expect(profileText(whole)).toContain('Nothing is missing.')
    expect(profileText(whole)).toContain('name the covariate yourself')
    const empty = profileText(await profileTable(fileOf('x,z\n1,\n2,\n3,\n')))
    expect(empty).toContain('Nothing is missing in part: columns without values are of no use.')
  })
})
