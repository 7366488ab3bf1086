import { PrimoError, Random } from '@primo/numeric'
import { describe, expect, test } from 'vitest'
import type { RunRow } from '../runs/run-row.js'
import { studentDistribution, studentQuantile } from '../statistics/student-t.js'
import { quantile } from '../statistics/summarise.js'
import { comparePaired } from './comparison.js'
import { findings } from './findings.js'
import { formatEstimate, formatEstimates, formatInterval, formatTick } from './number-format.js'
import { range, syntheticRows } from './report-rows.fixture.js'
import { summariseRun } from './summary.js'
import { summaryCsv, summaryMarkdown, summaryText } from './tables.js'

const rows = syntheticRows({ seeds: range(1, 7), rounds: 4096, noise: 3 })
const rowsOf = (policy: string, all: readonly RunRow[] = rows) => all.filter((row) => row.policy === policy)

function row(policy: string, seed: number, regret: number | null, more: Partial<RunRow> = {}): RunRow {
  return {
    scenario: 's',
    policy,
    seed,
    rounds: 8,
    regret,
    floor: null,
    reward: 1,
    checkpoints: [],
    epochs: [],
    ...more,
  }
}

describe('summary', () => {
  test('agrees with a naive recomputation', () => {
    const [scenario] = summariseRun(rows).scenarios
    expect(scenario).toMatchObject({ scenario: 'A', rounds: 4096, measure: 'regret', reference: 'primo' })
    expect(scenario!.policies).toHaveLength(9)
    for (const policy of scenario!.policies) {
      const runs = rowsOf(policy.policy)
      const n = runs.length
      const mean = (f: (row: RunRow) => number) => {
        let sum = 0
        for (const run of runs) sum += f(run)
        return sum / n
      }
      const error = (f: (row: RunRow) => number) =>
        Math.sqrt(((mean((r) => f(r) ** 2) - mean(f) ** 2) * n) / (n - 1) / n)
      const at = (run: RunRow, t: number) => run.checkpoints.find(({ rounds }) => rounds === t)!
      expect(policy.runs).toBe(7)
      expect(policy.regret!.mean).toBeCloseTo(
        mean((r) => r.regret!),
        9,
      )
      expect(policy.regret!.standardError).toBeCloseTo(
        error((r) => r.regret!),
        5,
      )
      expect(policy.excess!.mean).toBeCloseTo(
        mean((r) => r.regret! - r.floor!),
        9,
      )
      expect(policy.excess!.standardError).toBeCloseTo(
        error((r) => r.regret! - r.floor!),
        5,
      )
      expect(policy.reward.mean).toBeCloseTo(
        mean((r) => r.reward),
        9,
      )
      expect(policy.lastHalf!.from).toBe(2048)
      expect(policy.lastHalf!.mean).toBeCloseTo(
        mean((r) => (r.regret! - at(r, 2048).regret) / 2048),
        12,
      )
      // With equally spaced x the least-squares slope over five points is (2 y5 + y4 - y2 - 2 y1) / 10 steps.
      const logs = [256, 512, 1024, 2048, 4096].map((t) => Math.log2(mean((r) => at(r, t).regret)))
      expect(policy.slope).toBeCloseTo((2 * logs[4]! + logs[3]! - logs[1]! - 2 * logs[0]!) / 10, 9)
      const sorted = runs.map((r) => r.regret!).sort((a, b) => a - b)
      // Position (7 - 1) 0.95 = 5.7 counted from zero.
      expect(policy.p95).toBeCloseTo(0.3 * sorted[5]! + 0.7 * sorted[6]!, 9)
    }
    const order = scenario!.policies.map(({ regret }) => regret!.mean)
    expect(order).toEqual([...order].sort((a, b) => a - b))
  })

  test('finds the exponent of a power and of the excess over a floor', () => {
    const exact = syntheticRows({
      policies: [{ name: 'p', scale: 2, power: 0.5 }],
      noise: 0,
      seeds: [1, 2],
      floor: 0.01,
    })
    const policy = summariseRun(exact).scenarios[0]!.policies[0]!
    expect(policy.excessSlope).toBeCloseTo(0.5, 9)
    expect(policy.slope).toBeGreaterThan(0.7)
    expect(policy.slope).toBeLessThan(1)
  })

  test('gives no slope of an excess that is not positive', () => {
    const policy = summariseRun(rows).scenarios[0]!.policies[0]!
    expect(policy.policy).toBe('sees all values')
    expect(policy.excess!.mean).toBeLessThan(0)
    expect(policy.excessSlope).toBeNull()
  })

  test('does not depend on the order of the rows and survives JSON', () => {
    const order = Random.fromSeed(5).permutation(rows.length)
    const shuffled = [...order].map((i) => rows[i]!)
    const summary = summariseRun(rows)
    expect(summariseRun(shuffled)).toEqual(summary)
    expect(JSON.parse(JSON.stringify(summary))).toEqual(summary)
  })

  test('states no error from one seed', () => {
    const { policies, comparisons } = summariseRun(rows.filter(({ seed }) => seed === 3)).scenarios[0]!
    for (const policy of policies) expect(policy.regret!.standardError).toBeNull()
    for (const pair of comparisons) {
      expect(pair).toMatchObject({ pairs: 1, standardError: null, interval: null, ratioInterval: null })
    }
  })

  test('compares rewards where the regret is unknown', () => {
    const blind = rows.map((row) => ({ ...row, regret: null, checkpoints: [] }))
    const scenario = summariseRun(blind).scenarios[0]!
    expect(scenario.measure).toBe('reward')
    for (const { regret, slope, lastHalf, p95, excess } of scenario.policies) {
      expect([regret, slope, lastHalf, p95, excess]).toEqual([null, null, null, null, null])
    }
    const means = scenario.policies.map(({ reward }) => reward.mean)
    expect(means).toEqual([...means].sort((a, b) => b - a))
    const pair = scenario.comparisons.find(({ policy }) => policy === 'primo-cal')!
    const naive = rowsOf('primo-cal').reduce((sum, { reward }, i) => sum + reward - rowsOf('primo')[i]!.reward, 0) / 7
    expect(pair.difference).toBeCloseTo(naive, 6)
  })

  test('pairs on the seeds that both policies have', () => {
    const some = rows.filter(({ policy, seed }) => policy !== 'primo' || seed % 2 === 1)
    const pair = summariseRun(some).scenarios[0]!.comparisons.find(({ policy }) => policy === 'primo-cal')!
    const odd = (policy: string) => rowsOf(policy).filter(({ seed }) => seed % 2 === 1)
    expect(pair.pairs).toBe(4)
    expect(pair).toEqual(comparePaired(odd('primo-cal'), odd('primo'), 'regret'))
    const apart = [row('a', 1, 5), row('primo', 2, 6)]
    expect(summariseRun(apart).scenarios[0]).toMatchObject({ comparisons: [], unpaired: ['a'] })
  })

  test('takes the reference asked for, else primo, else the best that is no benchmark', () => {
    const referenceOf = (all: readonly RunRow[], reference?: string) =>
      summariseRun(all, reference === undefined ? {} : { reference }).scenarios[0]!.reference
    expect(referenceOf(rows, 'uniform')).toBe('uniform')
    expect(referenceOf(rows)).toBe('primo')
    expect(referenceOf(rows.filter(({ policy }) => policy !== 'primo'))).toBe('linucb-calibrated')
  })

  test.each([
    ['no rows', []],
    ['different horizons', [row('a', 1, 5), row('b', 1, 5, { rounds: 16 })]],
    ['a cell twice', [row('a', 1, 5), row('a', 1, 6)]],
    ['a number that is not one', [row('a', 1, Number.NaN)]],
  ])('refuses %s', (_, bad) => {
    expect(() => summariseRun(bad)).toThrow(expect.objectContaining({ code: 'invalid-option' }))
    expect(() => summariseRun(bad)).toThrow(PrimoError)
  })

  test('refuses a reference that is no policy', () => {
    expect(() => summariseRun(rows, { reference: 'x' })).toThrow(/reference must be one of the policies .*, got "x"/)
  })

  test('allows scenarios of different horizons', () => {
    const both = [row('a', 1, 5), row('a', 1, 5, { scenario: 't', rounds: 16 })]
    expect(summariseRun(both).scenarios.map(({ rounds }) => rounds)).toEqual([8, 16])
  })
})

describe('paired comparison', () => {
  test('has Student quantiles as in the tables', () => {
    // scipy 1.x: stats.t.ppf(0.975, [1, 2, 4, 9, 19, 99, 1e4]) and stats.t.cdf(2, 5).
    const known = [12.7062047362, 4.3026527297, 2.7764451052, 2.2621571628, 2.0930240544, 1.9842169516, 1.9602012399]
    for (const [i, degrees] of [1, 2, 4, 9, 19, 99, 1e4].entries()) {
      expect(studentQuantile(0.975, degrees)).toBeCloseTo(known[i]!, 8)
    }
    expect(studentDistribution(2, 5)).toBeCloseTo(0.9490302605850709, 10)
  })

  // Coverage over 4,000 repeats has standard error 0.0034; three of them either way: each of the two checks fails by chance
  // once in 370 seeds, and the seed is fixed.
  test('covers the true difference and the true ratio in 95 of 100 runs', () => {
    const random = Random.fromSeed(20260701)
    const repeats = 4000
    let [difference, ratio] = [0, 0]
    for (let k = 0; k < repeats; k++) {
      const seeds = range(1, 8).map((seed) => {
        const world = 20 * random.normal()
        return { seed, x: 240 + world + 6 * random.normal(), y: 300 + 1.2 * world + 9 * random.normal() }
      })
      const pair = comparePaired(
        seeds.map(({ seed, x }) => row('a', seed, x)),
        seeds.map(({ seed, y }) => row('b', seed, y)),
        'regret',
      )!
      if (pair.interval![0] <= -60 && -60 <= pair.interval![1]) difference++
      if (pair.ratioInterval![0] <= 0.8 && 0.8 <= pair.ratioInterval![1]) ratio++
    }
    expect(Math.abs(difference / repeats - 0.95)).toBeLessThan(0.0104)
    expect(Math.abs(ratio / repeats - 0.95)).toBeLessThan(0.0104)
  })

  test('gives no ratio against a mean of zero and none with an interval that has no end', () => {
    const against = (values: readonly number[]) =>
      comparePaired(
        values.map((_, i) => row('a', i, 5 + i)),
        values.map((value, i) => row('b', i, value)),
        'regret',
      )!
    expect(against([0, 0])).toMatchObject({ ratio: null, ratioInterval: null })
    expect(against([0, 1, 30])).toMatchObject({ ratio: 6 / (31 / 3), ratioInterval: null })
    expect(comparePaired([row('a', 1, 2)], [row('b', 2, 2)], 'regret')).toBeNull()
  })

  test('of a policy with itself is exactly nothing', () => {
    const pair = comparePaired(rowsOf('primo'), rowsOf('primo'), 'regret')!
    expect(pair).toMatchObject({ difference: 0, standardError: 0, interval: [0, 0], ratio: 1 })
    expect(pair.ratioInterval![0]).toBeCloseTo(1, 6)
  })
})

describe('findings', () => {
  const scenarioOf = (pairs: readonly (readonly [number, number])[]) =>
    summariseRun(pairs.flatMap(([a, b], i) => [row('primo-cal', i, a), row('primo', i, b)])).scenarios[0]!

  test('say who wins, by how much and how sure', () => {
    const won = findings(
      scenarioOf([
        [880, 1000],
        [890, 1008],
        [870, 992],
      ]),
    )
    expect(won).toEqual(['primo-cal beats primo by 120 ± 1 regret (12%) on s.'])
    const lost = findings(
      scenarioOf([
        [1100, 1000],
        [1102, 1004],
      ]),
    )
    expect(lost[1]).toBe('primo-cal loses to primo by 99.0 ± 1.0 regret (9.9%) on s.')
  })

  test('do not claim what the interval does not show', () => {
    const even = findings(
      scenarioOf([
        [100, 104],
        [108, 101],
      ]),
    )
    expect(even.at(-1)).toMatch(
      /^primo-cal and primo cannot be told apart on s: difference 1\.5 ± 5\.5 regret over 2 seeds\.$/,
    )
    expect(findings(scenarioOf([[90, 100]]))).toEqual([
      'primo-cal has 10.00 regret less than primo on s (one seed, so without an error).',
    ])
  })

  test('leave out the policy that sees all values and uniform play and state the floor', () => {
    const told = findings(summariseRun(rows).scenarios[0]!)
    expect(told.length).toBeLessThanOrEqual(4)
    expect(told.join()).not.toMatch(/sees all values|uniform/)
    expect(told.at(-1)).toMatch(/^On A a regret of [\d.]+ ± [\d.]+ is unavoidable/)
  })
})

describe('tables', () => {
  const summary = summariseRun(rows)

  test('hold every policy, in text, Markdown and CSV', () => {
    for (const text of [summaryText(summary), summaryMarkdown(summary), summaryCsv(summary)]) {
      for (const { policy } of summary.scenarios[0]!.policies) expect(text).toContain(policy.replace('_', '\\_'))
      expect(text).not.toMatch(/NaN|undefined|Infinity/)
    }
  })

  test('leave out columns of which nothing is known', () => {
    const text = summaryText(summariseRun([row('a', 1, null), row('b', 1, null, { reward: 2 })]))
    expect(text).not.toMatch(/regret|slope|excess|p95/i)
    expect(text).toContain('reward against b')
  })

  test('quote CSV cells that need it and keep full precision', () => {
    const name = 'a "quoted", name\nwith a line'
    const csv = summaryCsv(summariseRun([row(name, 1, 1 / 3), row('plain', 1, 2)]))
    expect(csv).toContain('\ns,"a ""quoted"", name\nwith a line",8,1,0.3333333333333333,')
    const [header, ...lines] = csv.replaceAll(name.replaceAll('"', '""'), 'x').trim().split('\n')
    for (const line of lines) expect(line.split(',')).toHaveLength(header!.split(',').length)
  })

  test('keep names from breaking a Markdown row or driving a terminal', () => {
    const odd = summariseRun([row('a|b<i>', 1, 1), row('\u001b[31mred', 1, 2)])
    expect(summaryMarkdown(odd)).toContain('| a\\|b\\<i\\> |')
    expect(summaryText(odd)).not.toContain('\u001b')
  })

  test('show as many digits as the error supports', () => {
    expect(formatEstimate({ mean: 2272.31, standardError: 6.13 })).toBe('2,272 ± 6')
    expect(formatEstimate({ mean: 75.912, standardError: 0.71 })).toBe('75.9 ± 0.7')
    expect(formatEstimate({ mean: 0.01361, standardError: 0.00021 })).toBe('0.01361 ± 0.00021')
    expect(formatEstimate({ mean: 0, standardError: 0 })).toBe('0 ± 0')
    expect(formatEstimate({ mean: -0.001, standardError: null })).toBe('-0.001000')
    expect(
      formatEstimates([
        { mean: 1000, standardError: 3 },
        { mean: 2000, standardError: 5 },
        { mean: 3, standardError: 0.04 },
      ]),
    ).toEqual(['1,000 ± 3', '2,000 ± 5', '3.00 ± 0.04'])
    expect(formatInterval([-9, -0.03])).toBe('-9.00 to -0.03')
    expect(formatInterval([0.9971, 0.99994], { border: 1, least: 3 })).toBe('0.9971 to 0.9999')
    expect([20000, 1_500_000, 0.002, 1e-7].map(formatTick)).toEqual(['20,000', '1.5M', '0.002', '1e-7'])
    expect(quantile([3, 1, 2], 0.5)).toBe(2)
  })
})
