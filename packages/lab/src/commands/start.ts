// npm start: a short seeded comparison on environment A. A newcomer sees in seconds what missing values cost and what
// calibration earns: regret of uniform play, PRIMO, PRIMO-Cal and the oracle that sees z on the same rounds.

import { scenarioFromName } from '../environments/scenario-name.js'
import { progressBar } from '../report/progress.js'
import { summarise } from '../report/statistics.js'
import { terminalPlot } from '../report/terminal-plot.js'
import { textTable } from '../report/text-table.js'
import { referenceLineup } from '../studies/reference.js'
import { floorsOf, regretsOf, runRows } from '../studies/run-rows.js'

const ROUNDS = 2 ** 15
const SEEDS = 8
const MARKS: Readonly<Record<string, string>> = {
  uniform: '·',
  'oracle that sees z': 'o',
  primo: 'p',
  'primo-cal': 'c',
}

const policies = referenceLineup().filter(({ name }) => name in MARKS)
console.log(
  `Primo: ${ROUNDS.toLocaleString('en')} decisions among 5 actions, ${SEEDS} times; half of the values of z are missing.\n`,
)
const progress = progressBar('deciding', 1)
let before = 0
const rows = await runRows(
  { scenarios: [scenarioFromName('A')], policies, rounds: ROUNDS, repeats: SEEDS, seed: 1 },
  {
    scale: 'quick',
    seed: 1,
    onProgress: (share) => {
      progress.advance(share - before)
      before = share
    },
  },
)
progress.done()

const perThousand = 1000 / ROUNDS
console.log(
  textTable(
    ['policy', 'regret', 'se', 'per 1,000 decisions'],
    policies.map(({ name }) => {
      const { mean, standardError } = summarise(regretsOf(rows, 'A', name))
      return [name, mean.toFixed(0), standardError.toFixed(1), (mean * perThousand).toFixed(1)]
    }),
  ),
)
console.log()
console.log(
  terminalPlot(
    // Uniform play would flatten the others: it is in the table.
    policies
      .filter(({ name }) => name !== 'uniform')
      .map(({ name }) => {
        const runs = rows.filter((row) => row.policy === name)
        const points = runs[0]!.checkpoints.map(({ rounds }, i) => ({
          x: rounds,
          y: summarise(runs.map((run) => run.checkpoints[i]!.regret)).mean,
        }))
        return { label: name, mark: MARKS[name]!, points }
      }),
    { title: 'Cumulative regret, mean over seeds', xLabel: 'decisions' },
  ),
)

const [plugIn, calibrated, oracle] = ['primo', 'primo-cal', 'oracle that sees z'].map((name) =>
  regretsOf(rows, 'A', name),
)
const cost = summarise(plugIn!.map((value, i) => value - oracle![i]!))
const earned = summarise(plugIn!.map((value, i) => value - calibrated![i]!))
const floor = summarise(floorsOf(rows, 'A', 'primo'))
const each = ({ mean, standardError }: { mean: number; standardError: number }) =>
  `${(mean * perThousand).toFixed(2)} ± ${(standardError * perThousand).toFixed(2)}`
console.log(`
Per 1,000 decisions: with the pre-trained model as it is, missing values cost ${each(cost)} of reward;
calibration recovered ${each(earned)} of it; ${each(floor)} is unavoidable without seeing z (${SEEDS} seeds, paired, ± one standard error).`)
