// Writes a study's report into a folder: result.json, the plots as SVG and PNG, and one page with verdicts, tables and plots.

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LineChart } from './chart-data.js'
import { htmlPage } from './html-page.js'
import { htmlFigure, htmlTable, narrowFrame, settingsList } from './html-parts.js'
import { drawLineChart } from './line-chart.js'
import { svgToPng } from './png.js'
import { lightTheme, pageTheme, seriesStyles } from './series-style.js'
import type { Study, StudyPlot, StudyResult } from './study.js'
import { closingSentence } from './study-closing.js'
import { drawDotPlot, isDotPlot } from './study-dot-plot.js'
import type { ChartFrame } from './svg-frame.js'
import { escapeMarkup } from './svg-text.js'
import { packageVersion } from './write-report.js'

export interface StudyReportInput {
  readonly study: Study
  readonly result: StudyResult
  /** Made if it is not there. */
  readonly outDir: string
  readonly command: string
  /** Told once if pictures as PNG had to be left out; default: a line on stderr. */
  readonly warn?: (message: string) => void
  /** SVG to PNG; default `svgToPng` with the fonts of this machine. */
  readonly toPng?: (svg: string) => ReturnType<typeof svgToPng>
}

const wideFrame = { width: 860, height: 480 }

/** Returns the paths of the files written. */
export async function writeStudyReport(input: StudyReportInput): Promise<readonly string[]> {
  const { study, result, outDir, command, toPng = svgToPng } = input
  const { warn = (message) => void process.stderr.write(`${message}\n`) } = input
  await mkdir(join(outDir, 'plots'), { recursive: true })
  const files: string[] = []
  const write = async (name: string, content: string | Uint8Array) => {
    files.push(join(outDir, name))
    await writeFile(join(outDir, name), content)
  }
  const { name, title, claim } = study
  const { rows = [], ...shown } = result
  await write('result.json', `${JSON.stringify({ study: name, claim, command, ...shown }, null, 2)}\n`)
  if (rows.length > 0) await write('rows.jsonl', rows.map((row) => `${JSON.stringify(row)}\n`).join(''))
  const skipped = new Set<string>()
  for (const [i, plot] of result.plots.entries()) {
    const svg = drawPlot(plot, { ...wideFrame, theme: lightTheme })
    await write(`plots/${i + 1}.svg`, svg)
    const image = toPng(svg)
    if (image.ok) await write(`plots/${i + 1}.png`, image.png)
    else skipped.add(image.reason)
  }
  for (const reason of skipped) warn(`No PNG pictures: ${reason}.`)
  const figures = result.plots.map(figure)
  const tables = result.tables.map(
    (table) => `<section><h2>${escapeMarkup(table.title)}</h2>${htmlTable(table)}</section>`,
  )
  await write(
    'report.html',
    htmlPage({
      title,
      version: packageVersion(),
      command,
      header: header(study, result),
      main: [`<div class="plots">${figures.join('\n')}</div>`, ...tables].join('\n'),
      data: { study: name, ...shown },
    }),
  )
  return files
}

function header({ claim }: Study, result: StudyResult): string {
  const { verdicts, settings } = result
  const findings = verdicts.map(({ held, sentence }) => `<li>${held ? '✓' : '✗'} ${escapeMarkup(sentence)}</li>`)
  const shown = Object.entries(settings).map(([name, value]) => ({
    name,
    html: escapeMarkup(typeof value === 'number' ? value.toLocaleString('en') : value),
  }))
  return `<p class="lead"><strong>${escapeMarkup(closingSentence(result))}</strong></p>
<p class="lead">${escapeMarkup(claim)}</p>
<ul class="findings">${findings.join('')}</ul>
${settingsList(shown)}`
}

function figure(plot: StudyPlot): string {
  const wide = drawPlot(plot, { ...wideFrame, theme: pageTheme })
  const narrow = drawPlot(plot, { ...narrowFrame, theme: pageTheme })
  return htmlFigure({ wide, narrow, caption: '' })
}

function drawPlot(plot: StudyPlot, frame: ChartFrame): string {
  if (isDotPlot(plot)) return drawDotPlot(plot, frame)
  const styles = seriesStyles(plot.series.map(({ name }) => name))
  const chart: LineChart = {
    title: plot.title,
    subtitle: '',
    x: { label: plot.xLabel, log: plot.xLog === true, close: plot.close === true },
    y: { label: plot.yLabel, log: plot.yLog === true, close: plot.close === true },
    dots: true,
    series: plot.series.map(({ name, points, dashed }) => {
      const style = styles.get(name)!
      return {
        label: name,
        style: dashed === true ? { ...style, dash: style.dash ?? '5 4' } : style,
        points: points.map(({ x, y, low, high }) => ({ x, y, low: low ?? null, high: high ?? null })),
      }
    }),
  }
  return drawLineChart(chart, frame)
}
