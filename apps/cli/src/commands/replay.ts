// primo replay FILE: run policies on a full-information table, as if its rows arrived one by one.

import { checkPolicyName, policyByName, policyNames, policySetting, type RunRow, runPolicy } from '@primo/lab'
import {
  covariateSpecs,
  isCodeFile,
  ownPolicies,
  progressBar,
  readTable,
  summariseRun,
  summaryText,
  tableWorld,
  writeRunReport,
} from '@primo/lab/node'
import { Command } from 'commander'
import { commandLine } from '../command-line.js'
import { makeFolder, names, print, printJson, realNumber, UsageError, wholeNumber } from '../output.js'
import {
  addRewardFlags,
  addTableArgument,
  addTableFlags,
  type TableFlags,
  tableOf,
  tableSpecOf,
} from '../table-flags.js'

interface ReplayFlags extends TableFlags {
  readonly policies?: string[]
  readonly seed: number
  readonly repeats: number
  readonly shuffle?: boolean
  readonly delta0?: number
  readonly out?: string
  readonly json?: boolean
}

export function replayCommand(): Command {
  const command = new Command('replay')
  return addRewardFlags(addTableFlags(addTableArgument(command, 'a table with a header')))
    .option(
      '--policies <names>',
      `policies, separated by commas: ${Object.keys(policyNames).join(', ')}, rule:imputation, or a .ts or .js file that exports your own`,
      names,
    )
    .option('--seed <n>', 'seed of the first repeat', wholeNumber('--seed', 0), 1)
    .option('--repeats <n>', 'repeats with seeds N, N+1, ...', wholeNumber('--repeats', 1), 1)
    .option('--shuffle', 'shuffle the rows in every repeat (default: the order of the file)')
    .option('--delta0 <x>', 'ball of the calibrated policies, in the covariate’s units', realNumber('--delta0'))
    .option('--out <folder>', 'also write a summary (Markdown, CSV, JSON), plots and a report here')
    .option('--json', 'one JSON object per policy and repeat on stdout, nothing else')
    .addHelpText(
      'after',
      `
A policy never sees a value that is flagged as missing (except "sees-all-values").

Example:
  primo replay rounds.csv --context x1,x2 --covariate z --observed b --prediction gtilde \\
    --rewards r0,r1,r2 --means mu0,mu1,mu2 --interactions z:x1 --policies uniform,primo,primo-cal
`,
    )
    .action(run)
}

async function run(given: string | undefined, flags: ReplayFlags, command: Command): Promise<void> {
  const file = tableOf(given, flags.table)
  const spec = tableSpecOf(flags)
  if (spec.rewards === undefined)
    throw new UsageError(
      '--rewards must be given (or be in --spec): the reward of every action in every row. ' +
        'With one action and one reward per row, use primo evaluate --spec',
    )
  checkPolicyNames(flags.policies)
  if (flags.delta0 !== undefined && flags.delta0 < 0) {
    throw new UsageError(`--delta0 must be >= 0, got ${flags.delta0}`)
  }
  if (flags.out !== undefined) makeFolder('--out', flags.out)
  const table = await readTable(file, spec)
  const first = tableWorld(table, spec)
  const wanted = flags.policies ?? [
    'uniform',
    'best-fixed-action',
    'primo',
    'primo-cal',
    'robust',
    ...(first.truthKnown ? ['sees-all-values'] : []),
  ]
  const setting = policySetting(first, flags.delta0)
  const policies = (
    await Promise.all(wanted.map((name) => (isCodeFile(name) ? ownPolicies(name) : [policyByName(name, setting)])))
  ).flat()
  distinct(policies.map(({ name }) => name))
  for (const policy of policies) {
    if ('sees' in policy && policy.sees === 'truth' && !first.truthKnown) {
      throw new UsageError(
        `policy ${policy.name} must have the covariates in every row, got empty cells in ${covariateSpecs(spec)
          .map(({ covariate }) => covariate)
          .join(', ')} of ${file}`,
      )
    }
  }
  // Printed once a policy is running: by then its options have been checked.
  let notes = first.notes
  const sayNotes = () => {
    for (const note of notes) process.stderr.write(`${note}\n`)
    notes = []
  }
  const progress = progressBar('replaying', policies.length * flags.repeats * first.rounds)
  const rows: (RunRow & { roundsPerSecond: number })[] = []
  for (let repeat = 0; repeat < flags.repeats; repeat++) {
    const seed = flags.seed + repeat
    const world = flags.shuffle === true ? tableWorld(table, spec, { order: 'shuffled', seed }) : first
    for (const policy of policies) {
      const start = performance.now()
      let before = 0
      const row = runPolicy({
        spec: policy,
        problem: world.problem,
        world: world.blocks,
        seed,
        every: Math.max(1, Math.floor(world.rounds / 64)),
        onProgress: (rounds) => {
          sayNotes()
          progress.advance(rounds - before)
          before = rounds
        },
      })
      const roundsPerSecond = Math.round((row.rounds / (performance.now() - start)) * 1000)
      rows.push({ scenario: file, ...row, roundsPerSecond })
    }
  }
  progress.done()
  sayNotes()
  if (flags.json === true) {
    for (const { policy, seed, rounds, reward, regret, roundsPerSecond, epochs } of rows) {
      printJson({ policy, seed, rounds, reward, regret, roundsPerSecond, epochs })
    }
  } else print(summaryText(summariseRun(rows)))
  if (flags.out !== undefined) {
    const plain = rows.map(({ roundsPerSecond: _, ...row }) => row)
    await writeRunReport({ rows: plain, outDir: flags.out, command: commandLine(command) })
    process.stderr.write(`wrote ${flags.out}/report.html\n`)
  }
}

function checkPolicyNames(wanted: readonly string[] | undefined): void {
  if (wanted === undefined) return
  if (wanted.length === 0) throw new UsageError('--policies must name at least one, got none')
  distinct(wanted)
  // Names are checked before the table is read; what they need of it comes later.
  for (const name of wanted) if (!isCodeFile(name)) checkPolicyName(name)
}

function distinct(names: readonly string[]): void {
  const twice = names.find((name, i) => names.indexOf(name) !== i)
  if (twice !== undefined) throw new UsageError(`--policies must be distinct, got "${twice}" twice`)
}
