// primo impute FILE --model MODEL: the table with its missing covariates filled in by trained models, once by what they predict or several
// times by draws.

import { extname } from 'node:path'
import type { Feature, ModelFile, TrainedFeature, TrainedTarget } from '@primo/core'
import {
  covariateSpecs,
  dateParts,
  hideUnseen,
  imputeTable,
  readTable,
  type Table,
  type TableSpec,
  tableHeader,
  tableNotes,
  writeWithColumns,
} from '@primo/lab/node'
import { Command } from 'commander'
import { checkFolder, print, printJson, wholeNumber } from '../output.js'
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
import { modelsIn } from './model-file.js'

interface ImputeFlags extends ReadingFlags {
  readonly model: string
  readonly spec?: string
  readonly table?: string
  readonly draws?: number
  readonly seed: number
  readonly out: string
  readonly json?: boolean
}

const HELP = `
Each covariate gets a column NAME.completed: what was observed, and where it is missing what the model predicts. With --draws M there are M
tables (OUT-1, OUT-2, ...), each with a draw of its own, so that an analysis repeated on all of them sees how uncertain the filling is.

Examples:
  primo impute patients.csv --model model.json --out completed.csv
  primo impute patients.csv --model model.json --draws 20 --seed 7 --out completed.csv
`

export function imputeCommand(): Command {
  const command = new Command('impute')
  return addReadingFlags(addTableArgument(command, 'a table with a header'))
    .option('--spec <file>', 'how the table is read: missing codes, dates, labels, decimals; flags override it')
    .requiredOption('--model <file>', 'what primo train wrote')
    .option('--draws <m>', 'tables with a draw each (default: one table with predictions)', wholeNumber('--draws', 1))
    .option('--seed <n>', 'seed of the draws', wholeNumber('--seed', 0), 0)
    .requiredOption('--out <file>', 'where to write, in the format of the table')
    .option('--json', 'one JSON object on stdout')
    .addHelpText('after', HELP)
    .action(run)
}

async function run(given: string | undefined, flags: ImputeFlags): Promise<void> {
  const file = tableOf(given, flags.table)
  checkFolder('--out', flags.out)
  const models = modelsIn('--model', flags.model)
  const spec = await specOf(file, models, flags)
  const table = hideUnseen(await readTable(file, spec), spec)
  for (const note of tableNotes(table, spec)) process.stderr.write(`${note}\n`)
  const draws = flags.draws === undefined ? [null] : Array.from({ length: flags.draws }, (_, draw) => draw + 1)
  const written: string[] = []
  let filled: Readonly<Record<string, number>> = {}
  for (const draw of draws) {
    const completed = imputeTable(table, models, { draw, seed: flags.seed })
    filled = Object.fromEntries(completed.map((column) => [column.name, column.filled]))
    const out = draw === null ? flags.out : numbered(flags.out, draw)
    const columns = completed.map(({ name, values }) => ({
      name: `${name}.completed`,
      values: truths(table, name, values),
    }))
    await writeWithColumns(table, columns, out)
    written.push(out)
  }
  if (flags.json === true) printJson({ rows: table.rows, filled, files: written })
  else {
    const counts = Object.entries(filled).map(([name, count]) => `${count.toLocaleString('en')} values of ${name}`)
    const how = flags.draws === undefined ? 'predicted' : `drawn ${flags.draws} times`
    print(`${counts.join(' and ')} ${how} in ${table.rows.toLocaleString('en')} rows: ${written.join(', ')}`)
  }
}

function numbered(out: string, draw: number): string {
  const end = extname(out)
  return `${out.slice(0, out.length - end.length)}-${draw}${end}`
}

/** The columns that the models know; booleans are left to the table, which says whether they came as true and false. */
async function specOf(file: string, { models, given = [] }: ModelFile, flags: ImputeFlags): Promise<TableSpec> {
  const stored = flags.spec === undefined ? {} : readSpec(flags.spec)
  const flagOf = new Map(covariateSpecs({ context: [], ...stored }).map((one) => [one.covariate, one.observed]))
  const { features: _, ranges: __, ...reading } = { ...readingIn(stored), ...readingOf(flags) }
  const covariates = models.map(({ covariate }) => covariate)
  const known = new Map<string, TrainedFeature | TrainedTarget>()
  for (const { features } of [...models, ...given]) for (const feature of features) known.set(feature.name, feature)
  for (const { covariate, target } of models) known.set(covariate, target)
  const features = [...known].flatMap(([name, feature]): [string, Feature][] => {
    if (feature.type === 'category') return [[name, { type: 'category', levels: feature.levels }]]
    return feature.type === 'number' ? [[name, { type: 'number', min: feature.min, max: feature.max }]] : []
  })
  const header = await tableHeader(file, reading)
  const columns = [...known.keys()].filter((name) => !covariates.includes(name)).map((name) => columnOf(name, header))
  const dates = columns.filter((name) => !known.has(name))
  return {
    ...reading,
    categories: reading.categories?.filter((name) => known.has(name)) ?? [],
    context: [...new Set(columns)],
    ...rolesOf(covariates, flagOf),
    features: Object.fromEntries(features),
    dates: [...new Set(dates)],
  }
}

/** A part of a date that is no column of its own is made from the date. */
function columnOf(name: string, header: readonly string[]): string {
  const date = name.slice(0, name.lastIndexOf('.'))
  const isPart = dateParts.some((part) => name === `${date}.${part}`)
  return isPart && !header.includes(name) && header.includes(date) ? date : name
}

/** True and false are written as they came. */
function truths(
  table: Table,
  name: string,
  values: Float64Array | readonly string[],
): Float64Array | readonly string[] {
  const column = table.columns.get(name)
  if (!(values instanceof Float64Array) || column?.kind !== 'number' || column.boolean !== true) return values
  return Array.from(values, (value) => (value === 1 ? 'true' : 'false'))
}
