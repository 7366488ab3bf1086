// primo study gamma: the effect of the exploration parameter (method#gamma-table). Environment A, last-epoch fits,
// half split, as Alg.3: c of the practical gamma swept over three decades, next to the printed theory gamma.

import { type PolicySpec, referenceData } from '@primo/lab'
import { playScenario } from '../runner/play.js'
import { bandPoints } from '../runner/plots.js'
import { defineStudy } from '../runner/run-study.js'
import { arm, column, mean, sizeText, table } from '../runner/tables.js'
import { type Quoted, quotedText, reproduced } from '../runner/verdicts.js'
import { theoryShares } from './reference.js'
import { referencePolicies } from './reference-policies.js'

const SCALES = [0.1, 0.3, 1, 3, 10, 30, 100, 300]

/** method#gamma-table at T = 2^17, 10 seeds, by policy and c. */
const QUOTED: Readonly<Record<string, Readonly<Record<number, Quoted>>>> = {
  'primo-cal': {
    0.1: [12373, 6],
    0.3: [10018, 6],
    1: [6577, 8],
    3: [3922, 8],
    10: [2273, 7],
    30: [1669, 14],
    100: [1531, 29],
    300: [1545, 33],
  },
  primo: { 1: [6931, 10], 3: [4268, 8], 10: [2591, 9], 30: [1990, 16], 100: [1854, 30] },
  'sees all values': { 1: [5778, 6], 3: [2996, 10], 10: [1289, 5], 30: [654, 8], 100: [570, 42] },
}
const FAMILIES = Object.keys(QUOTED)

function lineup(): readonly PolicySpec[] {
  const { policy, calibration, theoryGamma } = referencePolicies(referenceData('A'))
  const swept = SCALES.flatMap((c) => {
    const gamma = { kind: 'practical', c } as const
    return [
      policy(`primo-cal c=${c}`, { profile: 'primo-cal', calibration: calibration(), gamma }),
      policy(`primo c=${c}`, { profile: 'primo', gamma }),
      policy(`sees all values c=${c}`, { profile: 'primo', gamma }, 'truth'),
    ]
  })
  return [
    { name: 'uniform', kind: 'uniform' },
    policy('primo-cal, theory gamma', { profile: 'primo-cal', calibration: calibration(), gamma: theoryGamma }),
    policy('primo, theory gamma', { profile: 'primo', gamma: theoryGamma }),
    ...swept,
  ]
}

function quotedOf(name: string): Quoted | undefined {
  const [family, c] = name.split(' c=')
  return QUOTED[family!]?.[Number(c)]
}

export const gamma = defineStudy({
  name: 'gamma',
  title: 'The exploration parameter gamma',
  claim:
    'The printed gamma plays almost uniformly at any realistic horizon; a practical gamma cuts regret several-fold.',
  full: { rounds: 2 ** 17, repeats: 10 },
  quick: { rounds: 2 ** 14, repeats: 4 },
  worlds: () => [{ name: 'A' }],
  measure: ({ name }, options) => playScenario(name, lineup(), options),
  tables: (found) => [
    table(`Regret by c, ${sizeText(found.size)}`, found.places(), [
      arm,
      ...mean('regret'),
      column('quoted (2^17)', (place) => quotedText(quotedOf(place.arm) ?? null)),
    ]),
  ],
  plots: (found) => [
    {
      title: 'Regret against c: the printed gamma sits at the level of uniform play',
      xLabel: 'c of the practical gamma c sqrt(K n / dim)',
      yLabel: 'regret',
      xLog: true,
      yLog: true,
      series: [
        ...FAMILIES.map((name) => ({
          name,
          points: bandPoints(
            SCALES,
            SCALES.map((c) => found.mean('A', `${name} c=${c}`, 'regret')),
          ),
        })),
        {
          name: 'uniform',
          dashed: true,
          points: [SCALES[0]!, SCALES.at(-1)!].map((x) => ({ x, y: found.mean('A', 'uniform', 'regret').mean })),
        },
      ],
    },
  ],
  verdicts: (found) => {
    const shares = theoryShares(found)
    const uniform = found.mean('A', 'uniform', 'regret').mean
    const best = Math.min(...SCALES.map((c) => found.mean('A', `primo-cal c=${c}`, 'regret').mean))
    const quotes = found.places().flatMap((place) => {
      const quoted = quotedOf(place.arm)
      return quoted === undefined ? [] : [{ place, quoted }]
    })
    return [
      {
        held: shares.every((share) => Math.abs(share - 1) <= 0.01),
        sentence: `Printed theory gamma: ${shares.map((share) => `${(100 * share).toFixed(1)}%`).join(' and ')} of uniform play (claim: within 1%).`,
      },
      {
        held: best < uniform / 3,
        sentence: `The best practical gamma brings PRIMO-Cal to ${best.toFixed(0)}, ${(uniform / best).toFixed(1)} times less than uniform play (claim: at least 3 times).`,
      },
      ...(found.full ? [reproduced('A', quotes, 'regret')] : []),
    ]
  },
})
