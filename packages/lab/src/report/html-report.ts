// A run as one HTML page: findings, settings, tables, pictures, how it was made, and the figures as JSON.

import type { RunRow } from '../runs/run-row.js'
import type { RunSpec } from '../runs/run-spec.js'
import { floorCurve, regretCurve } from './curves.js'
import { findings } from './findings.js'
import { groupRows } from './grouped-rows.js'
import { htmlPage } from './html-page.js'
import { htmlFigure, htmlTable, narrowFrame, type Setting, settingsList } from './html-parts.js'
import { formatFixed } from './number-format.js'
import { type PlotKind, type RunPlot, runPlots } from './plots.js'
import { pageTheme, type SeriesStyle, seriesStyles } from './series-style.js'
import { type RunSummary, type ScenarioSummary, summariseRun } from './summary.js'
import { escapeMarkup } from './svg-text.js'
import { comparisonTable, policyTable, scenarioLine, tableNotes } from './tables.js'

type SettingValue = string | number | boolean | null | readonly (string | number)[]

/** What the rows do not say of themselves. */
export interface ReportOptions {
  /** Default: the scenarios. */
  readonly title?: string
  /** The policy that the others are compared with; default `primo` where there is one, else the best that is no benchmark. */
  readonly reference?: string
  /** What regret is measured in, for the axes; default "units of reward". */
  readonly unit?: string
  /** Sentences to put before those computed from the rows. */
  readonly findings?: readonly string[]
  /** Further settings to show, by name. */
  readonly settings?: Readonly<Record<string, SettingValue>>
  /** The run's specification, kept with the data of the page. */
  readonly spec?: RunSpec
}

export interface HtmlReportInput extends ReportOptions {
  readonly rows: readonly RunRow[]
  /** The command that made the run. */
  readonly command: string
  readonly version: string
}

/** So many scenarios have their first finding under the title. */
const LEADS = 3

export function htmlReport(input: HtmlReportInput): string {
  const { rows, command, version, spec } = input
  const summary = summariseRun(rows, input)
  const wide = runPlots(rows, { ...plotOptions(input), theme: pageTheme })
  const narrow = runPlots(rows, { ...plotOptions(input), theme: pageTheme, ...narrowFrame })
  const styles = seriesStyles(rows.map(({ policy }) => policy))
  const told = summary.scenarios.map((scenario) => findings(scenario))
  const sections = summary.scenarios.map((scenario, i) => {
    const figures = wide.flatMap((plot, k) =>
      plot.scenario === scenario.scenario ? [figureOf(plot, narrow[k]!, scenario)] : [],
    )
    // The first finding may already stand under the title.
    return section(scenario, `scenario-${i + 1}`, told[i]!.slice(i < LEADS ? 1 : 0), figures, styles)
  })
  const links = summary.scenarios.map(({ scenario }, i) => `<a href="#scenario-${i + 1}">${escapeMarkup(scenario)}</a>`)
  const contents = links.length > 1 ? `\n<p>Scenarios: ${links.join(' · ')}</p>` : ''
  const leads = [...(input.findings ?? []), ...told.slice(0, LEADS).flatMap((sentences) => sentences.slice(0, 1))]
  const paragraphs = leads.map((sentence) => `<p class="lead">${escapeMarkup(sentence)}</p>\n`)
  return htmlPage({
    title: reportTitle(summary, input),
    header: paragraphs.join('') + settingsList(settingsOf(summary, styles, input)) + contents,
    main: sections.join('\n'),
    command,
    version,
    data: { made: { command, version, spec: spec ?? null }, summary, curves: curvesOf(rows) },
  })
}

/** The title asked for, or one made of the scenarios. */
export function reportTitle({ scenarios }: RunSummary, { title }: ReportOptions): string {
  if (title !== undefined) return title
  const names = scenarios.map(({ scenario }) => scenario)
  const more = names.length > 4 ? `${names.slice(0, 3).join(', ')} and ${names.length - 3} more` : names.join(', ')
  return `Policies compared on ${more}`
}

/** The part of the options that pictures depend on. */
export function plotOptions({ reference, unit }: ReportOptions) {
  return { ...(reference === undefined ? {} : { reference }), ...(unit === undefined ? {} : { unit }) }
}

function section(
  scenario: ScenarioSummary,
  id: string,
  sentences: readonly string[],
  figures: readonly string[],
  styles: ReadonlyMap<string, SeriesStyle>,
): string {
  const { reference, comparisons, unpaired } = scenario
  const mark = (policy: string) => swatch(styles.get(policy))
  const parts = [`<h2>${escapeMarkup(scenarioLine(scenario))}</h2>`]
  if (sentences.length > 0) {
    parts.push(`<ul class="findings">${sentences.map((text) => `<li>${escapeMarkup(text)}</li>`).join('')}</ul>`)
  }
  parts.push('<h3>Policies, best first</h3>')
  parts.push(htmlTable(policyTable(scenario), { mark, strong: (policy) => policy === reference }))
  if (reference !== null && comparisons.length > 0) {
    parts.push(`<h3>Compared with ${escapeMarkup(reference)}, paired by seed</h3>`)
    parts.push(htmlTable(comparisonTable(scenario), { mark }))
  }
  const notes = [...tableNotes({ scenarios: [scenario] })]
  if (unpaired.length > 0) notes.push(`No seed in common with the reference: ${unpaired.join(', ')}.`)
  parts.push(`<p class="note">${escapeMarkup(notes.join(' '))}</p>`)
  parts.push(`<div class="plots">${figures.join('\n')}</div>`)
  return `<section id="${id}">\n${parts.join('\n')}\n</section>`
}

const captions: Readonly<Record<PlotKind, string>> = {
  'paired-difference':
    'Small dots are single seeds. Where the interval does not reach zero, chance alone would give such a difference in less than 1 of 20 repeats of the run.',
  reward: 'The true mean rewards are not known, so this is what the policies earned, chance included.',
  'cumulative-regret': 'What the best action of every round would have earned more in expectation, added up.',
  'log-log-regret': 'On these axes a power of the number of rounds is a straight line, and its exponent is the slope.',
  'regret-per-round': 'What one more round costs at that time.',
  'imputation-error':
    'Error of the value that stood in for the missing one; the dashed line is the pre-trained model as it is. Noise that no imputation can know is included.',
  gamma:
    'The parameter of inverse gap weighting: the larger, the less exploration. It has no effect on policies that explore in another way.',
}

function figureOf(wide: RunPlot, narrow: RunPlot, { floor }: ScenarioSummary): string {
  const dotted = ' The dotted line is the part that nobody avoids without seeing what is missing.'
  const caption = captions[wide.kind] + (wide.kind === 'cumulative-regret' && floor !== null ? dotted : '')
  return htmlFigure({ wide: wide.svg, narrow: narrow.svg, caption })
}

function settingsOf(
  { scenarios }: RunSummary,
  styles: ReadonlyMap<string, SeriesStyle>,
  { settings = {} }: ReportOptions,
): readonly Setting[] {
  const distinct = (values: readonly string[]) => escapeMarkup([...new Set(values)].join('; '))
  const names = [...styles.keys()].sort((a, b) => (a < b ? -1 : 1))
  const chips = names.map((policy) => `<span class="chip">${swatch(styles.get(policy))}${escapeMarkup(policy)}</span>`)
  const text = (value: SettingValue) =>
    typeof value === 'object' && value !== null ? value.join(', ') : String(value ?? '-')
  return [
    {
      name: scenarios.length === 1 ? 'scenario' : 'scenarios',
      html: distinct([scenarios.map(({ scenario }) => scenario).join(', ')]),
    },
    { name: 'rounds', html: distinct(scenarios.map(({ rounds }) => formatFixed(rounds, 0))) },
    { name: 'seeds', html: distinct(scenarios.map(({ seeds }) => seedRanges(seeds))) },
    { name: 'policies', html: chips.join(' ') },
    { name: 'compared with', html: distinct(scenarios.flatMap(({ reference }) => reference ?? [])) },
    ...Object.entries(settings).map(([name, value]) => ({ name, html: escapeMarkup(text(value)) })),
  ]
}

/** "20 (1 to 20)", "3 (1, 4, 9)" */
function seedRanges(seeds: readonly number[]): string {
  const ranges: [number, number][] = []
  for (const seed of seeds) {
    const last = ranges.at(-1)
    if (last !== undefined && last[1] + 1 === seed) last[1] = seed
    else ranges.push([seed, seed])
  }
  const texts = ranges.map(([a, b]) => (a === b ? `${a}` : b === a + 1 ? `${a}, ${b}` : `${a} to ${b}`))
  const shown = texts.length > 8 ? [...texts.slice(0, 7), '…'] : texts
  return `${formatFixed(seeds.length, 0)} (${shown.join(', ')})`
}

function swatch(style: SeriesStyle | undefined): string {
  if (style === undefined) return ''
  const dash = style.dash === null ? '' : ` stroke-dasharray="${style.dash}"`
  return `<svg width="20" height="8" aria-hidden="true"><path d="M0,4h20" stroke="var(--${style.color})" stroke-width="3"${dash}/></svg>`
}

function curvesOf(rows: readonly RunRow[]) {
  return groupRows(rows).map(({ scenario, policies }) => ({
    scenario,
    policies: policies.map(({ policy, rows: ofPolicy }) => ({
      policy,
      regret: regretCurve(ofPolicy),
      floor: floorCurve(ofPolicy),
    })),
  }))
}
