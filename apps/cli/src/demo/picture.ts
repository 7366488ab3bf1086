// The demo in the terminal: cumulative regret of all policies beside the unavoidable one, the errors of g~ and g^, one sentence.

import type { Comparison } from '@primo/contract'
import { terminalPlot } from '@primo/lab/node'

const MARKS: Readonly<Record<string, string>> = {
  'zero-fill': 'z',
  primo: 'p',
  'primo-cal': 'c',
  robust: 'R',
  'sees-all-values': 's',
}
const WIDTH = 60

export function picture(comparison: Comparison): string {
  const { problem, unit, curves, floor, rounds } = comparison
  const uniform = curves.find(({ policy }) => policy === 'uniform')?.points.at(-1)?.value
  // Uniform play would flatten the others: it is in the title.
  const shown = curves.filter(({ policy }) => policy in MARKS)
  return [
    terminalPlot(
      [
        ...shown.map(({ policy, live, points }) => ({
          label: live ? `${policy} (live)` : policy.replaceAll('-', ' ').replace('primo cal', 'primo-cal'),
          mark: MARKS[policy]!,
          points: points.map((point) => ({ x: point.rounds, y: point.value })),
        })),
        {
          label: 'best possible without them',
          mark: '·',
          points: floor.map((point) => ({ x: point.rounds, y: point.value })),
        },
      ],
      {
        title: `${problem}: cumulative regret in ${unit} (uniform play: ${whole(uniform ?? 0)} after ${whole(rounds)})`,
        xLabel: 'decisions',
        width: WIDTH,
        height: 14,
      },
    ),
    '',
    ...errorLines(comparison),
    '',
    ...wrapped(comparison.sentence),
  ].join('\n')
}

/** The last epochs: a line each for the pre-trained and the corrected model. */
function errorLines({ errors, covariateUnit, best }: Comparison): string[] {
  const last = errors.slice(-7)
  if (last.length === 0) return ['error of g~ and g^ by epoch: not known yet']
  const row = (name: string, values: readonly number[]) =>
    `${name.padEnd(14)}${values.map((value) => short(value).padStart(8)).join('')}`
  return [
    `error on missing values by epoch (root mean square, ${covariateUnit}; best possible ${best === null ? '?' : short(best)})`,
    `${'epoch'.padEnd(14)}${last.map(({ epoch }) => String(epoch).padStart(8)).join('')}`,
    row(
      'g~ pretrained',
      last.map(({ pretrained }) => pretrained),
    ),
    row(
      'g^ calibrated',
      last.map(({ calibrated }) => calibrated),
    ),
  ]
}

/** Whether calibration earned something, as far as the interval says. */
export function verdict({ problem, perThousand, settled, unit, rounds }: Comparison): string {
  const { mean, low, high } = perThousand.recovered
  const figures = `primo minus primo-cal is ${short(mean)} ${unit} per 1,000 decisions [${short(low)}, ${short(high)}] after ${whole(rounds)}`
  if (low > 0) {
    const since = settled === null ? '' : ` since decision ${whole(settled.rounds)}${seconds(settled.seconds)}`
    return `${problem}: calibration earns: ${figures}; the interval excludes zero${since}.`
  }
  return high < 0
    ? `${problem}: calibration costs: ${figures}; the interval excludes zero.`
    : `${problem}: not settled yet: ${figures}; the interval contains zero.`
}

function seconds(value: number | null): string {
  return value === null ? '' : ` (${value.toFixed(0)} s)`
}

export function wrapped(text: string, width = 96): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const last = lines[lines.length - 1]!
    if (last.length + word.length + 1 > width) lines.push(word)
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`
  }
  return lines
}

function whole(value: number): string {
  return Math.round(value).toLocaleString('en')
}

function short(value: number): string {
  const size = Math.abs(value)
  return size >= 100 ? whole(value) : value.toFixed(size >= 10 ? 1 : 2)
}
