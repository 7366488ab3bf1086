// primo evaluate LOG: what other policies would have earned, from the log of one that played.

import type { Interactions, Snapshot } from '@primo/core'
import {
  type EstimatorName,
  type EvaluateLogOptions,
  estimatorNames,
  evaluateLog,
  evaluationLog,
  targetPolicy,
} from '@primo/lab'
import {
  behaviourText,
  evaluateByBehaviour,
  evaluationResult,
  evaluationText,
  type LogRow,
  progressBar,
  type TableSpec,
  writeStudyReport,
} from '@primo/lab/node'
import { Command, Option } from 'commander'
import { commandLine } from '../command-line.js'
import { readJson } from '../json-file.js'
import { makeFolder, names, print, printJson, realNumber, UsageError, wholeNumber } from '../output.js'
import { addTableArgument, interactions, tableOf } from '../table-flags.js'
import { logOf } from './spec-log.js'

interface EvaluateFlags {
  readonly policy: readonly string[]
  readonly against?: string
  readonly spec?: string
  readonly table?: string
  readonly behaviour: 'logged' | 'estimate'
  readonly interval?: 'anytime' | 'fixed'
  readonly missingRewards: 'drop' | 'weight'
  readonly estimators?: string[]
  readonly interactions?: Interactions
  readonly explore?: boolean
  readonly folds: number
  readonly level: number
  readonly replicates: number
  readonly threshold?: number
  readonly minimumPropensity?: number
  readonly seed: number
  readonly out?: string
  readonly json?: boolean
}

export function evaluateCommand(): Command {
  const command = new Command('evaluate')
  return addTableArgument(command, 'a decision log (docs/log-format.md), or a table of decisions with --spec')
    .option(
      '--policy <name>',
      'fixed:ACTION, uniform, snapshot:FILE, or a policy learnt from the log by cross-fitting (primo, primo-cal, robust, greedy:mean, ...); may be given several times',
      (name: string, before: readonly string[]) => [...before, name],
      [] as readonly string[],
    )
    .option('--against <name>', 'the policy that the others are compared with (default: logged, what was played)')
    .option('--spec <file>', 'what each column of a table is, as primo inspect --action --reward writes it')
    .addOption(
      new Option(
        '--behaviour <how>',
        'where propensities come from; estimate: from a cross-fitted model of what was played, for logs that have none',
      )
        .choices(['logged', 'estimate'])
        .default('logged'),
    )
    .addOption(
      new Option(
        '--interval <kind>',
        'anytime: limits that hold however often one looks, whatever the logging policy learnt; fixed: only intervals that take rows for independent (default: anytime for logs of more than one policy)',
      ).choices(['anytime', 'fixed']),
    )
    .addOption(
      new Option(
        '--missing-rewards <how>',
        'decisions whose reward never came: drop them, or weight those that came by 1 / P(one comes | context, action), with limits that hold without it',
      )
        .choices(['drop', 'weight'])
        .default('drop'),
    )
    .option('--estimators <names>', `among ${estimatorNames.join(', ')} (default: all that the log allows)`, names)
    .option('--interactions <list>', 'products in the reward model: none, all, or z:x1,z:x2', interactions)
    .option('--explore', 'learnt policies keep their exploration (default: they play their best action)')
    .option('--folds <n>', 'folds of the cross-fitting', wholeNumber('--folds', 2), 5)
    .option('--level <p>', 'level of the intervals', realNumber('--level'), 0.95)
    .option('--replicates <n>', 'resamples of the bootstrap; 0: none', wholeNumber('--replicates', 0), 1000)
    .option(
      '--threshold <m>',
      'largest weight of clipped and switch (default: chosen from the data)',
      realNumber('--threshold'),
    )
    .option(
      '--minimum-propensity <p>',
      'smallest propensity the log could contain, for the Bernstein intervals (default: the smallest it does contain)',
      realNumber('--minimum-propensity'),
    )
    .option('--seed <n>', 'seed of folds, resamples and replay', wholeNumber('--seed', 0), 0)
    .option('--out <folder>', 'write a report with plots to this folder')
    .option('--json', 'everything as one JSON object on stdout, nothing else')
    .addHelpText(
      'after',
      '\nExample:\n  primo evaluate log.parquet --policy fixed:low --policy primo-cal --policy robust\n',
    )
    .action(run)
}

async function run(given: string | undefined, flags: EvaluateFlags, command: Command): Promise<void> {
  const file = tableOf(given, flags.table)
  if (flags.policy.length === 0) throw new UsageError('--policy must be given at least once, got none')
  for (const name of flags.estimators ?? []) {
    if (!(estimatorNames as readonly string[]).includes(name))
      throw new UsageError(`--estimators must be among ${estimatorNames.join(', ')}, got "${name}"`)
  }
  const estimated = flags.behaviour === 'estimate'
  const { header, rows } = await logOf(file, flags.spec, estimated ? undefined : needsPropensity)
  const shared = flags.interactions === undefined ? {} : { interactions: flags.interactions }
  // All that can be refused is refused before the log is read.
  const policies = flags.policy.map((name) =>
    targetPolicy({ header }, name, { ...shared, explore: flags.explore === true, readSnapshot }),
  )
  const known = ['logged', ...flags.policy]
  if (flags.against !== undefined && !known.includes(flags.against))
    throw new UsageError(`--against must be one of ${known.join(', ')}, got "${flags.against}"`)
  if (flags.out !== undefined) makeFolder('--out', flags.out)
  const { missingRewards } = flags
  if (estimated && missingRewards === 'weight')
    throw new UsageError('--missing-rewards must be drop with --behaviour estimate, got "weight"')
  const log = await evaluationLog(header, estimated ? anyPropensity(rows(), header.actions.length) : rows(), {
    missingRewards,
  })
  const progress = progressBar('evaluate', 1)
  let before = 0
  const options: EvaluateLogOptions = {
    policies,
    folds: flags.folds,
    level: flags.level,
    replicates: flags.replicates,
    seed: flags.seed,
    ...shared,
    ...(flags.against === undefined ? {} : { against: flags.against }),
    ...(flags.interval === undefined ? {} : { interval: flags.interval }),
    ...(flags.estimators === undefined ? {} : { estimators: flags.estimators as EstimatorName[] }),
    ...(flags.threshold === undefined ? {} : { threshold: flags.threshold }),
    ...(flags.minimumPropensity === undefined ? {} : { minimumPropensity: flags.minimumPropensity }),
    onProgress: (share) => {
      progress.advance(share - before)
      before = share
    },
  }
  const found = estimated
    ? evaluateByBehaviour(log, options)
    : { evaluation: evaluateLog(log, options), behaviour: null }
  const { evaluation, behaviour } = found
  progress.done()
  if (flags.json === true) {
    printJson(behaviour === null ? evaluation : { ...evaluation, behaviour })
  } else print([evaluationText(evaluation), ...(behaviour === null ? [] : [behaviourText(behaviour)])].join('\n\n'))
  if (flags.out !== undefined) {
    await writeStudyReport({
      study: {
        name: 'evaluate',
        title: 'Off-policy evaluation',
        claim: `What other policies would have earned, from the log ${file}.`,
        run: () => Promise.reject(new Error('not a study')),
      },
      result: evaluationResult(evaluation, behaviour),
      outDir: flags.out,
      command: commandLine(command),
    })
    process.stderr.write(`report: ${flags.out}/report.html\n`)
  }
}

const readSnapshot = (file: string) => readJson<Snapshot>('--policy snapshot', file)

function needsPropensity({ propensity }: TableSpec): void {
  if (propensity !== undefined) return
  const columns = '"propensity": a column, {"uniform": true} or {"of": {"ACTION": probability}}'
  throw new UsageError(`--spec must have ${columns}, got none: add it, or add --behaviour estimate`)
}

/** Every row counts, whatever propensity it has: it is estimated afterwards. */
async function* anyPropensity(rows: AsyncIterable<LogRow> | Iterable<LogRow>, actions: number): AsyncGenerator<LogRow> {
  for await (const row of rows) yield { ...row, propensity: 1 / actions, propensities: null }
}
