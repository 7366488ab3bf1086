// The summary of a run as text for the terminal, as Markdown and as CSV. The first two round for reading; CSV does not.

import type { Estimate } from '../statistics/summarise.js'
import type { PairedComparison } from './comparison.js'
import { findings } from './findings.js'
import { formatEstimate, formatEstimates, formatFixed, formatInterval, formatNumber } from './number-format.js'
import type { PolicySummary, RunSummary, ScenarioSummary } from './summary.js'
import { textTable } from './text-table.js'

export interface Table {
  readonly header: readonly string[]
  readonly rows: readonly (readonly string[])[]
}

const UNKNOWN = '-'

/** One line per policy, best first; columns that nothing is known of are left out. */
export function policyTable({ policies, measure }: ScenarioSummary): Table {
  const cells = <T>(of: (policy: PolicySummary) => T | null, format: (value: T) => string) =>
    policies.map((policy) => {
      const value = of(policy)
      return value === null ? UNKNOWN : format(value)
    })
  const columns: readonly (readonly [title: string, cells: readonly string[]])[] = [
    ['policy', policies.map(({ policy }) => policy)],
    ['runs', policies.map(({ runs }) => formatFixed(runs, 0))],
    ['regret', estimates(policies.map(({ regret }) => regret))],
    ['excess', estimates(policies.map(({ excess }) => excess))],
    [
      'slope',
      cells(
        (policy) => policy.slope,
        (value) => formatFixed(value, 2),
      ),
    ],
    [
      'slope of excess',
      cells(
        ({ excessSlope }) => excessSlope,
        (value) => formatFixed(value, 2),
      ),
    ],
    [
      'per round, last half',
      cells(
        ({ lastHalf }) => lastHalf,
        ({ mean }) => formatNumber(mean),
      ),
    ],
    [
      'p95',
      cells(
        ({ p95 }) => p95,
        (value) => formatNumber(value),
      ),
    ],
    [
      'reward',
      measure === 'reward'
        ? estimates(policies.map(({ reward }) => reward))
        : policies.map(({ reward }) => formatNumber(reward.mean, 4)),
    ],
  ]
  const known = columns.filter(([, values]) => values.some((value) => value !== UNKNOWN))
  return {
    header: known.map(([title]) => title),
    rows: policies.map((_, i) => known.map(([, values]) => values[i]!)),
  }
}

/** One line per policy other than the reference. */
export function comparisonTable({ comparisons, reference, measure }: ScenarioSummary): Table {
  const header = [
    `${measure} against ${reference ?? UNKNOWN}`,
    'pairs',
    'difference',
    '95% interval',
    'ratio',
    '95% interval',
  ]
  const differences = formatEstimates(
    comparisons.map(({ difference: mean, standardError }) => ({ mean, standardError })),
  )
  return {
    header,
    rows: comparisons.map(({ policy, pairs, interval, ratio, ratioInterval }, i) => [
      policy,
      formatFixed(pairs, 0),
      differences[i]!,
      interval === null ? UNKNOWN : formatInterval(interval),
      ratio === null ? UNKNOWN : formatFixed(ratio, 3),
      ratioInterval === null ? UNKNOWN : formatInterval(ratioInterval, { border: 1, least: 3 }),
    ]),
  }
}

function estimates(column: readonly (Estimate | null)[]): readonly string[] {
  const texts = formatEstimates(column.filter((value) => value !== null))
  let next = 0
  return column.map((value) => (value === null ? UNKNOWN : texts[next++]!))
}

/** "A: 131,072 rounds, 20 seeds; unavoidable 960 ± 3" */
export function scenarioLine({ scenario, rounds, seeds, floor }: ScenarioSummary): string {
  const count = `${formatFixed(seeds.length, 0)} seed${seeds.length === 1 ? '' : 's'}`
  const unavoidable = floor === null ? '' : `; unavoidable ${formatEstimate(floor)}`
  return `${scenario}: ${formatFixed(rounds, 0)} round${rounds === 1 ? '' : 's'}, ${count}${unavoidable}`
}

/** The summary of a run for the terminal. */
export function summaryText(summary: RunSummary): string {
  const render = ({ header, rows }: Table) =>
    textTable(
      header.map(printable),
      rows.map((row) => row.map(printable)),
    )
  const parts = summary.scenarios.map((scenario) => {
    const tables = [policyTable(scenario), ...(scenario.comparisons.length > 0 ? [comparisonTable(scenario)] : [])]
    return [printable(scenarioLine(scenario)), ...tables.map(render)].join('\n\n')
  })
  const conclusions = summary.scenarios.flatMap((scenario) => findings(scenario).slice(0, 1).map(printable))
  const top = conclusions.length === 0 ? [] : [conclusions.join('\n')]
  return `${[...top, ...parts, tableNotes(summary).join('\n')].join('\n\n')}\n`
}

export function summaryMarkdown(summary: RunSummary): string {
  const parts = summary.scenarios.map((scenario) => {
    const tables = [policyTable(scenario), ...(scenario.comparisons.length > 0 ? [comparisonTable(scenario)] : [])]
    return [`## ${markdownText(scenarioLine(scenario))}`, ...tables.map(markdownTable)].join('\n\n')
  })
  return `${parts.join('\n\n')}\n\n${markdownText(tableNotes(summary).join(' '))}\n`
}

/** One line per scenario and policy at full precision; the comparison with the reference is in the same line. */
export function summaryCsv(summary: RunSummary): string {
  const lines = summary.scenarios.flatMap((scenario) =>
    scenario.policies.map((policy) => {
      const paired = scenario.comparisons.find((comparison) => comparison.policy === policy.policy)
      return Object.entries(csvRow(scenario, policy, paired))
    }),
  )
  const header = lines[0]?.map(([name]) => name) ?? []
  return `${[header, ...lines.map((line) => line.map(([, value]) => value))]
    .map((cells) => cells.map(csvCell).join(','))
    .join('\n')}\n`
}

function csvRow(scenario: ScenarioSummary, policy: PolicySummary, paired: PairedComparison | undefined) {
  return {
    scenario: scenario.scenario,
    policy: policy.policy,
    rounds: scenario.rounds,
    runs: policy.runs,
    regret: policy.regret?.mean,
    regret_se: policy.regret?.standardError,
    regret_p95: policy.p95,
    excess: policy.excess?.mean,
    excess_se: policy.excess?.standardError,
    slope: policy.slope,
    excess_slope: policy.excessSlope,
    last_half_from: policy.lastHalf?.from,
    last_half_regret_per_round: policy.lastHalf?.mean,
    last_half_regret_per_round_se: policy.lastHalf?.standardError,
    reward: policy.reward.mean,
    reward_se: policy.reward.standardError,
    reference: scenario.reference,
    measure: scenario.measure,
    pairs: paired?.pairs,
    difference: paired?.difference,
    difference_se: paired?.standardError,
    difference_low: paired?.interval?.[0],
    difference_high: paired?.interval?.[1],
    ratio: paired?.ratio,
    ratio_low: paired?.ratioInterval?.[0],
    ratio_high: paired?.ratioInterval?.[1],
  }
}

/** What the columns mean, in as many words as these tables need. */
export function tableNotes({ scenarios }: Pick<RunSummary, 'scenarios'>): readonly string[] {
  const some = (has: (policy: PolicySummary) => boolean) => scenarios.some(({ policies }) => policies.some(has))
  return [
    '± is one standard error over seeds.',
    ...(some(({ excess }) => excess !== null)
      ? ['Excess: regret beyond what nobody can avoid without seeing the missing values.']
      : []),
    ...(some((policy) => policy.slope !== null)
      ? ['Slope: of log regret on log rounds over the last five powers of two; 1 is linear, 0.5 a square root.']
      : []),
    ...(some(({ p95 }) => p95 !== null) ? ['p95: 95% quantile of the regret over seeds.'] : []),
    ...(scenarios.some(({ comparisons }) => comparisons.length > 0)
      ? ['Differences are paired by seed: the policies saw the same rounds.']
      : []),
  ]
}

function markdownTable({ header, rows }: Table): string {
  const line = (cells: readonly string[]) => `| ${cells.map(markdownText).join(' | ')} |`
  return [line(header), `|${header.map((_, k) => (k === 0 ? '---' : '--:')).join('|')}|`, ...rows.map(line)].join('\n')
}

export function markdownText(text: string): string {
  return printable(text).replace(/[\\|<>*_`[\]~]/g, '\\$&')
}

/** Without control characters, which could move the cursor of a terminal or break a line of a table. */
function printable(text: string): string {
  return text.replace(/\p{Cc}+/gu, ' ')
}

/** RFC 4180; unknown values are empty. */
function csvCell(value: string | number | null | undefined): string {
  const text = value == null ? '' : String(value)
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
