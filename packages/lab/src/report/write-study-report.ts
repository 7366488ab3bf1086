// Writes a study's report into a folder: result.json, the plots as SVG and PNG, and one page with verdicts, tables and plots.

import { readFileSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Study, StudyPlot, StudyResult, StudyTable } from '../studies/study.js'
import type { LineChart } from './chart-data.js'
import { htmlPage } from './html-page.js'
import { drawLineChart } from './line-chart.js'
import { svgToPng } from './png.js'
import { lightTheme, type PlotTheme, pageTheme, seriesStyles } from './series-style.js'
import { escapeMarkup } from './svg-text.js'

export interface StudyReportInput {
  readonly study: Study
  readonly result: StudyResult
  /** Made if it is not there. */
  readonly outDir: string
  readonly command: string
}

/** Returns the paths of the files written. */
export async function writeStudyReport({
  study,
  result,
  outDir,
  command,
}: StudyReportInput): Promise<readonly string[]> {
  await mkdir(join(outDir, 'plots'), { recursive: true })
  const files: string[] = []
  const write = async (name: string, content: string | Uint8Array) => {
    files.push(join(outDir, name))
    await writeFile(join(outDir, name), content)
  }
  const { name, title, claim } = study
  await write('result.json', `${JSON.stringify({ study: name, claim, command, ...result }, null, 2)}\n`)
  for (const [i, plot] of result.plots.entries()) {
    const svg = await drawPlot(plot, lightTheme, 860, 480)
    await write(`plots/${i + 1}.svg`, svg)
    const image = svgToPng(svg)
    if (image.ok) await write(`plots/${i + 1}.png`, image.png)
  }
  const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  const figures = await Promise.all(result.plots.map(figure))
  await write(
    'report.html',
    htmlPage({
      title,
      version,
      command,
      header: `<p class="lead">${escapeMarkup(claim)}</p>
<ul class="findings">${result.verdicts.map(({ held, sentence }) => `<li>${held ? '✓' : '✗'} ${escapeMarkup(sentence)}</li>`).join('')}</ul>
<dl>${Object.entries(result.settings)
        .map(
          ([setting, value]) =>
            `<dt>${escapeMarkup(setting)}</dt><dd>${escapeMarkup(typeof value === 'number' ? value.toLocaleString('en') : value)}</dd>`,
        )
        .join('')}</dl>`,
      main: [`<div class="plots">${figures.join('\n')}</div>`, ...result.tables.map(htmlTable)].join('\n'),
      data: { study: name, ...result },
    }),
  )
  return files
}

async function figure(plot: StudyPlot): Promise<string> {
  const wide = await drawPlot(plot, pageTheme, 860, 480)
  const narrow = await drawPlot(plot, pageTheme, 400, 500)
  return `<figure><div class="wide">${wide}</div><div class="narrow">${narrow}</div></figure>`
}

function drawPlot(plot: StudyPlot, theme: PlotTheme, width: number, height: number): Promise<string> {
  const styles = seriesStyles(plot.series.map(({ name }) => name))
  const chart: LineChart = {
    title: plot.title,
    subtitle: '',
    x: { label: plot.xLabel, log: plot.xLog === true },
    y: { label: plot.yLabel, log: plot.yLog === true },
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
  return drawLineChart(chart, { width, height, theme })
}

function htmlTable({ title, header, rows }: StudyTable): string {
  const head = header.map((cell) => `<th scope="col">${escapeMarkup(cell)}</th>`).join('')
  const body = rows.map(
    ([first, ...rest]) =>
      `<tr><th scope="row">${escapeMarkup(first ?? '')}</th>${rest.map((cell) => `<td>${escapeMarkup(cell)}</td>`).join('')}</tr>`,
  )
  return `<section><h2>${escapeMarkup(title)}</h2><div class="table"><table><thead><tr>${head}</tr></thead><tbody>${body.join('')}</tbody></table></div></section>`
}
