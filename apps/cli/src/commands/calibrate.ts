// primo calibrate FILE: how wrong is the model on the rows where the covariate was seen, and how to correct it.

import { join } from 'node:path'
import {
  analyseCalibration,
  analysisResult,
  analysisText,
  type CalibrationAnalysis,
  type CovariateTableSpec,
  calibratedColumns,
  calibrateTable,
  calibrationText,
  covariateSpecs,
  progressBar,
  readTable,
  type StudyResult,
  type Table,
  type TableCalibration,
  tableInputs,
  type WitnessSets,
  withPredictions,
  witnessSentences,
  witnessSets,
  witnessTable,
  witnessText,
  writeStudyReport,
  writeWithColumns,
} from '@primo/lab/node'
import { type ScoredRows, scoreRows } from '@primo/service'
import { Command, Option } from 'commander'
import { commandLine } from '../command-line.js'
import { makeFolder, names, print, printJson, realNumber, UsageError, wholeNumber } from '../output.js'
import { addTableArgument, addTableFlags, type TableFlags, tableOf, tableSpecOf } from '../table-flags.js'

interface CalibrateFlags extends TableFlags {
  readonly class: 'auto' | 'bias' | 'linear' | 'basis'
  readonly delta0?: number
  readonly eps0?: number
  readonly model?: 'constant' | 'logit' | 'probit'
  readonly loss?: 'squared' | 'likelihood'
  readonly weights?: 'ipw' | 'none'
  readonly imputer?: string
  readonly seed: number
  readonly out?: string
  readonly analysis?: boolean
  readonly folds: number
  readonly repetitions: number
  readonly witness?: readonly string[]
  readonly report?: string
  readonly json?: boolean
}

export function calibrateCommand(): Command {
  const command = new Command('calibrate')
  return addTableFlags(addTableArgument(command, 'a table with a header'))
    .addOption(
      new Option('--class <name>', 'class of the correction')
        .choices(['auto', 'bias', 'linear', 'basis'])
        .default('auto'),
    )
    .option('--delta0 <x>', 'ball around the model, in the covariate’s units (default: none)', realNumber('--delta0'))
    .option('--eps0 <p>', 'smallest observation probability', realNumber('--eps0'))
    .addOption(new Option('--model <name>', 'observation model').choices(['constant', 'logit', 'probit']))
    .addOption(new Option('--loss <name>', 'loss of the observation model').choices(['squared', 'likelihood']))
    .addOption(new Option('--weights <name>', 'weights of the correction').choices(['ipw', 'none']))
    .option(
      '--imputer <file>',
      'a model in place of a prediction column: a module (.js), an ONNX model (.onnx), what primo train wrote or the definition of an imputer (.json)',
    )
    .option('--seed <n>', 'seed of the folds', wholeNumber('--seed', 0), 0)
    .option(
      '--out <file>',
      'write the table in its own format (.csv or .parquet) with a new column "calibrated" (a category gets "calibrated=LEVEL", one per level)',
    )
    .option(
      '--analysis',
      'add an analysis: repeated cross-fitting, intervals, overlap, balance, bands, sensitivity to values that are not missing at random',
    )
    .option('--folds <n>', 'folds of the analysis', wholeNumber('--folds', 2), 5)
    .option('--repetitions <n>', 'repetitions of the analysis, joined by medians', wholeNumber('--repetitions', 1), 5)
    .option(
      '--witness <columns>',
      'bound the covariate where it is missing, whatever made it missing, by columns that depend on that only through context and covariate; reward:action compares rewards within actions',
      names,
    )
    .option('--report <folder>', 'write the analysis to this folder as a page with plots')
    .option(
      '--json',
      'the fit as one JSON object on stdout, nothing else; the analysis is its field "analysis", what witnesses say its field "bounds"',
    )
    .addHelpText(
      'after',
      '\nExample:\n  primo calibrate patients.csv --context age,weight --covariate genotype --prediction model --out calibrated.csv\n  primo calibrate patients.csv --context age,weight --covariate genotype --imputer model.onnx\n  primo calibrate patients.csv --context age,weight --covariate genotype --prediction model --witness outcome:treatment\n',
    )
    .action(run)
}

async function run(path: string | undefined, flags: CalibrateFlags, command: Command): Promise<void> {
  const file = tableOf(path, flags.table)
  const given = withWitnesses(tableSpecOf(flags), flags)
  const specs = covariateSpecs(given)
  for (const { covariate, prediction } of specs) {
    if (prediction === undefined && flags.imputer === undefined)
      throw new UsageError(
        `--prediction must name the predictions of ${covariate} (or --imputer a model), got none: ` +
          'primo train makes a model',
      )
  }
  if (specs.length > 1 && flags.imputer !== undefined)
    throw new UsageError(`--imputer must be given with one covariate, got ${specs.length}`)
  if (flags.report !== undefined) makeFolder('--report', flags.report)
  const progress = progressBar('calibrate', specs.length)
  const read = await readTable(file, given)
  const fits: Fit[] = []
  for (const spec of specs) {
    fits.push(await fitOf(read, spec, flags, specs.length === 1 ? 'calibrated' : `calibrated.${spec.covariate}`))
    progress.advance(1)
  }
  progress.done()
  const { out } = flags
  const columns = out === undefined ? [] : fits.flatMap(({ calibration, name }) => calibratedColumns(calibration, name))
  if (out !== undefined) await writeWithColumns(read, columns, out)
  if (flags.json === true) {
    const objects = fits.map(jsonOf)
    printJson(
      fits.length === 1 ? objects[0] : Object.fromEntries(specs.map(({ covariate }, k) => [covariate, objects[k]])),
    )
  } else
    print(
      fits.map((fit, k) => (fits.length === 1 ? textOf(fit) : `${specs[k]!.covariate}\n\n${textOf(fit)}`)).join('\n\n'),
    )
  for (const [k, { analysis, bounds }] of fits.entries()) {
    if (analysis === null || flags.report === undefined) continue
    const outDir = fits.length === 1 ? flags.report : join(flags.report, specs[k]!.covariate)
    await writeStudyReport({
      study: {
        name: 'calibrate',
        title: `Calibration of ${analysis.covariate}`,
        claim: `How wrong the predictions in ${file} are, and what correcting them gains.`,
        run: () => Promise.reject(new Error('not a study')),
      },
      result: withBounds(analysisResult(analysis), bounds),
      outDir,
      command: commandLine(command),
    })
    process.stderr.write(`report: ${outDir}/report.html\n`)
  }
  if (out !== undefined) {
    const added = columns.map(({ name }) => `"${name}"`).join(', ')
    process.stderr.write(`wrote ${out} with the ${columns.length === 1 ? 'column' : 'columns'} ${added}\n`)
  }
}

/** The calibration of one covariate. */
interface Fit {
  readonly name: string
  readonly calibration: TableCalibration
  readonly analysis: CalibrationAnalysis | null
  readonly bounds: WitnessSets | null
  readonly imputer: Omit<ScoredRows, 'predictions'> | null
}

async function fitOf(read: Table, given: CovariateTableSpec, flags: CalibrateFlags, name: string): Promise<Fit> {
  const scored = flags.imputer === undefined ? null : await predictions(read, given, flags.imputer)
  const { table, spec } = scored ?? { table: read, spec: given }
  const { class: kind, delta0, eps0, model, loss, weights, seed, out } = flags
  const calibration = calibrateTable(table, spec, {
    class: kind,
    seed,
    name,
    ...(delta0 === undefined ? {} : { delta0 }),
    ...(eps0 === undefined ? {} : { eps0 }),
    ...(model === undefined ? {} : { model }),
    ...(loss === undefined ? {} : { loss }),
    ...(weights === undefined ? {} : { weights }),
    ...(out === undefined ? {} : { out }),
  })
  const wanted = flags.analysis === true || flags.report !== undefined
  const analysis = wanted
    ? analyseCalibration(calibration.encoded, {
        class: calibration.report.correction.rung,
        folds: flags.folds,
        repetitions: flags.repetitions,
        seed,
        ...(delta0 === undefined ? {} : { delta0 }),
        ...(eps0 === undefined ? {} : { eps0 }),
        ...(weights === undefined ? {} : { weights }),
      })
    : null
  const witnesses = spec.witnesses ?? []
  const bounds = witnesses.length === 0 ? null : witnessSets(calibration.encoded, witnesses, { seed })
  return { name, calibration, analysis, bounds, imputer: scored?.imputer ?? null }
}

function withBounds(result: StudyResult, bounds: WitnessSets | null): StudyResult {
  if (bounds === null) return result
  const conclusion = [result.conclusion, ...witnessSentences(bounds)].join(' ')
  return { ...result, tables: [...result.tables, witnessTable(bounds)], conclusion }
}

/** "score" or "reward:action". */
function withWitnesses(spec: CovariateTableSpec, { witness }: CalibrateFlags): CovariateTableSpec {
  if (witness === undefined) return spec
  const witnesses = witness.map((text) => {
    const [column, within, ...more] = text.split(':')
    if (column === undefined || more.length > 0)
      throw new UsageError(`--witness must be columns such as score or reward:action, got "${text}"`)
    return { column, ...(within === undefined ? {} : { within }) }
  })
  return { ...spec, witnesses }
}

function jsonOf({ calibration, analysis, bounds, imputer }: Fit): object {
  return {
    ...calibration.report,
    ...(analysis === null ? {} : { analysis }),
    ...(bounds === null ? {} : { bounds }),
    ...(imputer === null ? {} : { imputer }),
  }
}

function textOf({ calibration, analysis, bounds, imputer }: Fit): string {
  return [
    ...(imputer === null ? [] : [imputerText(imputer)]),
    calibrationText(calibration.report),
    ...(analysis === null ? [] : [analysisText(analysis)]),
    ...(bounds === null ? [] : [witnessText(bounds)]),
  ].join('\n\n')
}

/** Column that holds the predictions of a model file. */
const PREDICTED = 'predicted by the imputer'

/** The table with the model's prediction in every row. */
async function predictions(read: Table, given: CovariateTableSpec, file: string) {
  if (given.prediction !== undefined)
    throw new UsageError(`--imputer must be given instead of --prediction, got both ("${given.prediction}")`)
  const { context, covariate, rows } = tableInputs(read, given)
  const { predictions: made, ...imputer } = await scoreRows(file, { context, covariate, rows, name: given.covariate })
  if (imputer.failed === made.length)
    throw new UsageError(`--imputer must predict at least one row, got none from "${file}": ${imputer.failure}`)
  return {
    table: withPredictions(read, PREDICTED, covariate, made),
    spec: { ...given, prediction: PREDICTED },
    imputer,
  }
}

function imputerText({ kind, failed, failure, latency }: Omit<ScoredRows, 'predictions'>): string {
  const { p50, p99, rows, rowsPerSecond } = latency
  const speed = `imputer (${kind}): ${p50.toFixed(2)} ms a row (median of ${rows}), ${p99.toFixed(2)} ms at the 99th percentile, ${Math.round(rowsPerSecond).toLocaleString('en')} rows per second in total`
  return failed === 0 ? speed : `${speed}\n${failed} rows without a prediction; the first: ${failure}`
}
