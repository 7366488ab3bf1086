// primo study strangers: the default as shipped, without any option, in worlds that it was not designed on, against
// simple peers. Among many worlds with few seeds some seem lost by chance: those are run again with three times as
// many other seeds, and the verdict is theirs.

import { summarise } from '@primo/lab'
import type { StudyTable, Verdict } from '@primo/lab/node'
import type { Found } from '../runner/found.js'
import { blocksOf, play } from '../runner/play.js'
import { dotPlot } from '../runner/plots.js'
import { defineStudy } from '../runner/run-study.js'
import { banditWorlds } from '../strangers/bandit-worlds.js'
import {
  ALLOWED,
  EARLY,
  judgedArms,
  loses,
  type Ratio,
  type StrangerResult,
  strangerResult,
  UNIFORM,
} from '../strangers/compare-strangers.js'
import { peersOf } from '../strangers/peers.js'
import type { Stranger } from '../strangers/world.js'
import { worlds } from '../strangers/worlds.js'

/** After 100 rounds: a policy that tries everything first loses to a lucky one in one world or another. */
const EARLY_ALLOWED = 1.1
/** Times as many seeds where runs are cheap: a peer that locks in once in thirty runs is best in most tens of them. */
const BANDIT_SEEDS = 10
/** Times as many seeds for a second look. */
const REPEATED = 3

/** `alone`: long runs, without peers, where actions differ in noise. */
interface StudyWorld extends Stranger {
  readonly alone: boolean
}
interface StrangersSize extends Readonly<Record<string, number>> {
  readonly repeats: number
  readonly rounds: number
  readonly longRepeats: number
  /** Time enough to tell a coin of .03 from a sure .02. */
  readonly longRounds: number
}
type Strangers = Found<StudyWorld, StrangersSize>

const isBandit = ({ name }: Stranger) => banditWorlds.some((one) => one.name === name)
const STUDY_WORLDS: readonly StudyWorld[] = [
  ...worlds.map((one) => ({ ...one, alone: false })),
  ...banditWorlds.map((one) => ({ ...one, name: `${one.name}, long`, alone: true })),
]

export const strangers = defineStudy<StudyWorld, StrangersSize>({
  name: 'strangers',
  title: 'The robust profile as shipped, among strangers',
  claim:
    'Without any option, in worlds it was not designed on, robust is nowhere worse than the best simple peer by more than 5% and two standard errors, never worse than uniform play, and never locked in.',
  full: { rounds: 20_000, repeats: 10, longRounds: 20_000, longRepeats: 1000 },
  quick: { rounds: 3000, repeats: 4, longRounds: 20_000, longRepeats: 20 },
  worlds: () => STUDY_WORLDS,
  repeats: (world, { repeats, longRepeats }) =>
    world.alone ? longRepeats : isBandit(world) ? BANDIT_SEEDS * repeats : repeats,
  judgesPolicies: true,
  measure: (world, { size, seed, policies = ['robust'] }) => {
    const rounds = world.alone ? size.longRounds : Math.round(size.rounds * (world.share ?? 1))
    const environment = world.environment(seed, rounds)
    const peers = world.alone
      ? [UNIFORM]
      : world.against === undefined
        ? [UNIFORM, ...peersOf(environment.problem)]
        : []
    const marks = peers.length > 1 ? EARLY.filter((count) => count < rounds) : []
    const blocks = blocksOf(environment, seed, rounds)
    // The world's own products are a peer's advantage that no user has.
    const blind = { ...environment, interactions: [] }
    return play({ environment: blind, blocks, policies: [...policies, ...peers], seed, marks })
  },
  again: (found) => ({
    worlds: found.worlds.filter(
      (world) =>
        !world.alone &&
        world.against === undefined &&
        !isBandit(world) &&
        judgedArms(found).some((arm) => loses(strangerResult(found, world, arm))),
    ),
    repeats: REPEATED * found.size.repeats,
  }),
  tables: (found) =>
    judgedArms(found).flatMap((arm) => {
      const results = resultsOf(found, arm)
      const families = byFamily(results).map(([family, own]) => familyTable(`${arm}, ${family}`, own))
      return [...families, ...earlyTable(arm, results)]
    }),
  plots: (found) =>
    judgedArms(found).flatMap((arm) =>
      byFamily(resultsOf(found, arm)).map(([family, own]) =>
        dotPlot(found, {
          title: `${family}: regret that ${arm} saves against the best peer, in per cent`,
          words: ['loses', 'wins'],
          rows: own.map(({ name, own: regrets, other }) => {
            const seeds = regrets.map((value, i) => 100 * (1 - value / Math.max(other[i]!, Number.MIN_VALUE)))
            return { name, color: summarise(seeds).mean >= 0 ? 'navy' : 'red', seeds }
          }),
        }),
      ),
    ),
  verdicts: (found) =>
    judgedArms(found).flatMap((arm) => {
      const results = resultsOf(found, arm)
      const again = found.again === null ? [] : resultsOf(found.again, arm)
      return [...strangersVerdicts(arm, results, again), ...earlyVerdicts(arm, results), ...stuckVerdicts(found, arm)]
    }),
})

function resultsOf(found: Strangers, arm: string): readonly StrangerResult[] {
  return found.worlds.filter(({ alone }) => !alone).map((world) => strangerResult(found, world, arm))
}

function byFamily(results: readonly StrangerResult[]): readonly [string, readonly StrangerResult[]][] {
  const families = [...new Set(results.map(({ family }) => family))]
  return families.map((family) => [family, results.filter((result) => result.family === family)])
}

const short = (value: number) => value.toFixed(value < 10 ? 1 : 0)

function familyTable(title: string, results: readonly StrangerResult[]): StudyTable {
  return {
    title,
    header: ['world', 'uniform', 'best peer', 'its regret', 'regret', 'ratio', 'se', 'above uniform', 'locked in'],
    rows: results.map(({ name, uniform, rival, own, other, ratio, standardError, worseThanUniform, lockedIn }) => [
      name,
      uniform === null ? '' : short(uniform),
      rival,
      ...[other, own].map((values) => short(summarise(values).mean)),
      ...[ratio, standardError].map((value) => value.toFixed(2)),
      String(worseThanUniform),
      String(lockedIn),
    ]),
  }
}

const named = (some: readonly (Ratio & { readonly name: string })[]) =>
  some.map(({ name, ratio, standardError }) => `${name} ${ratio.toFixed(2)} ± ${standardError.toFixed(2)}`).join('; ')
const listed = (list: string) => (list === '' ? '' : ` (${list})`)

/** `again`: the second look at worlds that seemed lost. */
export function strangersVerdicts(
  arm: string,
  results: readonly StrangerResult[],
  again: readonly StrangerResult[] = [],
): readonly Verdict[] {
  const total = (count: (result: StrangerResult) => number, some = results) =>
    some.reduce((sum, result) => sum + count(result), 0)
  const where = (count: (result: StrangerResult) => number) =>
    listed(
      results
        .filter((result) => count(result) > 0)
        .map((result) => `${result.name} ${count(result)}`)
        .join('; '),
    )
  const learnable = results.filter((result) => result.learnable)
  const above = total(({ worseThanUniform }) => worseThanUniform, learnable)
  const locked = total(({ lockedIn }) => lockedIn)
  const runs = ({ own }: StrangerResult) => own.length
  const compared = byFamily(results).map(([family, own]) => {
    const seemed = own.filter(loses)
    const looks = again.filter(({ name }) => seemed.some((result) => result.name === name))
    const lost = seemed.map((result) => looks.find(({ name }) => name === result.name) ?? result).filter(loses)
    const seen = looks.length === 0 ? '' : ` Seemed lost at first: ${named(seemed)}; with other seeds: ${named(looks)}.`
    return {
      held: lost.length === 0,
      sentence: `${family}: ${arm} is worse than the best peer by more than 5% and two standard errors in ${lost.length} of ${own.length} worlds${listed(named(lost))}.${seen}`,
    }
  })
  return [
    ...compared,
    {
      held: above === 0,
      sentence: `${above} of ${total(runs, learnable)} runs of ${arm} have more regret than uniform play where the best peer has less than half of it, of the peers ${total(({ rivalWorse }) => rivalWorse, learnable)}${where(({ worseThanUniform }) => worseThanUniform)}.`,
    },
    {
      held: locked === 0,
      sentence: `${locked} of ${total(runs)} runs of ${arm} are locked in${where(({ lockedIn }) => lockedIn)}.`,
    },
  ]
}

/** Geometric mean over worlds at each number of rounds that some reached. */
function earlyLooks(results: readonly StrangerResult[]) {
  return EARLY.flatMap((rounds) => {
    const own = results.flatMap(({ name, early }) =>
      early.filter((one) => one.rounds === rounds).map((one) => ({ ...one, name })),
    )
    if (own.length === 0) return []
    const { mean, standardError } = summarise(own.map(({ ratio }) => Math.log(ratio)))
    const ratio = Math.exp(mean)
    return [{ rounds, own, ratio, standardError: ratio * standardError }]
  })
}

function earlyTable(arm: string, results: readonly StrangerResult[]): readonly StudyTable[] {
  const rows = earlyLooks(results).map(({ rounds, own, ratio, standardError }) => {
    const ordered = own.toSorted((one, other) => one.ratio - other.ratio)
    const end = (one: Ratio & { readonly name: string }) => `${one.name} ${one.ratio.toFixed(2)}`
    const lost = String(own.filter(loses).length)
    return [String(rounds), ratio.toFixed(3), standardError.toFixed(3), lost, end(ordered[0]!), end(ordered.at(-1)!)]
  })
  const title = `The first rounds: regret of ${arm} over that of the best peer by then, geometric mean over worlds`
  return rows.length === 0 ? [] : [{ title, header: ['rounds', 'ratio', 'se', 'seem lost', 'best', 'worst'], rows }]
}

export function earlyVerdicts(arm: string, results: readonly StrangerResult[]): readonly Verdict[] {
  return earlyLooks(results).map(({ rounds, ratio, standardError }) => {
    const allowed = rounds <= 100 ? EARLY_ALLOWED : ALLOWED
    const sentence = `After ${rounds.toLocaleString('en')} rounds ${arm} has ${ratio.toFixed(3)} ± ${standardError.toFixed(3)} times the regret of the peer that is best there by then (geometric mean over worlds; target: at most ${allowed}).`
    return { held: ratio <= allowed, sentence }
  })
}

function stuckVerdicts(found: Strangers, arm: string): readonly Verdict[] {
  return found.worlds
    .filter(({ alone }) => alone)
    .map(({ name }) => {
      const late = found.values(name, arm, 'late')
      const uniform = found.values(name, UNIFORM, 'late')
      const stuck = late.filter((value, i) => value > uniform[i]! / 2).length
      const sentence = `${name}: ${stuck} of ${late.length} runs of ${arm} are stuck at their end (more than half of uniform's regret).`
      return { held: stuck === 0, sentence }
    })
}
