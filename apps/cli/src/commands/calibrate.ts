// primo calibrate FILE: how wrong is the model on the rows where the covariate was seen, and how to correct it.

import { calibratedColumns, calibrateTable, calibrationText, readTable, writeWithColumns } from '@primo/lab/node'
import { Command, Option } from 'commander'
import { print, printJson, realNumber, wholeNumber } from '../output.js'
import { addTableFlags, type TableFlags, tableSpecOf } from '../table-flags.js'

interface CalibrateFlags extends TableFlags {
  readonly class: 'auto' | 'bias' | 'linear' | 'basis'
  readonly delta0?: number
  readonly eps0?: number
  readonly model?: 'constant' | 'logit' | 'probit'
  readonly loss?: 'squared' | 'likelihood'
  readonly weights?: 'ipw' | 'none'
  readonly seed: number
  readonly out?: string
  readonly json?: boolean
}

export function calibrateCommand(): Command {
  const command = new Command('calibrate')
    .description('correct a prediction column from the rows where the covariate was observed (CSV or Parquet)')
    .argument('<file>', 'a table with a header')
  return addTableFlags(command)
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
    .option('--seed <n>', 'seed of the folds', wholeNumber('--seed', 0), 0)
    .option(
      '--out <file>',
      'write the table, in its own format (.csv or .parquet), with the added column "calibrated" (for a category "calibrated=LEVEL", one per level)',
    )
    .option('--json', 'the fit as one JSON object on stdout, nothing else')
    .addHelpText(
      'after',
      '\nExample:\n  primo calibrate patients.csv --context age,weight --covariate genotype --prediction model --out calibrated.csv\n',
    )
    .action(run)
}

async function run(file: string, flags: CalibrateFlags): Promise<void> {
  const spec = tableSpecOf(flags)
  const table = await readTable(file, spec)
  const { class: kind, delta0, eps0, model, loss, weights, seed, out } = flags
  const calibration = calibrateTable(table, spec, {
    class: kind,
    seed,
    ...(delta0 === undefined ? {} : { delta0 }),
    ...(eps0 === undefined ? {} : { eps0 }),
    ...(model === undefined ? {} : { model }),
    ...(loss === undefined ? {} : { loss }),
    ...(weights === undefined ? {} : { weights }),
    ...(out === undefined ? {} : { out }),
  })
  const columns = out === undefined ? [] : calibratedColumns(calibration)
  if (out !== undefined) await writeWithColumns(table, columns, out)
  if (flags.json === true) printJson(calibration.report)
  else print(calibrationText(calibration.report))
  if (out !== undefined) {
    const added = columns.map(({ name }) => `"${name}"`).join(', ')
    process.stderr.write(`wrote ${out} with the ${columns.length === 1 ? 'column' : 'columns'} ${added}\n`)
  }
}
