// primo train FILE: a model that predicts a covariate from the context, fitted on the rows where it is seen, ready to be served.

import { writeFileSync } from 'node:fs'
import type { Feature, ModelFile } from '@primo/core'
import {
  covariateSpecs,
  hideUnseen,
  laterColumns,
  looksLater,
  onnxModel,
  progressBar,
  readTable,
  type Table,
  type TableSpec,
  TRAINING_CLASSES,
  type TrainingClass,
  tableHeader,
  tableNotes,
  trainingText,
  trainModels,
} from '@primo/lab/node'
import { Command, Option } from 'commander'
import { checkFolder, names, print, printJson, UsageError, wholeNumber } from '../output.js'
import {
  addReadingFlags,
  addTableArgument,
  type ReadingFlags,
  readingIn,
  readingOf,
  readSpec,
  rolesOf,
  tableOf,
} from '../table-flags.js'
import { judgeShadow, type LogFlags, trainingLog } from './train-from-log.js'

interface TrainFlags extends LogFlags, ReadingFlags {
  readonly features?: string[]
  readonly observed?: string
  readonly spec?: string
  readonly table?: string
  readonly weights: 'none' | 'observation'
  readonly classes?: string[]
  readonly folds: number
  readonly seed: number
  readonly out?: string
  readonly onnx?: string
  readonly json?: boolean
}

const HELP = `
Every class of functions is cross-validated; the one with the smallest error on rows it did not see is kept. The model is served as it is:
"imputer": {"kind": "trained", "file": "model.json"} with the file in the folder of primo serve --models.

Examples:
  primo train patients.csv --covariate genotype --features age,weight,race --out model.json
  primo train patients.csv --covariate genotype,weight --weights observation --out models.json
  primo train --url http://localhost:8642 --problem dose --out next.json
  primo train --url http://localhost:8642 --problem dose --shadow next.json --promote
  primo calibrate patients.csv --context age,weight,race --covariate genotype --imputer model.json
`

export function trainCommand(): Command {
  const command = new Command('train')
  addTableArgument(command, 'a table with a header; none with --store or --url')
    .option('--covariate <columns>', 'what is sometimes missing, separated by commas', names)
    .option('--features <columns>', 'what it is predicted from (default: all other columns)', names)
    .option('--observed <column>', '1 where the covariate was observed, else 0 (default: an empty cell is missing)')
    .option('--spec <file>', 'a JSON file that says what each column is; flags override it')
  return addReadingFlags(command)
    .addOption(
      new Option('--weights <name>', 'observation: rows count 1 / (probability that their value was observed)')
        .choices(['none', 'observation'])
        .default('none'),
    )
    .option('--classes <names>', `classes to choose from (default: ${TRAINING_CLASSES.join(',')})`, names)
    .option('--folds <n>', 'folds of the cross-validation', wholeNumber('--folds', 2), 5)
    .option('--seed <n>', 'seed of folds and fits', wholeNumber('--seed', 0), 0)
    .option('--out <file>', 'write the model to this file, as JSON')
    .option(
      '--onnx <file>',
      'write the model as ONNX too (chosen among linear and trees unless --classes says otherwise)',
    )
    .option('--store <address>', 'train on the log of --problem in this store: sqlite:PATH or postgres://...')
    .option('--url <address>', 'the same from a service that runs; the key is in PRIMO_KEY')
    .option('--problem <name>', 'with --store or --url: the problem')
    .option('--archive <place>', 'with --store: what "primo archive" wrote of the problem is read too')
    .option('--shadow <file>', 'judge this model, trained on the log, by truths that came after it')
    .option('--promote', 'with --shadow: put it in the place of the model in use where it is better')
    .option('--json', 'the models as one JSON object on stdout, nothing else')
    .addHelpText('after', HELP)
    .action(run)
}

async function run(path: string | undefined, flags: TrainFlags): Promise<void> {
  const file = flags.table === undefined ? path : tableOf(path, flags.table)
  const fromLog = flags.store !== undefined || flags.url !== undefined
  if (fromLog === (file !== undefined)) throw new UsageError('a table, --store or --url must be given, and one alone')
  if (flags.promote === true && flags.shadow === undefined)
    throw new UsageError('--promote must be given with --shadow')
  if (flags.shadow !== undefined) {
    if (!fromLog) throw new UsageError('--shadow must be given with --store or --url')
    return judgeShadow(flags)
  }
  checkFolder('--out', flags.out)
  checkFolder('--onnx', flags.onnx)
  const unknown = flags.classes?.find((name) => !(TRAINING_CLASSES as readonly string[]).includes(name))
  if (unknown !== undefined)
    throw new UsageError(`--classes must be some of ${TRAINING_CLASSES.join(', ')}, got "${unknown}"`)
  const classes = flags.classes ?? (flags.onnx === undefined ? undefined : ['linear', 'trees'])
  const { table, covariates, features, declared, cut } =
    file === undefined ? await readLog(flags) : await readTraining(file, flags)
  if (flags.onnx !== undefined && covariates.length > 1)
    throw new UsageError(`--onnx must be given for one covariate, got ${covariates.length}`)
  const progress = progressBar('training', 100)
  let shown = 0
  const models = trainModels(table, {
    covariates,
    features,
    declared,
    weights: flags.weights,
    folds: flags.folds,
    seed: flags.seed,
    ...(cut === undefined ? {} : { cut }),
    ...(classes === undefined ? {} : { classes: classes as TrainingClass[] }),
    onProgress: (share) => {
      progress.advance(100 * share - shown)
      shown = 100 * share
    },
  })
  progress.done()
  report(models, flags)
}

/** Tells of the models and writes them. */
export function report(
  models: ModelFile,
  { out, onnx, json }: { readonly out?: string; readonly onnx?: string; readonly json?: boolean },
): void {
  if (onnx !== undefined) writeFileSync(onnx, onnxModel(models.models[0]!))
  if (out !== undefined) writeFileSync(out, `${JSON.stringify(models)}\n`)
  if (json === true) printJson(models)
  else print(modelsText(models))
  for (const file of [out, onnx]) if (file !== undefined) process.stderr.write(`wrote ${file}\n`)
}

function modelsText({ models, given = [] }: ModelFile): string {
  const order = models.map(({ covariate }) => covariate)
  const joint = given.map(
    ({ covariate }) => `${covariate} is predicted better with ${order.slice(0, order.indexOf(covariate)).join(', ')}`,
  )
  const chain =
    models.length === 1
      ? []
      : [
          `In this order: ${order.join(', ')}.${joint.length === 0 ? '' : ` ${joint.join('; ')}: primo impute uses that; a service predicts from the context alone.`}`,
        ]
  return [...models.map(trainingText), ...chain].join('\n\n')
}

interface Training {
  readonly table: Table
  readonly covariates: readonly string[]
  readonly features: readonly string[]
  readonly declared: Readonly<Record<string, Feature>>
  /** Of a log: its last round. */
  readonly cut?: number
}

async function readLog(flags: TrainFlags): Promise<Training> {
  const { table, features, declared, cut, predictions } = await trainingLog(flags)
  return {
    table,
    covariates: flags.covariate ?? Object.keys(predictions),
    features: flags.features ?? features,
    declared,
    cut,
  }
}

async function readTraining(file: string, flags: TrainFlags): Promise<Training> {
  const stored: Partial<TableSpec> = flags.spec === undefined ? {} : readSpec(flags.spec)
  const specs = covariateSpecs({ context: [], ...stored })
  const covariates = flags.covariate ?? specs.map(({ covariate }) => covariate)
  if (covariates.length === 0)
    throw new UsageError('--covariate must be given (or be in --spec, which primo inspect writes)')
  if (flags.observed !== undefined && covariates.length > 1)
    throw new UsageError(`--observed must be given for one covariate, got ${covariates.length}`)
  const later = new Set(laterColumns({ context: [], ...stored }))
  const flagOf = new Map(specs.map((one) => [one.covariate, one.observed]))
  if (flags.observed !== undefined) flagOf.set(covariates[0]!, flags.observed)
  const left = new Set<string | undefined>([...covariates, ...later, ...flagOf.values()])
  const base: Partial<TableSpec> = { ...readingIn(stored), ...readingOf(flags) }
  const specOf = (context: readonly string[]): TableSpec => ({ ...base, context, ...rolesOf(covariates, flagOf) })
  const read = async (context: readonly string[]) => {
    const spec = specOf(context)
    const table = await readTable(file, spec)
    for (const note of tableNotes(table, spec)) process.stderr.write(`${note}\n`)
    return finish(hideUnseen(table, spec), covariates, context, base)
  }
  const asked = flags.features ?? stored.context?.filter((name) => !covariates.includes(name))
  for (const name of asked ?? [])
    if (later.has(name) || looksLater(name))
      process.stderr.write(
        `warning: ${name} is known only after the decision${later.has(name) ? '' : ' by its name'}; ` +
          'a model that learns from it cannot be used when deciding\n',
      )
  if (asked !== undefined) return read(asked)
  // All others, but for those that no model can read.
  const named = (await tableHeader(file, base)).filter((name) => name.trim() !== '' && !/^Unnamed: \d+$/.test(name))
  let features = named.filter((name) => !left.has(name) && !looksLater(name))
  for (const name of named.filter((one) => !left.has(one) && looksLater(one)))
    process.stderr.write(`left out ${name}: by its name it is known only after the decision; --features takes it\n`)
  for (;;) {
    try {
      return await read(features)
    } catch (error) {
      const column = (error as { facts?: { column?: string } }).facts?.column
      if (column === undefined || !features.includes(column)) throw error
      process.stderr.write(`left out ${column}: ${(error as Error).message}\n`)
      features = features.filter((name) => name !== column)
    }
  }
}

/** A column that reading took apart (a date) is its parts. */
function finish(
  table: Table,
  covariates: readonly string[],
  asked: readonly string[],
  base: Partial<TableSpec>,
): Training {
  const features = asked.flatMap((name) =>
    table.columns.has(name) ? [name] : [...table.columns.keys()].filter((part) => part.startsWith(`${name}.`)),
  )
  const ranges = Object.entries(base.ranges ?? {}).map(([name, [min, max]]) => [name, { type: 'number', min, max }])
  return { table, covariates, features, declared: { ...Object.fromEntries(ranges), ...base.features } }
}
