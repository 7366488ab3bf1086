import { Random } from '@primo/numeric'
import { describe, expect, test } from 'vitest'
import { calibratedColumns } from './calibrated-columns.js'
import { calibrated, codes, csvOf, makeRows, numberOf, reportOf, spec } from './calibrated-tables.fixture.js'
import { CalibrationFits } from './calibration-fit.js'
import type { CalibrationReport } from './calibration-report.js'
import { calibrationRows, isIn } from './calibration-rows.js'

describe('calibrateTable', () => {
  const rows = makeRows(6000)
  const content = csvOf(rows)
  const rare = csvOf(makeRows(2000).map((row, k) => ({ ...row, b: k % 50 === 0 ? 1 : 0 })))

  test('finds the error of the predictions over all rows, not only the observed ones, and removes it', async () => {
    const report = await reportOf(content)
    const { loss, correction } = report
    expect(report.n).toBe(6000)
    expect(report.observed).toBe(rows.filter(({ b }) => b === 1).length)
    // E (5 + 10 x1)^2 + 25/3 = 25 + 100/3 + 25/3; three standard errors.
    const truth = 25 + 100 / 3 + 25 / 3
    expect(Math.abs(loss.pretrained.mse!.value - truth)).toBeLessThan(3 * loss.pretrained.mse!.se)
    const bias = numberOf(loss.pretrained.bias)
    expect(Math.abs(bias.value - 5)).toBeLessThan(3 * bias.se)
    expect(Math.abs(loss.calibrated.mse!.value - 25 / 3)).toBeLessThan(3 * loss.calibrated.mse!.se + 0.05)
    expect(Math.abs(numberOf(loss.calibrated.bias).value)).toBeLessThan(3 * numberOf(loss.calibrated.bias).se)
    expect(loss.difference!.value).toBeLessThan(-40)
    expect(correction.kind).toBe('correction')
    expect(['linear', 'basis']).toContain(correction.rung)
    expect(correction.shrinkage).toBeGreaterThan(0.98)
    // sqrt(E (5 + 10 x1)^2)
    expect(correction.ball).toMatchObject({ delta0: null, active: false })
    expect(correction.ball.size).toBeCloseTo(Math.sqrt(25 + 100 / 3), 0)
    expect(report.diagnostics.rungs.map((rung) => rung.class)).toEqual(['bias', 'linear', 'basis'])
    const complete = rows.filter(({ b }) => b === 1)
    const naive = complete.reduce((sum, { z, g }) => sum + (z - g) ** 2, 0) / complete.length
    expect(naive - truth).toBeGreaterThan(3 * loss.pretrained.mse!.se)
  })

  test('reports the observation model with its weights', async () => {
    const { observation, diagnostics } = await reportOf(content, { class: 'linear' })
    expect(observation.kind).toBe('logit')
    // Inside, x1 runs over [-1, 1] nearly as outside.
    expect(observation.weights!.x1).toBeGreaterThan(1.3)
    expect(observation.weights!.x1).toBeLessThan(1.7)
    expect(observation.auc).toBeGreaterThan(0.65)
    expect(observation.brier).toBeLessThan(0.25)
    expect(observation.min).toBeGreaterThan(0.1)
    expect(observation.quantiles).toHaveLength(7)
    expect(observation.effectiveSampleSize).toBeGreaterThan(1500)
    expect(observation.effectiveSampleSize).toBeLessThan(3100)
    expect(observation.maxWeightShare).toBeLessThan(0.01)
    const x1 = diagnostics.balance.find(({ column }) => column === 'x1')!
    expect(x1.before).toBeGreaterThan(0.5)
    expect(Math.abs(x1.after)).toBeLessThan(0.1)
    expect(codes({ diagnostics } as CalibrationReport)).toEqual([])
  })

  test('gives curves that leave the diagonal before and follow it after', async () => {
    const { diagnostics } = await reportOf(content, { class: 'linear', bins: 8 })
    const { before, after } = diagnostics.calibrationCurve
    expect(before).toHaveLength(8)
    expect(after.reduce((sum, { count }) => sum + count, 0)).toBe(rows.filter(({ b }) => b === 1).length)
    expect(Math.max(...before.map(({ prediction, truth }) => Math.abs(prediction - truth)))).toBeGreaterThan(8)
    for (const { prediction, truth, se } of after) expect(Math.abs(prediction - truth)).toBeLessThan(4 * se)
  })

  test('bounds the elasticity for all rows and for the missing ones, and says the units', async () => {
    const { elasticity } = await reportOf(content, { class: 'linear' })
    expect(elasticity.units).toContain('squared units of z')
    // E (1 - b)(5 + 10 x1)^2 + P(b = 0) 25/3, by averaging over the very contexts.
    const expected =
      rows.reduce((sum, { x1 }) => sum + ((5 + 10 * x1) ** 2 + 25 / 3) / (1 + Math.exp(1.5 * x1)), 0) / rows.length
    const { all, missing } = elasticity.pretrained
    expect(missing!.low).toBeLessThan(expected)
    expect(missing!.high).toBeGreaterThan(expected)
    expect(missing!.high).toBeLessThan(all!.low)
    expect(elasticity.calibrated.all!.high).toBeLessThan(all!.low)
  })

  test('estimates the constants of the theorems in the units of the covariate', async () => {
    const { constants } = await reportOf(content, { class: 'linear' })
    // g~ is off by 5 + 10 x1, x1 uniform on [-1, 1]; the noise is uniform on [-5, 5].
    const { delta0, omega0, tau } = constants!
    for (const [found, truth] of [
      [delta0, Math.sqrt(25 + 100 / 3)],
      [omega0, Math.sqrt(25 / 3)],
    ] as const) {
      expect(found.low!).toBeLessThan(1.02 * truth)
      expect(found.high!).toBeGreaterThan(0.98 * truth)
      expect(found.high! - found.low!).toBeLessThan(0.2 * truth)
    }
    expect(tau).toBeGreaterThan(4.8)
    expect(tau).toBeLessThan(6)
  })

  test('gives no interval where too little is seen, and says why', async () => {
    const { elasticity, constants, notes } = await reportOf(rare, { class: 'bias' })
    expect(elasticity.pretrained).toEqual({ all: null, missing: null })
    expect(constants!.delta0.high).toBeNull()
    expect(notes.join('\n')).toContain('elasticity and constants have no intervals: fewer than 80 values')
  })

  test('judges every row by fits that its fold had no part in', async () => {
    const { calibration } = await calibrated(
      csvOf(makeRows(800, { seed: 5 })),
      {},
      { ...spec, ranges: { z: [0, 300] } },
    )
    const { encoded } = calibration
    const plain = calibrationRows(encoded, Random.fromSeed(1))
    // Everything that is known about the first fold's covariate is turned into something else.
    const other = { ...plain, truth: plain.truth.slice(), known: plain.known.slice() }
    for (let row = 0; row < plain.count; row++) {
      if (!isIn(0b0011, plain, row)) continue
      other.known[row] = 1 - plain.known[row]!
      other.truth[row] = Math.sin(row)
    }
    const settings = { observation: {}, weights: 'ipw', shrinkage: 'power', radius: 0.05 } as const
    const fits = [plain, other].map((rows) => new CalibrationFits(rows, encoded.encoding, settings, Random.fromSeed(2)))
    for (const kind of ['bias', 'linear', 'basis'] as const) {
      const [a, b] = fits.map((fit) => fit.heldOut(kind))
      const [e, f] = fits.map((fit) => fit.heldOutProbabilities())
      let changed = 0
      for (let row = 0; row < plain.count; row++) {
        const same = a![row] === b![row] && e![row] === f![row]
        if (!same && isIn(0b0011, plain, row)) throw new Error(`row ${row} was judged by its own fold`)
        if (!same) changed++
      }
      expect(changed).toBeGreaterThan(390)
    }
  })

  test('chooses no correction where there is nothing to correct, and warns when one was asked for', async () => {
    const good = csvOf(makeRows(3000, { error: 0, seed: 8 }))
    const auto = await reportOf(good)
    expect(auto.correction).toMatchObject({ kind: 'none', rung: null, model: null })
    expect(codes(auto)).toContain('no-correction')
    expect(auto.loss.calibrated).toEqual(auto.loss.pretrained)
    const asked = await reportOf(good, { class: 'basis', shrinkage: 'none' })
    expect(asked.correction.rung).toBe('basis')
    expect(codes(asked)).toContain('not-better')
    // Power tuning keeps most of a useless correction out.
    const tuned = await reportOf(good, { class: 'basis' })
    expect(tuned.correction.shrinkage).toBeLessThan(0.5)
    expect(tuned.loss.difference!.value).toBeLessThan(asked.loss.difference!.value)
  })

  test('holds the correction inside the ball of radius delta0, in the units of z', async () => {
    const report = await reportOf(content, { class: 'linear', delta0: 2, shrinkage: 'none' })
    expect(report.correction.ball.delta0).toBe(2)
    expect(report.correction.ball.active).toBe(true)
    expect(report.correction.ball.size).toBeLessThanOrEqual(2.001)
    expect(report.correction.ball.size).toBeGreaterThan(1.9)
    expect(codes(report)).toContain('ball-active')
  })

  test('is a function of the table, the options and the seed', async () => {
    const small = csvOf(rows.slice(0, 400))
    const report = await reportOf(small, { seed: 3 })
    expect(await reportOf(small, { seed: 3 })).toEqual(report)
    expect(await reportOf(small, { seed: 4 })).not.toEqual(report)
    expect(JSON.parse(JSON.stringify(report))).toEqual(report)
  })

  test('never sees a value that is flagged missing', async () => {
    const few = makeRows(300)
    const clean = await calibrated(csvOf(few, ({ z }) => String(z)))
    const dirty = await calibrated(csvOf(few, (_, k) => String(1e6 * Math.sin(k))))
    expect(JSON.stringify(dirty.calibration.report)).toBe(JSON.stringify(clean.calibration.report))
    expect(calibratedColumns(dirty.calibration)).toEqual(calibratedColumns(clean.calibration))
  })
})
