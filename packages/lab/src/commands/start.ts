// npm start: a short seeded comparison on environment A. A newcomer sees in seconds what missing values cost and what
// calibration earns: regret of uniform play, PRIMO, PRIMO-Cal and the oracle that sees z on the same rounds.

import { referenceEnvironment } from '../environments/reference.js'
import { progressBar } from '../report/progress.js'
import { summarise } from '../report/statistics.js'
import { terminalPlot } from '../report/terminal-plot.js'
import { textTable } from '../report/text-table.js'
import { referencePolicies } from '../simulation/reference-policies.js'
import { simulate, worldOf } from '../simulation/simulate.js'

const ROUNDS = 2 ** 15
const SEEDS = 8
const MARKS: Readonly<Record<string, string>> = {
  uniform: '·',
  'oracle that sees z': 'o',
  primo: 'p',
  'primo-cal': 'c',
}

const environment = referenceEnvironment('A')
const policies = referencePolicies('A').filter(({ name }) => name in MARKS)
const every = ROUNDS / 64
const curves = new Map(policies.map(({ name }) => [name, [] as { rounds: number; regret: number }[][]]))

console.log(
  `Primo: ${ROUNDS.toLocaleString('en')} decisions among 5 actions, ${SEEDS} times; half of the values of z are missing.\n`,
)
const progress = progressBar('deciding', SEEDS * policies.length)
for (let seed = 1; seed <= SEEDS; seed++) {
  const world = [...worldOf(environment, seed, ROUNDS)]
  for (const { name, engine, seesCovariate } of policies) {
    curves.get(name)!.push([...simulate({ engine, world, seed, seesCovariate, every }).checkpoints])
    progress.advance()
  }
}
progress.done()

const perThousand = 1000 / ROUNDS
const finals = new Map([...curves].map(([name, runs]) => [name, runs.map((run) => run.at(-1)!.regret)]))
console.log(
  textTable(
    ['policy', 'regret', 'se', 'per 1,000 decisions'],
    [...finals].map(([name, values]) => {
      const { mean, standardError } = summarise(values)
      return [name, mean.toFixed(0), standardError.toFixed(1), (mean * perThousand).toFixed(1)]
    }),
  ),
)
console.log()
console.log(
  terminalPlot(
    // Uniform play would flatten the others: it is in the table.
    [...curves]
      .filter(([name]) => name !== 'uniform')
      .map(([name, runs]) => ({
        label: name,
        mark: MARKS[name]!,
        points: runs[0]!.map(({ rounds }, i) => ({ x: rounds, y: summarise(runs.map((run) => run[i]!.regret)).mean })),
      })),
    { title: 'Cumulative regret, mean over seeds', xLabel: 'decisions' },
  ),
)

const [plugIn, calibrated, oracle] = ['primo', 'primo-cal', 'oracle that sees z'].map((name) => finals.get(name)!)
const cost = summarise(plugIn!.map((value, i) => value - oracle![i]!))
const earned = summarise(plugIn!.map((value, i) => value - calibrated![i]!))
const each = ({ mean, standardError }: { mean: number; standardError: number }) =>
  `${(mean * perThousand).toFixed(2)} ± ${(standardError * perThousand).toFixed(2)}`
console.log(`
Per 1,000 decisions: with the pre-trained model as it is, missing values cost ${each(cost)} of reward;
calibration recovered ${each(earned)} of it; ${(environment.floor! * 1000).toFixed(2)} is unavoidable without seeing z (paired over ${SEEDS} seeds, ± one standard error).`)
