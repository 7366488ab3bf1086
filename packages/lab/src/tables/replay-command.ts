// The command line that replays a written table with the policies of its environment.

import type { TableSpec } from './table-spec.js'

export function replayCommandFor(
  file: string,
  spec: TableSpec,
  options: { readonly seed: number; readonly delta0?: number | undefined },
): string {
  const { context, covariate, observed, prediction, rewards, means, rewardRange, meanRange, ranges, interactions } =
    spec
  const flags: [string, string | undefined][] = [
    ['context', context.join(',')],
    ['covariate', covariate],
    ['observed', observed],
    ['prediction', prediction],
    ['rewards', rewards?.join(',')],
    ['means', means?.join(',')],
    ['reward-range', rewardRange?.join(',')],
    ['mean-range', meanRange?.join(',')],
    [
      'ranges',
      ranges &&
        Object.entries(ranges)
          .map(([name, [low, high]]) => `${name}=${low}..${high}`)
          .join(','),
    ],
    [
      'interactions',
      typeof interactions === 'object' ? interactions.map((product) => product.join(':')).join(',') : interactions,
    ],
    ['delta0', options.delta0?.toString()],
    ['seed', String(options.seed)],
  ]
  return [
    `primo replay ${quoted(file)}`,
    ...flags.flatMap(([name, value]) => (value ? [`--${name} ${quoted(value)}`] : [])),
  ].join(' ')
}

function quoted(text: string): string {
  return /^[A-Za-z0-9_.,:=/+-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`
}
