import { Resvg } from '@resvg/resvg-js'
import { describe, expect, test } from 'vitest'
import type { RunRow } from '../runs/run-row.js'
import { logTicks } from './axis-ticks.js'
import { epochCurve, perRoundCurve } from './curves.js'
import { spreadLabels } from './label-layout.js'
import { runPlots } from './plots.js'
import { findFont, svgToPng } from './png.js'
import { examplePolicies, plotKinds, range, syntheticRows } from './report-rows.fixture.js'
import { type ColorName, darkTheme, lightTheme, type PlotTheme, seriesStyles } from './series-style.js'
import { escapeMarkup, shorten, wrapText } from './svg-text.js'

const twelve = range(1, 12).map((k) => ({
  name: `policy number ${k} & friends`,
  scale: 1 + k / 30,
  power: 0.5,
  gammaScale: k,
  error: [0.3, k / 5] as const,
}))
const short = { seeds: range(1, 3), rounds: 512, marks: 8 }

const cases: readonly (readonly [string, RunRow[]])[] = [
  ['nine policies', syntheticRows(short)],
  ['one policy', syntheticRows({ ...short, policies: [examplePolicies[4]!] })],
  ['one seed', syntheticRows({ ...short, seeds: [1] })],
  [
    'two checkpoints',
    syntheticRows(short).map((row) => ({
      ...row,
      checkpoints: row.checkpoints.slice(-2),
      epochs: row.epochs.slice(-2),
    })),
  ],
  ['no checkpoints', syntheticRows(short).map((row) => ({ ...row, checkpoints: [] }))],
  ['one round', syntheticRows({ ...short, rounds: 1, marks: 1 })],
  [
    'zero regret',
    syntheticRows({ ...short, noise: 0, floor: 0, policies: ['a', 'b'].map((name) => ({ name, scale: 0, power: 1 })) }),
  ],
  ['no floor', syntheticRows({ ...short, floor: null })],
  ['twelve policies', syntheticRows({ ...short, policies: twelve })],
  [
    'a name of markup',
    syntheticRows({ ...short, policies: [{ name: '<b>"&', scale: 1, power: 0.5 }, examplePolicies[4]!] }),
  ],
]

describe('plots', () => {
  test.each(cases)('name every policy and have only finite numbers: %s', async (_, rows) => {
    for (const size of [{}, { width: 400, height: 500 }]) {
      const plots = await runPlots(rows, size)
      expect(plots.length).toBeGreaterThan(0)
      const reference = rows.some(({ policy }) => policy === 'primo') ? 'primo' : undefined
      for (const { kind, svg } of plots) {
        expect(plotKinds).toContain(kind)
        expect(svg).not.toMatch(/NaN|Infinity|undefined|null/)
        for (const { policy } of rows) {
          if (kind === 'paired-difference' && reference === undefined) continue
          expect(words(svg)).toContain(policy)
        }
        // resvg parses it as XML and finds something drawn.
        expect(new Resvg(svg, { font: { loadSystemFonts: false } }).getBBox()!.width).toBeGreaterThan(100)
      }
    }
  })

  test('are those of what is known', async () => {
    const rows = syntheticRows(short)
    expect((await runPlots(rows)).map(({ kind }) => kind)).toEqual(plotKinds)
    const blind = rows.map((row) => ({ ...row, regret: null, checkpoints: [] }))
    expect((await runPlots(blind)).map(({ kind }) => kind)).toEqual(['paired-difference', 'imputation-error', 'gamma'])
    const bare = rows.map((row) => ({ ...row, epochs: [] }))
    expect((await runPlots(bare)).map(({ kind }) => kind)).toEqual(plotKinds.slice(0, 4))
    const both = [...rows, ...syntheticRows({ ...short, scenario: 'B' })]
    expect((await runPlots(both)).map(({ scenario }) => scenario).join('')).toBe('AAAAAABBBBBB')
  })

  test('draw the floor, the pre-trained model, the slopes, and say which lines leave the picture', async () => {
    const plots = await runPlots(syntheticRows())
    const svg = Object.fromEntries(plots.map((plot) => [plot.kind, words(plot.svg)]))
    expect(svg['log-log-regret']).toContain('best possible without them')
    expect(svg['log-log-regret']).toContain('primo-cal 0.69')
    expect(svg['imputation-error']).toContain('pre-trained g~')
    expect(svg['imputation-error']).toContain('Nothing to draw for: no-z, sees all values, uniform.')
    expect(svg['cumulative-regret']).toMatch(/uniform ↑ 14,3\d0/)
    expect(svg['cumulative-regret']).toContain('100,000')
  })

  test('have a legend where labels would stand too far from their lines', async () => {
    const alike = range(1, 20).map((k) => ({ name: `policy ${k}`, scale: 1 + k / 1000, power: 0.5 }))
    const swatches = (svg: string) => svg.match(/h20" stroke/g)?.length ?? 0
    const [, many] = await runPlots(syntheticRows({ ...short, policies: alike }))
    const [, few] = await runPlots(syntheticRows({ ...short, policies: alike.slice(0, 5) }))
    expect([many!.kind, few!.kind]).toEqual(['cumulative-regret', 'cumulative-regret'])
    expect(swatches(many!.svg)).toBe(21)
    expect(swatches(few!.svg)).toBe(0)
  })

  test('are the same bytes for the same rows in any order', async () => {
    const rows = syntheticRows({ ...short, policies: examplePolicies.slice(3, 6) })
    expect(await runPlots([...rows].reverse())).toEqual(await runPlots(rows))
  })

  test('per-round regret is the difference between checkpoints over their distance', () => {
    const rows = syntheticRows({ seeds: [1, 2], rounds: 64, marks: 1, policies: [examplePolicies[4]!] })
    const at = (seed: number, t: number) => rows[seed]!.checkpoints.find(({ rounds }) => rounds === t)!.regret
    const curve = perRoundCurve(rows)
    expect(curve.map(({ from, rounds }) => [from, rounds])).toEqual([
      [0, 1],
      [1, 2],
      [2, 4],
      [4, 8],
      [8, 16],
      [16, 32],
      [32, 64],
    ])
    expect(curve.at(-1)!.mean).toBeCloseTo((at(0, 64) - at(0, 32) + at(1, 64) - at(1, 32)) / 64, 12)
    const total = curve.reduce((sum, { from, rounds, mean }) => sum + mean * (rounds - from), 0)
    expect(total).toBeCloseTo((rows[0]!.regret! + rows[1]!.regret!) / 2, 9)
  })
})

describe('epochs', () => {
  const epoch = (index: number, rounds: number, imputationError: number | null) => ({
    epoch: index,
    rounds,
    gamma: 10 * index,
    regret: null,
    imputationError,
    pretrainedError: 0.5,
  })
  const [base] = syntheticRows({ ...short, seeds: [1], policies: [examplePolicies[4]!] })

  test('that double stay single, over seeds', () => {
    const rows = [1, 3].map((error) => ({
      ...base!,
      epochs: [4, 8, 16].map((rounds, i) => epoch(i, rounds, error * i)),
    }))
    const curve = epochCurve(rows, 'imputationError')
    expect(curve.map(({ rounds, mean }) => [rounds, mean])).toEqual([
      [4, 0],
      [8, 2],
      [16, 4],
    ])
    expect(curve[2]!.standardError).toBeCloseTo(2, 12)
  })

  test('that are short are taken together by root mean square over rounds, gamma by the last', () => {
    const epochs = [epoch(1, 64, null), epoch(2, 70, 1), epoch(3, 88, 2), epoch(4, 128, 5)]
    const errors = epochCurve([{ ...base!, epochs }], 'imputationError')
    expect(errors.map(({ rounds }) => rounds)).toEqual([88, 128])
    expect(errors[0]!.mean).toBeCloseTo(Math.sqrt((6 * 1 + 18 * 4) / 24), 12)
    expect(epochCurve([{ ...base!, epochs }], 'gamma').map(({ mean }) => mean)).toEqual([30, 40])
  })

  test('without a finite figure have no point', () => {
    const epochs = [{ ...epoch(1, 2, null), gamma: Number.POSITIVE_INFINITY }]
    expect(epochCurve([{ ...base!, epochs }], 'gamma')).toEqual([])
    expect(epochCurve([{ ...base!, epochs }], 'imputationError')).toEqual([])
  })
})

describe('colours', () => {
  test('belong to the name, whatever else runs and in whatever order', () => {
    const all = seriesStyles(examplePolicies.map(({ name }) => name))
    expect(all).toEqual(seriesStyles(examplePolicies.map(({ name }) => name).reverse()))
    for (const name of ['primo', 'primo-cal', 'robust', 'uniform', 'sees all values']) {
      expect(seriesStyles([name, 'a', 'b', 'c']).get(name)).toEqual(all.get(name))
    }
    const many = [...seriesStyles(range(1, 20).map(String)).values()].map(({ color, dash }) => `${color} ${dash}`)
    expect(new Set(many).size).toBe(20)
  })

  // Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB.
  const sight = {
    normal: [1, 0, 0, 0, 1, 0, 0, 0, 1],
    'red-blind': [0.152286, 1.052583, -0.204868, 0.114503, 0.786281, 0.099216, -0.003882, -0.048116, 1.051998],
    'green-blind': [0.367322, 0.860646, -0.227968, 0.280085, 0.672501, 0.047413, -0.01182, 0.04294, 0.968881],
  }

  test.each(Object.entries(sight))('stay apart in %s sight, on white and on the dark page', (_, matrix) => {
    for (const theme of [lightTheme, darkTheme]) {
      const names = Object.keys(theme.colors) as ColorName[]
      const seen = names.map((name) => oklab(transform(matrix, linear(theme.colors[name]))))
      for (let i = 0; i < seen.length; i++) {
        for (let j = 0; j < i; j++) {
          expect(
            Math.hypot(...seen[i]!.map((v, k) => v - seen[j]![k]!)),
            `${names[i]} and ${names[j]}`,
          ).toBeGreaterThan(0.09)
        }
      }
    }
  })

  test('are seen on their background: lines 2.8, words 4.5', () => {
    for (const theme of [lightTheme, darkTheme]) {
      for (const color of Object.values(theme.colors)) expect(contrast(color, theme)).toBeGreaterThan(2.75)
      expect(contrast(theme.muted, theme)).toBeGreaterThan(4.5)
      expect(contrast(theme.colors.ink, theme)).toBeGreaterThan(4.5)
    }
  })
})

describe('label layout', () => {
  test('moves nothing that is free and keeps order, distance and range', () => {
    expect(spreadLabels([10, 50, 90], { gap: 15, top: 0, bottom: 100 })).toEqual([10, 50, 90])
    expect(spreadLabels([50, 50], { gap: 10, top: 0, bottom: 100 })).toEqual([45, 55])
    const ends = [98, 99, 3, 100, 97, 1]
    const placed = spreadLabels(ends, { gap: 15, top: 0, bottom: 100 })!
    const inOrder = [...ends.keys()].sort((a, b) => ends[a]! - ends[b]!).map((i) => placed[i]!)
    for (let i = 1; i < inOrder.length; i++) expect(inOrder[i]! - inOrder[i - 1]!).toBeGreaterThanOrEqual(15 - 1e-9)
    expect(Math.min(...placed)).toBeGreaterThanOrEqual(0)
    expect(Math.max(...placed)).toBeLessThanOrEqual(100)
    expect(spreadLabels(range(1, 9), { gap: 15, top: 0, bottom: 100 })).toBeNull()
  })

  test('shortens in the middle and wraps between words', () => {
    expect(shorten('calibrated-a', 30)).toBe('calibrated-a')
    expect(shorten('abcdefghij', 7)).toBe('abc…hij')
    expect(wrapText('one two three', 70, 12)).toEqual(['one two', 'three'])
    expect(escapeMarkup('<a & "b">\u0007')).toBe('&lt;a &amp; &quot;b&quot;&gt; ')
  })

  test('ticks of logarithmic axes are round and few', () => {
    expect(logTicks([128, 131072], 8)).toEqual([1000, 10000, 100000])
    expect(logTicks([3, 80], 8)).toEqual([5, 10, 20, 50])
    expect(logTicks([101, 140], 8)).toEqual([110, 120, 130, 140])
    expect(logTicks([1e-9, 1e9], 5).length).toBeLessThanOrEqual(5)
  })
})

describe('png', () => {
  test('has the size asked for and is not blank', async ({ skip }) => {
    skip(findFont() === null, 'no font on this machine: apt-get install fonts-dejavu-core')
    const [plot] = await runPlots(syntheticRows({ ...short, policies: [examplePolicies[4]!] }))
    const image = svgToPng(plot!.svg, { zoom: 2 })
    if (!image.ok) throw new Error(image.reason)
    expect([image.width, image.height]).toEqual([1720, 960])
    const bytes = Buffer.from(image.png)
    expect(bytes.subarray(1, 4).toString()).toBe('PNG')
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([1720, 960])
    const { pixels } = new Resvg(plot!.svg).render()
    const colors = new Set<number>()
    for (let at = 0; at < pixels.length; at += 4) colors.add(pixels.readUInt32BE(at))
    expect(colors.has(0xffffffff)).toBe(true)
    expect(colors.has(0xc54025ff)).toBe(true)
  })

  test('is refused with a reason where there is no font, rather than drawn without words', () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'
    expect(findFont({ systemFonts: false })).toBeNull()
    const image = svgToPng(svg, { systemFonts: false })
    expect(image).toMatchObject({ ok: false, reason: expect.stringContaining('no font was found') })
  })
})

/** The text of an SVG as a reader sees it. */
function words(svg: string): string {
  const text = svg
    .replaceAll(/<title>.*?<\/title>/g, '')
    .replaceAll('</text>', '\n')
    .replaceAll(/<tspan[^>]*>/g, ' ')
    .replaceAll(/<[^>]*>/g, '')
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

function linear(hex: string): number[] {
  return [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4
  })
}

function transform(matrix: readonly number[], [r, g, b]: readonly number[]): number[] {
  return [0, 3, 6].map((row) =>
    Math.min(1, Math.max(0, matrix[row]! * r! + matrix[row + 1]! * g! + matrix[row + 2]! * b!)),
  )
}

function oklab([r, g, b]: readonly number[]): number[] {
  const l = Math.cbrt(0.4122214708 * r! + 0.5363325363 * g! + 0.0514459929 * b!)
  const m = Math.cbrt(0.2119034982 * r! + 0.6806995451 * g! + 0.1073969566 * b!)
  const s = Math.cbrt(0.0883024619 * r! + 0.2817188376 * g! + 0.6299787005 * b!)
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ]
}

function contrast(color: string, theme: PlotTheme): number {
  const luminance = (hex: string) => {
    const [r, g, b] = linear(hex)
    return 0.2126 * r! + 0.7152 * g! + 0.0722 * b!
  }
  const [dark, light] = [luminance(color), luminance(theme.background!)].sort((a, b) => a - b)
  return (light! + 0.05) / (dark! + 0.05)
}
