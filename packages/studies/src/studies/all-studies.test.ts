// Every study runs at a tiny size and gives finite figures; what its verdicts say there does not matter.

import type { StudyOptions } from '@primo/lab/node'
import { expect, test } from 'vitest'
import { studies } from './catalog.js'

/** `theory` runs in its own test, `warfarin` where its table is. */
const TINY: Readonly<Record<string, Pick<StudyOptions, 'size' | 'worlds'>>> = {
  reference: { size: { rounds: 256, repeats: 2 } },
  'oracle-inequality': { size: { lastExponent: 10, repeats: 2, fresh: 2048 } },
  'regret-elasticity': { size: { rounds: 128, repeats: 2, draws: 1024 } },
  'calibration-rate': {
    size: { linearExponent: 10, repeats: 2, sobolevExponent: 10, sobolevRepeats: 2, ballRows: 256 },
  },
  'calibrated-regret': { size: { lastExponent: 10, repeats: 2 } },
  gamma: { size: { rounds: 128, repeats: 2 } },
  baselines: { size: { rounds: 128, repeats: 2 } },
  mechanisms: { size: { rounds: 128, repeats: 2 } },
  'function-classes': { size: { repeats: 2, rounds: 64, rateRepeats: 2, otherRepeats: 1, lastExponent: 9 } },
  strangers: {
    size: { rounds: 200, repeats: 2, longRounds: 300, longRepeats: 2 },
    worlds: [
      'three covariates',
      'ranges as they are',
      'context 10x',
      'dosing',
      'rare action',
      'rewards late by 200',
      'sure .02, or 1 at .03, long',
    ],
  },
  ablation: { size: { rounds: 128, repeats: 2 } },
  audit: { size: { rounds: 128, repeats: 2 } },
  bounds: { size: { repeats: 2, most: 3000 } },
  asking: { size: { rounds: 512, repeats: 2 }, worlds: ['MNAR+4'] },
  drift: { size: { rounds: 256, repeats: 2 } },
  callers: { size: { rounds: 256, repeats: 2, callers: 100 } },
  'late-rewards': { size: { repeats: 2, missingRounds: 100, lateRounds: 3100 } },
  ensemble: { size: { rounds: 128, repeats: 2 } },
  evaluation: { size: { repeats: 2, rows: 300, replicates: 10 } },
  'adaptive-logs': { size: { repeats: 2, rows: 60 } },
  promotion: { size: { repeats: 2, repeatsWithoutGain: 2, rows: 100 } },
  behaviour: { size: { repeats: 2, mostRows: 500 } },
  intervals: {
    size: { repeats: 2, mostRows: 600, logs: 4, runs: 1 },
    worlds: ['straight, 600 rows, 50% observed', 'peaked log, 2,000 rows', 'environment A'],
  },
}

test('every study is listed here', () => {
  expect([...Object.keys(TINY), 'theory', 'warfarin'].toSorted()).toEqual(studies.map(({ name }) => name).toSorted())
})

test.each(Object.keys(TINY))('%s runs small', async (name) => {
  const study = studies.find((one) => one.name === name)!
  const result = await study.run({ scale: 'quick', seed: 1, workers: 1, ...TINY[name] })
  expect(result.tables.length).toBeGreaterThan(0)
  for (const { header, rows } of result.tables) {
    expect(rows.length).toBeGreaterThan(0)
    for (const row of rows) expect(row).toHaveLength(header.length)
  }
  for (const { series } of result.plots)
    for (const { points } of series)
      for (const point of points) for (const value of Object.values(point)) expect(value).toSatisfy(Number.isFinite)
  expect(result.verdicts.length).toBeGreaterThan(0)
  for (const { sentence } of result.verdicts) expect(sentence).toMatch(/\.$/)
  expect(JSON.stringify(result)).not.toMatch(/NaN|Infinity|undefined/)
})
