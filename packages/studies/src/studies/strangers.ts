// primo study strangers: the robust profile as shipped, without any option, in worlds that it was not designed on, against simple
// peers: LinUCB (plug-in, with an indicator, interacted, without z) and LinTS, each with alpha 1 and .3, ridge 1 per action and an
// update after every reward; PRIMO and PRIMO-Cal. The rival of a world is the best of them there. Among many worlds with few seeds some
// seem lost by chance, to the rival or to robust with the world's own products: those are run again with three times as many other seeds,
// and the verdict is theirs.

import { studyDotPlot, summarise } from '@primo/lab'
import type { Study, StudyOptions, StudyResult, StudyTable, Verdict } from '@primo/lab/node'
import { banditWorlds } from '../strangers/bandit-worlds.js'
import { EARLY, type WorldOutcome } from '../strangers/run-world.js'
import { runWorlds } from '../strangers/run-worlds.js'
import type { World } from '../strangers/world.js'
import { ALLOWED, loses, type Ratio, stuckRuns, type WorldResult, worldResult } from '../strangers/world-results.js'
import { worlds } from '../strangers/worlds.js'

export interface StrangersSize {
  readonly rounds: number
  readonly seeds: number
  /** Seeds of robust without peers where actions differ in noise; default 0. */
  readonly alone?: number
  /** Default: all. */
  readonly only?: (world: World) => boolean
}

/** After 100 rounds: who tries everything first loses to who is lucky in one world or another. */
const EARLY_ALLOWED = 1.1
const MAX_FALSE_LATCHES = 0.01
/** Time enough to tell a coin of .03 from a sure .02. */
const LONG_ROUNDS = 20_000
/** Times as many seeds where runs are cheap: a peer that locks in once in thirty runs is best in most tens of them. */
const BANDIT_SEEDS = 10
/** Times as many seeds for a second look, and how far they are from those of the first. */
const REPEATED = 3
const REPEATED_FROM = 500_000

export async function runStrangers(options: StudyOptions, size: StrangersSize): Promise<StudyResult> {
  const { rounds, seeds, alone = 0, only = () => true } = size
  const chosen = worlds.filter(only)
  const tasksOf = (some: readonly World[], count: number, without: boolean) =>
    some.flatMap((world) =>
      Array.from({ length: count }, (_, k) => ({
        world: worlds.indexOf(world),
        seed: options.seed + k,
        rounds: without ? LONG_ROUNDS : Math.round(rounds * (world.share ?? 1)),
        alone: without,
      })),
    )
  const bandits = alone === 0 ? [] : chosen.filter((world) => banditWorlds.includes(world))
  const others = chosen.filter((world) => !bandits.includes(world))
  const tasks = [
    ...tasksOf(bandits, BANDIT_SEEDS * seeds, false),
    ...tasksOf(others, seeds, false),
    ...tasksOf(bandits, alone, true),
  ]
  const all = await runWorlds(tasks, options)
  const outcomes = all.filter((_, k) => !tasks[k]!.alone)
  const lonely = all.filter((_, k) => tasks[k]!.alone)
  const results = chosen.map((world) => worldResult(world, outcomes))
  const again = chosen.filter(
    (world, k) => seemsLost(results[k]!) && world.against === undefined && !bandits.includes(world),
  )
  const repeated = await runWorlds(
    tasksOf(again, REPEATED * seeds, false).map((task) => ({ ...task, seed: task.seed + REPEATED_FROM })),
    { ...options, onProgress: () => undefined },
  )
  const secondLook = again.map((world) => worldResult(world, repeated))
  const families = [...new Set(results.map(({ family }) => family))]
  const of = (family: string) => results.filter((result) => result.family === family)
  return {
    settings: { rounds, seeds, worlds: chosen.length, 'first seed': options.seed, scale: options.scale },
    tables: [...families.map((family) => table(family, of(family))), ...earlyTables(results)],
    plots: families.map((family) =>
      studyDotPlot({
        title: `${family}: regret that robust saves against its rival, in per cent`,
        subtitle: `A dot is a seed; ${rounds.toLocaleString('en')} rounds, mean and 95% interval; in numbers ± one standard error`,
        xLabel: 'world',
        less: 'robust loses',
        more: 'robust wins',
        rows: of(family).map(({ name, robust, other }) => {
          const saved = robust.map((value, i) => 100 * (1 - value / Math.max(other[i]!, Number.MIN_VALUE)))
          return { name, color: summarise(saved).mean >= 0 ? 'navy' : 'red', seeds: saved }
        }),
      }),
    ),
    verdicts: [...strangersVerdicts(results, secondLook), ...earlyVerdicts(results), ...stuckVerdicts(bandits, lonely)],
  }
}

function table(family: string, results: readonly WorldResult[]): StudyTable {
  return {
    title: `${family}: regret of robust and of the best peer`,
    header: [
      'world',
      'uniform',
      'best peer',
      'its regret',
      'robust',
      'ratio',
      'se',
      'above uniform',
      'locked in',
      'false latches',
    ],
    rows: results.map((result) => [
      result.name,
      result.uniform === null ? '' : figure(result.uniform),
      result.rival,
      figure(summarise(result.other).mean),
      figure(summarise(result.robust).mean),
      result.ratio.toFixed(2),
      result.standardError.toFixed(2),
      String(result.worseThanUniform),
      String(result.lockedIn),
      result.falseLatches === null ? '' : String(result.falseLatches),
    ]),
  }
}

function seemsLost(result: WorldResult): boolean {
  return loses(result) || (result.products !== null && loses(result.products))
}

/** `secondLook`: of worlds that seemed lost, with other seeds. */
export function strangersVerdicts(
  results: readonly WorldResult[],
  secondLook: readonly WorldResult[] = [],
): readonly Verdict[] {
  const families = [...new Set(results.map(({ family }) => family))]
  const runs = (some: readonly WorldResult[]) => some.reduce((sum, { robust }) => sum + robust.length, 0)
  const total = (count: (result: WorldResult) => number, some = results) =>
    some.reduce((sum, result) => sum + count(result), 0)
  const named = (some: readonly (Ratio & { readonly name: string })[]) =>
    some.map(({ name, ratio, standardError }) => `${name} ${ratio.toFixed(2)} ± ${standardError.toFixed(2)}`).join('; ')
  const listed = (list: string) => (list === '' ? '' : ` (${list})`)
  const compared = families.map((family) => {
    const own = results.filter((result) => result.family === family)
    const seemed = own.filter((result) => loses(result))
    const looks = secondLook.filter(({ name }) => seemed.some((result) => result.name === name))
    const lost = seemed.map((result) => looks.find(({ name }) => name === result.name) ?? result).filter(loses)
    const seen =
      looks.length === 0
        ? ''
        : ` Seemed lost at first: ${named(seemed)}; with ${looks[0]!.robust.length} other seeds: ${named(looks)}.`
    return {
      held: lost.length === 0,
      sentence: `${family}: robust is worse than its rival by more than 5% and two standard errors in ${lost.length} of ${own.length} worlds${listed(named(lost))}.${seen}`,
    }
  })
  const productsOf = (some: readonly WorldResult[]) =>
    some.flatMap(({ name, products }) => (products === null ? [] : [{ name, ...products }]))
  const withProducts = productsOf(results)
  const seemedDear = withProducts.filter(loses)
  const productsAgain = productsOf(secondLook).filter(({ name }) => seemedDear.some((one) => one.name === name))
  const dear = seemedDear.filter((first) => loses(productsAgain.find(({ name }) => name === first.name) ?? first))
  const learnable = results.filter((result) => result.learnable)
  const others = results.filter((result) => !result.learnable)
  const worse = (result: WorldResult) => result.worseThanUniform
  const above = total(worse, learnable)
  const locked = total(({ lockedIn }) => lockedIn)
  const atRandom = results.filter(({ falseLatches }) => falseLatches !== null)
  const latches = total(({ falseLatches }) => falseLatches ?? 0)
  const where = (count: (result: WorldResult) => number | null) =>
    results
      .filter((result) => (count(result) ?? 0) > 0)
      .map((result) => `${result.name} ${count(result)}`)
      .join('; ')
  return [
    ...compared,
    ...(withProducts.length === 0
      ? []
      : [
          {
            held: dear.length === 0,
            sentence: `Against robust with the world's own products: ${named(withProducts)} (target: at most 1.05, or within two standard errors of 1).${productsAgain.length === 0 ? '' : ` With other seeds: ${named(productsAgain)}.`}`,
          },
        ]),
    {
      held: above === 0,
      sentence: `${above} of ${runs(learnable)} runs have more regret than uniform play where the rival has less than half of it, of the rivals ${total(({ rivalWorse }) => rivalWorse, learnable)}; elsewhere ${total(worse, others)} of ${runs(others)}, of the rivals ${total(({ rivalWorse }) => rivalWorse, others)}${listed(where(worse))}.`,
    },
    {
      held: locked === 0,
      sentence: `${locked} of ${runs(results)} runs are locked in${listed(where((one) => one.lockedIn))}.`,
    },
    {
      held: latches <= MAX_FALSE_LATCHES * runs(atRandom),
      sentence: `Where values are missing at random the check latches in ${latches} of ${runs(atRandom)} runs (target: at most 1%)${listed(where((one) => one.falseLatches))}.`,
    },
  ]
}

/** The beginning of runs over all worlds, at each number of rounds that some reached. */
function earlyLooks(results: readonly WorldResult[]) {
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

function earlyTables(results: readonly WorldResult[]): readonly StudyTable[] {
  const looks = earlyLooks(results)
  if (looks.length === 0) return []
  const rows = looks.map(({ rounds, own, ratio, standardError }) => {
    const ordered = own.toSorted((one, other) => one.ratio - other.ratio)
    const end = (one: Ratio & { readonly name: string }) => `${one.name} ${one.ratio.toFixed(2)}`
    return [
      String(rounds),
      ratio.toFixed(3),
      standardError.toFixed(3),
      String(own.filter(loses).length),
      end(ordered[0]!),
      end(ordered.at(-1)!),
    ]
  })
  const title = `The first rounds: regret of robust over that of the best peer then, geometric mean of ${looks[0]!.own.length} worlds`
  return [{ title, header: ['rounds', 'ratio', 'se', 'worlds that seem lost', 'best for robust', 'worst'], rows }]
}

export function earlyVerdicts(results: readonly WorldResult[]): readonly Verdict[] {
  return earlyLooks(results).map(({ rounds, ratio, standardError }) => {
    const allowed = rounds <= 100 ? EARLY_ALLOWED : ALLOWED
    const sentence = `After ${rounds.toLocaleString('en')} rounds robust has ${ratio.toFixed(3)} ± ${standardError.toFixed(3)} times the regret of the peer that is best there by then (geometric mean over worlds; target: at most ${allowed}).`
    return { held: ratio <= allowed, sentence }
  })
}

function stuckVerdicts(bandits: readonly World[], outcomes: readonly WorldOutcome[]): readonly Verdict[] {
  return bandits.map((world) => {
    const { stuck, runs } = stuckRuns(world, outcomes)
    const sentence = `${world.name}: ${stuck} of ${runs} runs of ${LONG_ROUNDS.toLocaleString('en')} rounds are stuck at their end (more than half of uniform's regret).`
    return { held: stuck === 0, sentence }
  })
}

function figure(value: number): string {
  return value.toFixed(value < 10 ? 1 : 0)
}

export const strangers: Study = {
  name: 'strangers',
  title: 'The robust profile as shipped, among strangers',
  claim:
    'Without any option, in worlds it was not designed on, robust is nowhere worse than the best simple peer by more than 5% and two standard errors, never worse than uniform play, and never locked in.',
  run: (options) =>
    runStrangers(
      options,
      options.scale === 'full' ? { rounds: 20_000, seeds: 10, alone: 1000 } : { rounds: 3000, seeds: 4, alone: 20 },
    ),
}
