// primo study asking: truths of 2% of the missing values, asked for at random or where knowing is worth most
// (method#asking), where values are not missing at random. Excess: regret more than that of the same profile when it
// is told every truth after the decision, which therefore knows the right correction. And whether the limits of the
// mean error, looked at after every end of an epoch, ever miss.

import type { AuditSpec, Problem } from '@primo/core'
import { auditReport, createEngine, type Engine, type EpochState, Observed, type RoundTable } from '@primo/core/engine'
import { createEnvironment, scenarioFromName, simulate, summarise, type WorldBlock } from '@primo/lab'
import { BLOCK_ROUNDS } from '@primo/numeric'
import { blocksOf } from '../runner/play.js'
import { savingsPlot } from '../runner/plots.js'
import { defineStudy } from '../runner/run-study.js'
import type { Figures } from '../runner/study-spec.js'
import { against, arm, estimate, figure, sizeText, table, world } from '../runner/tables.js'
import { compared, covers, percent } from '../runner/verdicts.js'

const SHARE = 0.02
/** The most that the audit by value may have of the excess of the random one, and in how many worlds. */
const TARGET = 0.8
const TARGET_WORLDS = 2
const AUDITS: Readonly<Record<string, AuditSpec>> = { random: { share: SHARE }, 'by value': { budget: SHARE } }

function playAudited(problem: Problem, audit: AuditSpec | undefined, world: readonly WorldBlock[], seed: number) {
  const covariates = Object.entries(problem.covariates).map(([name, spec]) => [name, audit ? { ...spec, audit } : spec])
  const engine = createEngine({ ...problem, covariates: Object.fromEntries(covariates) }, { profile: 'robust' })
  const { tally, state, rounds } = simulate({ engine, world, seed })
  const { min, max } = problem.reward.mean ?? problem.reward
  return { regret: tally.knownRegret! * (max - min), engine, state, rounds }
}

/**
 * The mean of truth minus value used over the missing rows so far, by row; `asked`: the share of the missing values
 * asked for.
 */
function everMissed(
  engine: Engine,
  { reports }: EpochState,
  rounds: RoundTable,
  world: readonly WorldBlock[],
  unit: number,
): boolean {
  let looked = 0
  let row = 0
  let sum = 0
  let missing = 0
  return reports.some(({ window }) => {
    for (; row < window.to; row++) {
      const block = rounds.block(row)
      const at = row % BLOCK_ROUNDS
      if (block.observed[at] === Observed.atDecision) continue
      missing++
      sum += world[Math.floor(row / BLOCK_ROUNDS)]!.truth[at]! - block.covariates[at]!
    }
    // The default ends its epochs often: limits are looked at when rounds have grown by a twentieth.
    if (window.to < 1.05 * looked) return false
    looked = window.to
    const used = auditReport(rounds, window, engine, 0)?.limits?.used
    return used != null && ((unit * sum) / missing < used.low || (unit * sum) / missing > used.high)
  })
}

function askedShare({ blocks, count }: RoundTable): number {
  const flags = blocks.flatMap(({ index, observed }) => [...observed.subarray(0, count - index * BLOCK_ROUNDS)])
  const missing = flags.filter((flag) => flag !== Observed.atDecision)
  return missing.filter((flag) => flag !== Observed.missing).length / missing.length
}

export const asking = defineStudy({
  name: 'asking',
  title: 'Where to ask for the truth of missing values',
  claim:
    'At 2% of the missing values, asking where knowing is worth most has at most 0.8 times the excess of asking at random in two of four worlds that are not missing at random, is worse in none, and its limits cover.',
  full: { rounds: 2 ** 15, repeats: 16 },
  quick: { rounds: 2 ** 15, repeats: 2 },
  worlds: () =>
    ['MNAR+4', 'B?mnarStrength=-4', 'dosing?mnarStrength=4', 'pricing?mnarStrength=-4'].map((name) => ({ name })),
  measure: ({ name }, { seed, size }) => {
    const environment = createEnvironment(scenarioFromName(name))
    const { problem } = environment
    const [feature] = Object.values(problem.covariates)
    // One inside unit in those of the covariate.
    const unit = feature?.type === 'number' ? (feature.max - feature.min) / 2 : 1
    const blocks = blocksOf(environment, seed, size.rounds)
    const told = playAudited(problem, { share: 1 }, blocks, seed).regret
    const audited = Object.entries(AUDITS).map(([audit, spec]): [string, Figures] => {
      const { regret, engine, state, rounds } = playAudited(problem, spec, blocks, seed)
      const covered = everMissed(engine, state, rounds, blocks, unit) ? 0 : 1
      return [audit, { excess: regret - told, covered, asked: askedShare(rounds) }]
    })
    return {
      none: { excess: playAudited(problem, undefined, blocks, seed).regret - told },
      ...Object.fromEntries(audited),
    }
  },
  tables: (found) => [
    table(`Excess over being told every truth, ${sizeText(found.size)}`, found.places(), [
      world,
      arm,
      estimate('excess'),
      ...against('excess', 'random'),
      figure('asked', 4),
      figure('covered', 3, 'limits never missed'),
    ]),
  ],
  plots: (found) => [
    savingsPlot(found, {
      title: 'Regret that asking by value saves over asking at random',
      figure: 'excess',
      than: 'random',
      places: found.places(['by value']),
      name: (place) => place.world,
    }),
  ],
  verdicts: (found) => {
    const places = found.places(['by value'])
    const better = places.filter((place) => {
      const random = place.mean('excess', 'random').mean
      return random > 0 && place.mean('excess').mean <= TARGET * random
    })
    const most = Math.max(...places.map((place) => summarise(place.values('asked')).mean))
    const hits = found.places(Object.keys(AUDITS)).flatMap((place) => place.values('covered'))
    return [
      {
        held: better.length >= TARGET_WORLDS,
        sentence: `Asking by value has at most ${TARGET} times the excess of asking at random in ${better.length} of ${places.length} worlds (target: ${TARGET_WORLDS}).`,
      },
      ...places.map((place) => compared(place, { figure: 'excess', than: 'random', target: 'not more' })),
      {
        held: most <= 1.1 * SHARE,
        sentence: `It asked for ${percent(most, 2)} of the missing values at most, on average over seeds (target: ${percent(SHARE)}, a tenth more for chance).`,
      },
      covers({
        what: 'The limits of the mean error, looked at after every epoch, never missed it in',
        hits,
        least: 0.95,
        slack: 2,
      }),
    ]
  },
})
