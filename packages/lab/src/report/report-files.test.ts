import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { embeddedJson } from './html-page.js'
import { htmlReport } from './html-report.js'
import { findFont } from './png.js'
import { examplePolicies, plotKinds, range, syntheticRows } from './report-rows.fixture.js'
import { summariseRun } from './summary.js'
import { writeRunReport } from './write-report.js'

const short = { seeds: range(1, 4), rounds: 256, marks: 4, policies: examplePolicies.slice(4, 6) }
const folders: string[] = []

async function folder(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'primo-report-'))
  folders.push(made)
  return made
}

afterAll(() => Promise.all(folders.map((made) => rm(made, { recursive: true }))))

describe('html report', () => {
  test('escapes names, settings and the command', async () => {
    const evil = '<b>x</b></script><script>alert(1)</script>'
    const policies = [{ name: evil, scale: 1, power: 0.5 }, examplePolicies[4]!]
    const rows = syntheticRows({ ...short, policies, scenario: '<i>s</i>' })
    const command = 'primo simulate --scenario "<i>s</i>" && echo'
    const options = { title: '<u>', settings: { '<k>': '<v>' }, findings: ['<em>'] }
    const html = await htmlReport({ rows, ...options, command, version: '1' })
    expect(html).not.toMatch(/<b>|<i>|<u>|<k>|<v>|<em>|<script>/)
    expect(html).toContain('&lt;b&gt;x&lt;/b&gt;')
    expect(html.match(/<\/script>/g)).toHaveLength(1)
  })

  test('asks for nothing from elsewhere', async () => {
    const html = await htmlReport({ rows: syntheticRows(short), command: 'primo', version: '1' })
    const addresses = html.match(/https?:[^"'\s<]*/g) ?? []
    expect(new Set(addresses)).toEqual(new Set(['http://www.w3.org/2000/svg']))
    expect(html).not.toMatch(/<link|<img|<iframe|url\(|@import| src=/)
    expect(html).toContain("default-src 'none'")
  })

  test('holds findings, settings, tables, both sizes of every picture and the data', async () => {
    const rows = [...syntheticRows(short), ...syntheticRows({ ...short, scenario: 'B' })]
    const options = { title: 'Title', settings: { gamma: 'practical' }, findings: ['The claim held.'] }
    const html = await htmlReport({ rows, ...options, command: 'primo simulate --out x', version: '9.8.7' })
    for (const part of [
      '<h1>Title</h1>',
      'The claim held.',
      'primo-cal',
      'loses to primo',
      'practical',
      '4 (1 to 4)',
      'primo simulate --out x',
      '9.8.7',
    ]) {
      expect(html).toContain(part)
    }
    expect(html.match(/<figure>/g)).toHaveLength(12)
    expect(html.match(/<svg xmlns/g)).toHaveLength(24)
    const json: unknown = JSON.parse(/id="primo-run">(.*?)<\/script>/s.exec(html)![1]!)
    expect(json).toMatchObject({
      made: { version: '9.8.7' },
      summary: summariseRun(rows),
      curves: [{ scenario: 'A' }, { scenario: 'B' }],
    })
  })

  test('embeds JSON that reads back equal', () => {
    const value = { name: '</script><!-- & \u2028', list: [1, null, 'ü'] }
    const text = embeddedJson(value)
    expect(text).not.toMatch(/[<>&\u2028]/)
    expect(JSON.parse(text)).toEqual(value)
  })
})

describe('writeRunReport', () => {
  test('writes tables, figures, pictures and the page', async () => {
    const outDir = await folder()
    const other = syntheticRows({ ...short, scenario: 'a!' }).map((row) => ({ ...row, regret: null, epochs: [] }))
    const rows = [...syntheticRows(short), ...other]
    const warnings: string[] = []
    const files = await writeRunReport({
      rows,
      outDir: join(outDir, 'new'),
      command: 'primo',
      warn: (message) => warnings.push(message),
    })
    const names = files.map((file) => relative(join(outDir, 'new'), file))
    const endings = findFont() === null ? ['svg'] : ['svg', 'png']
    const pictures = [...plotKinds.map((kind) => `plots/a-${kind}`), 'plots/a-2-paired-difference']
    const plots = pictures.flatMap((picture) => endings.map((ending) => `${picture}.${ending}`))
    expect(new Set(names)).toEqual(new Set(['table.md', 'summary.json', 'summary.csv', 'report.html', ...plots]))
    expect(warnings).toHaveLength(findFont() === null ? 1 : 0)
    for (const file of files) expect((await readFile(file)).length).toBeGreaterThan(200)
    expect(JSON.parse(await readFile(join(outDir, 'new', 'summary.json'), 'utf8'))).toEqual(summariseRun(rows))
    expect(await readFile(join(outDir, 'new', 'table.md'), 'utf8')).toMatch(
      /^# Policies compared on A, a!\n\n- primo has the least regret on A: 33/,
    )
  })

  test('writes the same bytes for the same rows', async () => {
    const rows = syntheticRows({ ...short, seeds: [1, 2], policies: short.policies.slice(0, 1) })
    const read = async (order: typeof rows) => {
      const files = await writeRunReport({ rows: order, outDir: await folder(), command: 'primo' })
      return Promise.all(files.map(async (file) => [basename(file), (await readFile(file)).toString('base64')]))
    }
    expect(await read([...rows].reverse())).toEqual(await read(rows))
  })
})
