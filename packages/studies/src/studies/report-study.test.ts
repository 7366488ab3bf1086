import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { formatEstimate, formatNumber, studyDotPlot } from '@primo/lab'
import type { Study, StudyResult } from '@primo/lab/node'
import { studyText, writeStudyReport } from '@primo/lab/node'
import { afterAll, describe, expect, test } from 'vitest'
import { type DifferenceChart, drawDifferenceChart } from '../../../lab/src/report/difference-chart.js'
import { formatEstimates } from '../../../lab/src/report/number-format.js'
import { range } from '../../../lab/src/report/report-rows.fixture.js'
import { lightTheme } from '../../../lab/src/report/series-style.js'
import { closingSentence } from '../../../lab/src/report/study-closing.js'
import { textWidth, wrapText } from '../../../lab/src/report/svg-text.js'
import { Found } from '../runner/found.js'
import { quotedText } from '../runner/verdicts.js'
import { ranking } from './baselines.js'

const folders: string[] = []
afterAll(() => Promise.all(folders.map((made) => rm(made, { recursive: true }))))

const verdict = (held: boolean, sentence: string) => ({ held, sentence })
const dots = studyDotPlot({
  title: 'b has more',
  subtitle: '',
  xLabel: 'policy',
  less: '',
  more: 'more regret',
  rows: [
    { name: 'a', color: 'navy', seeds: [1, 2, 3] },
    { name: 'b <i>', color: 'red', seeds: [4, 5, 6] },
  ],
})
const result: StudyResult = {
  settings: { rounds: 16384, scale: 'quick' },
  tables: [{ title: 'Table', header: ['policy', 'regret'], rows: [['a', '-2']] }],
  plots: [dots, { title: 'Line', xLabel: 'x', yLabel: 'y', series: [{ name: 's', points: [{ x: 1, y: 2 }] }] }],
  verdicts: [verdict(true, 'One held.'), verdict(false, 'Two did NOT.'), verdict(true, 'Three held.')],
}
const study: Study = { name: 'test', title: 'Test', claim: 'A claim.', run: async () => result }

async function report(options: Partial<Parameters<typeof writeStudyReport>[0]> = {}) {
  const outDir = await mkdtemp(join(tmpdir(), 'primo-study-'))
  folders.push(outDir)
  const files = await writeStudyReport({ study, result, outDir, command: 'primo study test', ...options })
  return {
    files: files.map((file) => relative(outDir, file)),
    html: await readFile(join(outDir, 'report.html'), 'utf8'),
  }
}

describe('closing sentence', () => {
  test('counts the claims and names those that did not hold', () => {
    expect(closingSentence({ settings: {}, verdicts: [verdict(true, 'A.'), verdict(true, 'B.')] })).toBe(
      'Both claims held.',
    )
    expect(closingSentence(result)).toBe('At quick scale 2 of 3 claims held; not: Two did NOT.')
    expect(closingSentence({ settings: {}, verdicts: [verdict(false, 'A.'), verdict(false, 'B.')] })).toBe(
      'None of 2 claims held; not: A; B.',
    )
    expect(closingSentence({ settings: {}, verdicts: [verdict(true, 'A.')] })).toBe('The claim held.')
    expect(closingSentence({ settings: {}, verdicts: [verdict(false, 'A.')] })).toBe('The claim did not hold: A.')
    expect(closingSentence({ settings: { scale: 'full' }, verdicts: range(1, 8).map(() => verdict(true, 'A.')) })).toBe(
      'All 8 claims held.',
    )
    expect(closingSentence({ settings: {}, verdicts: [] })).toBe('No claim was put to the test.')
  })

  test('ends the text and opens the page', async () => {
    const closing = closingSentence(result)
    expect(studyText(study, result).endsWith(`\n\n${closing}`)).toBe(true)
    const { html } = await report()
    expect(html).toContain(`<h1>Test</h1>\n<p class="lead"><strong>${closing}</strong></p>`)
  })
})

describe('study report', () => {
  test('draws dots and lines in both sizes, with escaped names', async () => {
    const { html } = await report()
    expect(html.match(/<figure>/g)).toHaveLength(2)
    expect(html.match(/<svg xmlns/g)).toHaveLength(4)
    expect(html).toContain('b &lt;i&gt;')
    expect(html).not.toMatch(/<i>|NaN/)
    expect(html).toContain('more regret →')
    expect(html).not.toContain('←')
  })

  test('says once why there are no PNG pictures', async () => {
    const warnings: string[] = []
    const { files } = await report({
      warn: (message) => warnings.push(message),
      toPng: () => ({ ok: false, reason: 'no font' }),
    })
    expect(warnings).toEqual(['No PNG pictures: no font.'])
    expect(files).toEqual(['result.json', 'plots/1.svg', 'plots/2.svg', 'report.html'])
  })

  test('keeps mean, interval and seeds of a plot of dots as data', () => {
    // t with 2 degrees at 0.975 is 4.302653, the standard error 1 / sqrt(3).
    const half = 4.302653 / Math.sqrt(3)
    expect(dots.series[0]!.seeds).toEqual([1, 2, 3])
    expect(dots.series[0]!.points[0]!.y).toBe(2)
    expect(dots.series[0]!.points[0]!.low).toBeCloseTo(2 - half, 5)
    expect(dots.series[0]!.points[0]!.high).toBeCloseTo(2 + half, 5)
  })
})

describe('difference chart', () => {
  const row = (label: string, mean: number, half: number): DifferenceChart['rows'][number] => ({
    label,
    style: { color: 'red', dash: null },
    mean,
    standardError: half / 2,
    interval: [mean - half, mean + half],
    seeds: [mean - 1, mean + 1],
  })
  const chart: DifferenceChart = {
    title: 'Title',
    subtitle: '',
    note: '',
    less: 'less',
    more: 'more',
    max: 100,
    rows: [row('a policy of some length', 50, 4000), row('another', 80, 10), row('far away', 5000, 10)],
  }

  test.each([860, 400])('keeps intervals between labels and amounts, %i wide', (width) => {
    const svg = drawDifferenceChart(chart, { width, height: 300, theme: lightTheme })
    const label = /<text x="([\d.]+)"[^>]*>a policy of some length/.exec(svg)!
    const amount = width - 16 - textWidth('50 ± 2,000', 12)
    const bars = [...svg.matchAll(/<line x1="([-\d.]+)" x2="([-\d.]+)"/g)].map((match) => match.slice(1).map(Number))
    expect(bars.length).toBeGreaterThanOrEqual(2)
    for (const x of bars.flat()) {
      expect(x).toBeGreaterThan(width > 560 ? Number(label[1]) : 16)
      expect(x).toBeLessThan(amount + 1)
    }
    // Both ends of the long interval, and the mean that is far away.
    expect(svg.match(/class="beyond"/g)).toHaveLength(3)
  })
})

describe('ranking of the baselines', () => {
  /** All pairs are 10 apart, but for the gain of calibration, which is as given. */
  const judged = (gain: readonly number[], full: boolean) => {
    const names = ['uniform', 'no-z', 'complete-case', 'mean imputation', 'primo', 'primo-cal', 'sees all values']
    const rows = names.flatMap((arm, k) =>
      gain.map((more, seed) => {
        const regret = 1000 - 10 * k + seed - (arm === 'primo-cal' ? more - 10 : arm === 'sees all values' ? 50 : 0)
        return { world: 'A', arm, seed, figures: { regret } }
      }),
    )
    return ranking(new Found([{ name: 'A' }], { repeats: 3 }, full, rows), 'A')
  }

  test('at quick scale only a clearly wrong sign contradicts a pair', () => {
    expect(judged([9, 10, 11], false).held).toBe(true)
    expect(judged([-3, 1, 6], false)).toMatchObject({ held: true, sentence: expect.stringContaining('5 of 6 pairs') })
    const against = judged([-3, -2, -1], false)
    expect(against.held).toBe(false)
    expect(against.sentence).toMatch(/wrong by one standard error: primo-cal < primo/)
  })

  test('at full scale every pair must hold by three standard errors', () => {
    expect(judged([9, 10, 11], true).held).toBe(true)
    expect(judged([-3, 1, 6], true).held).toBe(false)
  })

  test('a quoted figure without an error stands alone', () => {
    expect([[2858, null] as const, [1802, 7] as const, null].map(quotedText)).toEqual(['2858', '1802 ± 7', ''])
  })
})

describe('very small numbers', () => {
  test('are written with exponents and never throw', () => {
    expect(formatEstimate({ mean: 3e-17, standardError: 0 })).toBe('3.0e-17 ± 0')
    expect(formatEstimate({ mean: -4.2e-120, standardError: null })).toBe('-4.2e-120')
    expect(formatEstimate({ mean: 1e-17, standardError: 2e-33 })).toBe('1.0e-17 ± 2.0e-33')
    expect(formatEstimate({ mean: 0, standardError: 0 })).toBe('0 ± 0')
    expect(formatNumber(5e-324)).toBe('4.9e-324')
  })

  test('among others are zero to the decimals of the others', () => {
    const column = [2.31, 1e-17, 4.52].map((mean) => ({ mean, standardError: mean > 1 ? 0.04 : 1e-18 }))
    expect(formatEstimates(column)).toEqual(['2.31 ± 0.04', '0.00 ± 0.00', '4.52 ± 0.04'])
  })
})

test('wrapText breaks a word that is wider than the line', () => {
  const lines = wrapText('on A?mnarStrength=2&bias=0.5&mechanism=drift', 160, 17)
  expect(lines.length).toBeGreaterThan(2)
  for (const line of lines) expect(textWidth(line, 17)).toBeLessThanOrEqual(160)
  expect(lines.join('').replaceAll(' ', '')).toBe('onA?mnarStrength=2&bias=0.5&mechanism=drift')
})
