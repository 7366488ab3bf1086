// primo study mar-test: size and power of the test for missing at random (method#mar-test). Uniform play, n rounds, one test at
// nominal 1% by the robust profile's own end of epoch; fresh rounds in every repetition.
//   size: environments A and B, where values are missing at random;   power: MNAR of strength 1, 2 and 4.

import { createEngine } from '@primo/core/engine'
import { createEnvironment, scenarioFromName, simulate, worldOf } from '@primo/lab'
import type { Study, StudyOptions, StudyResult, Verdict } from '@primo/lab/node'

interface Case {
  readonly scenario: string
  readonly strength: number
}

const CASES: readonly Case[] = [
  { scenario: 'A', strength: 0 },
  { scenario: 'B', strength: 0 },
  { scenario: 'MNAR+4?mnarStrength=1', strength: 1 },
  { scenario: 'MNAR+4?mnarStrength=2', strength: 2 },
  { scenario: 'MNAR+4', strength: 4 },
]

/** Two-sided points of the standard normal. */
const FIVE_PER_CENT = 1.96
const ONE_PER_CENT = 2.5758

/** How often each number of rounds is repeated, and the largest strength for which it is (beyond it every test rejects). */
export interface MarTestSize {
  readonly rounds: number
  readonly repetitions: number
  readonly strongest: number
}

export interface RejectionRate extends Case {
  readonly rounds: number
  readonly repetitions: number
  readonly atFivePerCent: number
  readonly atOnePerCent: number
}

export function rejectionRate(
  { scenario, strength }: Case,
  rounds: number,
  repetitions: number,
  seed: number,
): RejectionRate {
  const environment = createEnvironment(scenarioFromName(scenario))
  const engine = createEngine(environment.problem, {
    profile: 'robust',
    oracle: { interactions: environment.interactions },
    // Uniform play up to the only end of an epoch, which is due when one more round is decided.
    schedule: { kind: 'list', ends: [rounds] },
  })
  let five = 0
  let one = 0
  for (let k = 0; k < repetitions; k++) {
    const { state } = simulate({ engine, world: worldOf(environment, seed + k, rounds + 1), seed: seed + k })
    const test = state.reports[0]?.covariates[0]?.guard?.test
    if (test == null) throw new Error(`no test was made in ${scenario} after ${rounds} rounds`)
    if (Math.abs(test.statistic) > FIVE_PER_CENT) five++
    if (Math.abs(test.statistic) > ONE_PER_CENT) one++
  }
  return {
    scenario,
    strength,
    rounds,
    repetitions,
    atFivePerCent: five / repetitions,
    atOnePerCent: one / repetitions,
  }
}

export async function runMarTest(options: StudyOptions, sizes: readonly MarTestSize[]): Promise<StudyResult> {
  const tests = sizes.flatMap((size) =>
    CASES.filter(({ strength }) => strength <= size.strongest).map((one) => ({ one, ...size })),
  )
  const cost = tests.reduce((sum, { rounds, repetitions }) => sum + rounds * repetitions, 0)
  let done = 0
  const rates: RejectionRate[] = []
  for (const { one, rounds, repetitions } of tests) {
    rates.push(rejectionRate(one, rounds, repetitions, options.seed))
    done += rounds * repetitions
    options.onProgress?.(done / cost)
    // Lets the progress be drawn.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return {
    settings: { 'first seed': options.seed, scale: options.scale },
    tables: [
      {
        title: 'Share of repetitions in which the test rejects',
        header: ['environment', 'MNAR strength', 'rounds', 'repetitions', 'at 5%', 'se', 'at 1%', 'se'],
        rows: rates.map((rate) => [
          rate.scenario,
          String(rate.strength),
          rate.rounds.toLocaleString('en'),
          rate.repetitions.toLocaleString('en'),
          rate.atFivePerCent.toFixed(3),
          errorOf(rate.atFivePerCent, rate.repetitions).toFixed(3),
          rate.atOnePerCent.toFixed(3),
          errorOf(rate.atOnePerCent, rate.repetitions).toFixed(3),
        ]),
      },
    ],
    plots: [
      {
        title: 'Rejections at 1% by the strength with which missingness depends on the hidden value',
        xLabel: 'MNAR strength',
        yLabel: 'share rejected',
        series: sizes.map(({ rounds: n }) => ({
          name: `${n.toLocaleString('en')} rounds`,
          points: rates
            .filter((rate) => rate.rounds === n && rate.scenario !== 'B')
            .map(({ strength, repetitions, atOnePerCent }) => {
              const half = 1.96 * errorOf(atOnePerCent, repetitions)
              return { x: strength, y: atOnePerCent, low: atOnePerCent - half, high: atOnePerCent + half }
            }),
        })),
      },
    ],
    verdicts: marTestVerdicts(rates),
  }
}

const LARGEST_SIZE = 0.03
const MIN_POWER = 0.85
const POWER_ROUNDS = 1000

export function marTestVerdicts(rates: readonly RejectionRate[]): readonly Verdict[] {
  const text = ({ atOnePerCent, repetitions }: RejectionRate) =>
    `${atOnePerCent.toFixed(3)} ± ${errorOf(atOnePerCent, repetitions).toFixed(3)}`
  const sizes = rates
    .filter(({ strength }) => strength === 0)
    .map((rate) => ({
      held: rate.atOnePerCent < LARGEST_SIZE,
      sentence: `Size at nominal 1% in ${rate.scenario}, ${rate.rounds.toLocaleString('en')} rounds: ${text(rate)} (target: below ${LARGEST_SIZE}).`,
    }))
  const powers = rates
    .filter(({ strength, rounds }) => strength === 4 && rounds === POWER_ROUNDS)
    .map((rate) => ({
      held: rate.atOnePerCent > MIN_POWER,
      sentence: `Power at 1% for strength 4, ${rate.rounds.toLocaleString('en')} rounds: ${text(rate)} (target: above ${MIN_POWER}).`,
    }))
  return [...sizes, ...powers]
}

function errorOf(share: number, repetitions: number): number {
  return Math.sqrt((share * (1 - share)) / repetitions)
}

export const marTest: Study = {
  name: 'mar-test',
  title: 'The test for missing at random',
  claim:
    'At nominal 1% the test rejects less than 3% of the time under MAR, and more than 85% at 1,000 rounds under MNAR of strength 4.',
  run: (options) =>
    runMarTest(
      options,
      options.scale === 'full'
        ? [
            { rounds: POWER_ROUNDS, repetitions: 1000, strongest: 4 },
            { rounds: 4000, repetitions: 600, strongest: 4 },
            { rounds: 16_000, repetitions: 300, strongest: 1 },
          ]
        : [{ rounds: POWER_ROUNDS, repetitions: 300, strongest: 4 }],
    ),
}
