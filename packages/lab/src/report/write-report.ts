// Writes the report of a run into a folder: tables, figures, pictures and one page. The bytes are a function of the rows, the options
// and the command.

import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { RunRow } from '../runs/run-row.js'
import { findings } from './findings.js'
import { htmlReport, plotOptions, type ReportOptions, reportTitle } from './html-report.js'
import { runPlots } from './plots.js'
import { svgToPng } from './png.js'
import { summariseRun } from './summary.js'
import { markdownText, summaryCsv, summaryMarkdown } from './tables.js'

export interface RunReportInput extends ReportOptions {
  readonly rows: readonly RunRow[]
  /** Made if it is not there. */
  readonly outDir: string
  /** The command line that made the run, as the reader would type it. */
  readonly command: string
  /** Told once if pictures as PNG had to be left out; default: a line on stderr. */
  readonly warn?: (message: string) => void
}

/** Returns the paths of the files written, inside `outDir`. */
export async function writeRunReport(input: RunReportInput): Promise<readonly string[]> {
  const { rows, outDir, warn = (message) => void process.stderr.write(`${message}\n`) } = input
  const summary = summariseRun(rows, input)
  const files: string[] = []
  const write = async (name: string, content: string | Uint8Array) => {
    const path = join(outDir, name)
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, content)
    files.push(path)
  }
  const sentences = [...(input.findings ?? []), ...summary.scenarios.flatMap((scenario) => findings(scenario))]
  const heading = `# ${markdownText(reportTitle(summary, input))}`
  const list = sentences.map((sentence) => `- ${markdownText(sentence)}`).join('\n')
  await write('table.md', [heading, ...(list === '' ? [] : [list]), summaryMarkdown(summary)].join('\n\n'))
  await write('summary.json', `${JSON.stringify(summary, null, 2)}\n`)
  await write('summary.csv', summaryCsv(summary))
  const slugs = fileNames(summary.scenarios.map(({ scenario }) => scenario))
  const skipped = new Set<string>()
  for (const { scenario, kind, svg } of runPlots(rows, plotOptions(input))) {
    const name = `plots/${slugs.get(scenario)!}-${kind}`
    await write(`${name}.svg`, svg)
    const image = svgToPng(svg)
    if (image.ok) await write(`${name}.png`, image.png)
    else skipped.add(image.reason)
  }
  for (const reason of skipped) warn(`No PNG pictures: ${reason}.`)
  await write('report.html', htmlReport({ ...input, version: packageVersion() }))
  return files
}

/** Plain file names for any names, no two alike. */
function fileNames(names: readonly string[]): ReadonlyMap<string, string> {
  const given = new Map<string, string>()
  const taken = new Set<string>()
  for (const name of names) {
    const plain = name
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-+|-+$/g, '')
      .slice(-60)
    let file = plain || 'scenario'
    for (let n = 2; taken.has(file); n++) file = `${plain || 'scenario'}-${n}`
    taken.add(file)
    given.set(name, file)
  }
  return given
}

export function packageVersion(): string {
  const manifest: unknown = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'))
  return String((manifest as { version?: unknown }).version ?? 'unknown')
}
