// The demo in the terminal: what each way of deciding lost so far beside what is unavoidable, the errors of the models, one sentence.

import type { Comparison } from '@primo/contract'
import { terminalPlot } from '@primo/lab/node'

const MARKS: Readonly<Record<string, string>> = {
  'zero-fill': 'z',
  uncorrected: 'u',
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
          label: live ? 'Primo (live)' : policy.replaceAll('-', ' '),
          mark: MARKS[policy]!,
          points: points.map((point) => ({ x: point.rounds, y: point.value })),
        })),
        {
          label: 'best with values missing',
          mark: '·',
          points: floor.map((point) => ({ x: point.rounds, y: point.value })),
        },
      ],
      {
        title: `${problem}: ${unit} lost so far (choosing at random: ${whole(uniform ?? 0)} after ${whole(rounds)})`,
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
  if (last.length === 0) return ['error on missing values: not known yet']
  const row = (name: string, values: readonly number[]) =>
    `${name.padEnd(14)}${values.map((value) => short(value).padStart(8)).join('')}`
  return [
    `error on missing values by epoch (root mean square, ${covariateUnit}; best possible ${best === null ? '?' : short(best)})`,
    `${'epoch'.padEnd(14)}${last.map(({ epoch }) => String(epoch).padStart(8)).join('')}`,
    row(
      'the model',
      last.map(({ pretrained }) => pretrained),
    ),
    row(
      'corrected',
      last.map(({ calibrated }) => calibrated),
    ),
  ]
}

/** Whether Primo earned something, as far as the interval says, and what it takes to say. */
export function verdict({ problem, perThousand: { live }, settled, needed, rounds, sentence }: Comparison): string {
  const after = `after ${whole(rounds)} decisions`
  if (settled !== null) {
    const when = settled.seconds === null ? '' : ` (${settled.seconds.toFixed(0)} s)`
    return `${problem}: ${sentence} Settled since decision ${whole(settled.rounds)}${when}.`
  }
  const more = `${short(Math.abs(live.mean))} ${live.mean < 0 ? 'less' : 'more'} per 1,000`
  const so = `${more} (between ${short(live.low)} and ${short(live.high)}) ${after}`
  const enough =
    needed === null ? 'go on for a few thousand decisions' : `about --rounds ${needed} in all would be enough`
  return `${problem}: ${sentence} So far ${so}; the interval contains zero: ${enough}.`
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
