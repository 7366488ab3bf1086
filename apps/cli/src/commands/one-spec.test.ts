// One spec, written by inspect, for every command that reads a table: codes stay missing, what comes after the decision is no input.

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Random } from '@primo/numeric'
import { describe, expect, test } from 'vitest'
import { primo, temporaryFolder } from '../primo.fixture.js'

const folder = temporaryFolder()
const at = (name: string) => join(folder, name)
const random = Random.fromSeed(11)
const lines = Array.from({ length: 1200 }, () => {
  const age = 20 + random.integer(60)
  const income = 1000 + 40 * age + 100 * random.normal()
  const offer = random.uniform() < 0.3 + age / 200 ? 'letter' : 'none'
  const renewed = random.uniform() < (offer === 'letter' ? 0.3 : 0.5) ? 'ja' : 'nein'
  const cell = random.uniform() < 0.2 ? -999 : income.toFixed(1)
  return [age, cell, offer, renewed, renewed === 'ja' ? 12 : 0].join(',')
})
const table = at('offers.csv')
writeFileSync(table, `age,income,offer,renewed,months_after\n${lines.join('\n')}\n`)
const spec = at('offers.spec.json')

describe('the spec that inspect writes', () => {
  test('has neither treatment nor outcome nor what follows from it among the inputs', async () => {
    const { code, stderr } = await primo('inspect', table, '--action', 'offer', '--reward', 'renewed', '--out', spec)
    expect(code, stderr).toBe(0)
    expect(JSON.parse(readFileSync(spec, 'utf8'))).toMatchObject({
      context: ['age'],
      covariate: 'income',
      action: 'offer',
      reward: 'renewed',
      labels: { renewed: { ja: 1, nein: 0 } },
      after: ['months_after'],
    })
    const unasked = await primo('inspect', table, '--json')
    expect(JSON.parse(unasked.stdout).spec.context).toEqual(['age'])
  })

  test('keeps -999 out of the incomes of evaluate', async () => {
    const log = at('offers.jsonl')
    const converted = await primo('convert', table, '--spec', spec, '--out', log)
    expect(converted.code, converted.stderr).toBe(0)
    const seen = 'income: seen in 8'
    expect(converted.stderr).toContain(seen)
    const rows = readFileSync(log, 'utf8').trim().split('\n')
    expect(rows.some((line) => JSON.parse(line)['covariate.income'] === -999)).toBe(false)
    const evaluate = ['evaluate', table, '--spec', spec, '--policy', 'fixed:none', '--replicates', '0']
    const { code, stdout, stderr } = await primo(...evaluate, '--behaviour', 'estimate')
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(/^fixed:none is better than what was played/)
    expect(stderr).toMatch(/income: seen in 8\d\.\d% of 1,200 rows, .*missing: 2\d\d "-999"/)
    const without = await primo(...evaluate)
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('add --behaviour estimate')])
  })

  test('trains on what is known when deciding, and warns of the rest', async () => {
    const train = ['train', table, '--spec', spec, '--classes', 'linear', '--folds', '2']
    const { code, stdout, stderr } = await primo(...train, '--json')
    expect(code, stderr).toBe(0)
    const [model] = JSON.parse(stdout).models
    expect(model.features.map(({ name }: { name: string }) => name)).toEqual(['age'])
    const warned = await primo(...train, '--features', 'age,months_after')
    expect(warned.stderr).toContain('months_after is known only after the decision')
  })

  test('hides from train and impute what its flags hide', async () => {
    const flagged = at('flagged.csv')
    const rows = Array.from({ length: 90 }, (_, k) => `${k % 9},${k % 3 === 0 ? 5000 : k % 9},${k % 3 === 0 ? 0 : 1}`)
    writeFileSync(flagged, `x,z,seen\n${rows.join('\n')}\n`)
    const roles = at('flagged.json')
    writeFileSync(roles, JSON.stringify({ context: ['x'], covariate: 'z', observed: 'seen' }))
    const model = at('flagged.model.json')
    const train = ['train', flagged, '--spec', roles, '--classes', 'linear', '--folds', '2', '--out', model]
    const { code, stderr } = await primo(...train)
    expect(code, stderr).toBe(0)
    expect(JSON.parse(readFileSync(model, 'utf8')).models[0].target).toEqual({ type: 'number', min: 1, max: 8 })
    const imputed = await primo('impute', flagged, '--spec', roles, '--model', model, '--out', at('full.csv'), '--json')
    expect(JSON.parse(imputed.stdout).filled).toEqual({ z: 30 })
  })

  test('is taken by doctor, import and fit', async () => {
    const store = `sqlite:${at('offers.db')}`
    for (const args of [
      ['doctor', table, '--spec', spec],
      ['import', '--table', `from '${table}'`, '--spec', spec, '--store', store, '--problem', 'offers'],
      ['fit', table, '--spec', spec, '--workers', '1'],
    ]) {
      const { stderr } = await primo(...args)
      expect(stderr, args[0]).toContain('income: seen in')
      expect(stderr, args[0]).not.toContain('primo:')
    }
  })
})

test('train refuses a folder that is not there before it trains', async () => {
  const out = at('models/income.json')
  const { code, stderr } = await primo('train', table, '--covariate', 'income', '--na', '-999', '--out', out)
  expect([code, stderr]).toEqual([
    2,
    `primo: --out must be in a folder that exists, got "${out}": make it first (mkdir -p ${at('models')})\n`,
  ])
})
