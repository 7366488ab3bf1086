// primo study ensemble: two pre-trained models of the covariate, one good and one bad, behind one ensemble, which is
// never told which is which. Badness comes in two sorts: a systematic error, which calibration can mend, and noise,
// which it cannot.

import type { Problem } from '@primo/core'
import type { Environment, ImputerSpec, ScenarioSpec, WorldBlock } from '@primo/lab'
import { createEnvironment, scenarioFromName } from '@primo/lab'
import { blocksOf, play, robustPolicy } from '../runner/play.js'
import { savingsPlot } from '../runner/plots.js'
import { defineStudy } from '../runner/run-study.js'
import type { Figures } from '../runner/study-spec.js'
import { against, arm, mean, sizeText, table, world } from '../runner/tables.js'
import { compared } from '../runner/verdicts.js'

const GOOD: ImputerSpec = { bias: 0.25, noise: 0 }
const BAD: Readonly<Record<string, ImputerSpec>> = {
  noise: { bias: 1, noise: 0.8 },
  'bias and noise': { bias: 3, noise: 0.4 },
}
/** The most regret that the ensemble may cost beyond the good model alone. */
const ALLOWED = 0.05
const ENSEMBLES = ['ensemble, good first', 'ensemble, good second']

function environmentWith(name: string, imputer: ImputerSpec): Environment {
  return createEnvironment({ ...scenarioFromName(name), imputer } as ScenarioSpec)
}

function together(problem: Problem): Problem {
  const imputer = { kind: 'ensemble', members: { one: { kind: 'column' }, two: { kind: 'column' } } } as const
  const covariates = Object.entries(problem.covariates).map(([name, spec]) => [name, { ...spec, imputer }])
  return { ...problem, covariates: Object.fromEntries(covariates) }
}

/** The same rounds with the predictions of both; the environments differ in their models only. */
function joined(one: readonly WorldBlock[], two: readonly WorldBlock[]): readonly WorldBlock[] {
  return one.map((block, index) => {
    const other = two[index]!
    if (block.truth.some((value, i) => value !== other.truth[i]))
      throw new Error('the two models must predict the same rounds')
    const members = new Float64Array(2 * block.pretrained.length)
    block.pretrained.forEach((value, i) => {
      members[2 * i] = value
      members[2 * i + 1] = other.pretrained[i]!
    })
    return { ...block, pretrained: new Float64Array(block.pretrained.length).fill(Number.NaN), members }
  })
}

export const ensemble = defineStudy({
  name: 'ensemble',
  title: 'A good and a bad model together',
  claim:
    'An ensemble of a good and a bad model has at most 5% more regret than the good model alone, whichever of the two it is.',
  full: { rounds: 2 ** 14, repeats: 20 },
  quick: { rounds: 2 ** 12, repeats: 4 },
  worlds: () =>
    ['A', 'B'].flatMap((scenario) =>
      Object.entries(BAD).map(([badness, bad]) => ({ name: `${scenario}, bad by ${badness}`, scenario, bad })),
    ),
  measure: ({ scenario, bad }, { seed, size }) => {
    const environment = environmentWith(scenario, GOOD)
    const good = blocksOf(environment, seed, size.rounds)
    const poor = blocksOf(environmentWith(scenario, bad), seed, size.rounds)
    const of = (blocks: readonly WorldBlock[], problem?: typeof together): Figures =>
      play({ environment, blocks, seed, policies: [{ ...robustPolicy(), ...(problem && { problem }) }] }).robust!
    return {
      'good alone': of(good),
      'bad alone': of(poor),
      [ENSEMBLES[0]!]: of(joined(good, poor), together),
      [ENSEMBLES[1]!]: of(joined(poor, good), together),
    }
  },
  tables: (found) => [
    table(`Regret, ${sizeText(found.size)}`, found.places(), [
      world,
      arm,
      ...mean('regret'),
      ...against('regret', 'good alone'),
    ]),
  ],
  plots: (found) => [
    savingsPlot(found, {
      title: 'Regret that two models save against the good one alone',
      figure: 'regret',
      than: 'good alone',
      places: found.places(ENSEMBLES),
    }),
  ],
  verdicts: (found) =>
    found.places(ENSEMBLES).map((place) => compared(place, { figure: 'regret', than: 'good alone', target: ALLOWED })),
})
