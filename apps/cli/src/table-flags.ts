// The flags that say how a table is read, and which column of it is what; shared by the commands that take tables.

import { type CovariateTableSpec, missingMarkers, type TableSpec } from '@primo/lab/node'
import { type Command, Option } from 'commander'
import { readJson } from './json-file.js'
import { names, realNumber, UsageError } from './output.js'

export interface TableFlags extends ReadingFlags {
  readonly spec?: string
  readonly table?: string
  readonly context?: string[]
  readonly covariate?: string[]
  readonly observed?: string[]
  readonly prediction?: string[]
  readonly rewards?: string[]
  readonly means?: string[]
  readonly rewardRange?: readonly [number, number]
  readonly meanRange?: readonly [number, number]
  readonly ranges?: Readonly<Record<string, readonly [number, number]>>
  readonly interactions?: 'none' | 'all' | string[][]
}

export interface ReadingFlags extends FormatFlags {
  readonly categories?: string[]
  readonly dates?: string[]
  readonly dateOrder?: 'dmy' | 'mdy'
}

export interface FormatFlags {
  readonly na?: string[]
  readonly separator?: string
  readonly decimal?: '.' | ','
}

/** A table: a file, several ("visits/*.csv"), or a query; `what` describes the file. */
export function addTableArgument(command: Command, what: string): Command {
  return command
    .argument('[file]', `${what}; several as "visits/*.parquet"`)
    .option(
      '--table <query>',
      "in place of a file: a query in DuckDB's SQL, such as \"select * from 'visits/*.parquet'\"",
    )
}

/** The file or query that a command is given. */
export function tableOf(file: string | undefined, query: string | undefined): string {
  if ((file === undefined) === (query === undefined))
    throw new UsageError('a file or --table must be given, and one alone')
  if (query !== undefined && !/^\s*(select|from|with)\s/i.test(query))
    throw new UsageError(`--table must be a query that begins with select, from or with, got "${query}"`)
  return file ?? query!
}

export function addTableFlags(command: Command): Command {
  return addReadingFlags(command)
    .option('--context <columns>', 'context columns, separated by commas', names)
    .option('--covariate <columns>', 'the covariates that are sometimes missing, separated by commas', names)
    .option(
      '--spec <file>',
      'a JSON file that says what each column is, as inspect and simulate --write-table write it; flags override it',
    )
    .option(
      '--observed <columns>',
      '1 where the covariate was observed, else 0 (default: an empty cell is missing); one per covariate, g1,,g3 leaves one out',
      perCovariate,
    )
    .option(
      '--prediction <columns>',
      'the pre-trained model’s prediction of the covariate; one per covariate',
      perCovariate,
    )
    .option(
      '--ranges <list>',
      'ranges of numeric columns, such as x1=-1..1,age=18..95 (default: the table’s extremes)',
      ranges,
    )
}

/** How a file is read: its format, and columns that are not what they look like. */
export function addReadingFlags(command: Command): Command {
  return addFormatFlags(command)
    .option('--categories <columns>', 'columns that are categories even where they hold numbers', names)
    .option(
      '--dates <columns>',
      'context columns of dates or times: "when" becomes the numbers when.weekday (Monday 1), when.hour and when.days (since 1970-01-01)',
      names,
    )
    .addOption(
      new Option('--date-order <order>', 'whether 3/5/2024 is day first or month first').choices(['dmy', 'mdy']),
    )
}

/** How a file is written, where that is not to be found. */
export function addFormatFlags(command: Command): Command {
  return command
    .option(
      '--na <list>',
      `texts that mean missing besides ${missingMarkers.join(' ')} and empty cells, such as -999,age=99; only:LIST: these and no others`,
      markers,
    )
    .option(
      '--separator <character>',
      'what stands between the columns of a CSV file, or tab (default: found)',
      separator,
    )
    .addOption(new Option('--decimal <mark>', 'decimal mark of a CSV file (default: found)').choices(['.', ',']))
}

function markers(text: string): string[] {
  return text.startsWith('only:') ? names(text.slice('only:'.length)) : [...missingMarkers, ...names(text)]
}

function separator(text: string): string {
  return text === 'tab' || text === '\\t' ? '\t' : text
}

export function addRewardFlags(command: Command): Command {
  return command
    .option('--rewards <columns>', 'realised reward of each action', names)
    .option('--means <columns>', 'true mean reward of each action; regret is then computed from them', names)
    .option('--reward-range <lo,hi>', 'range of the rewards (default: the table’s extremes)', pair('--reward-range'))
    .option(
      '--mean-range <lo,hi>',
      'range of the mean reward, gamma’s unit (default: the reward range)',
      pair('--mean-range'),
    )
    .option('--interactions <list>', 'none, all, or products such as z:x1,z:z:x2', interactions)
}

/** What the flags of `addReadingFlags` say. */
export function readingOf({
  categories,
  dates,
  dateOrder,
  na,
  separator: mark,
  decimal,
}: ReadingFlags): Partial<TableSpec> {
  const given = { categories, dates, dateOrder, na, separator: mark, decimal }
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
}

/** What a spec says of how columns are read, without what they are. */
export function readingIn(spec: Partial<TableSpec>): Partial<TableSpec> {
  const { labels, features, ranges } = spec
  const given = Object.entries({ labels, features, ranges }).filter(([, value]) => value !== undefined)
  return { ...readingOf(spec as ReadingFlags), ...Object.fromEntries(given) }
}

/** The spec file, if there is one, overridden by the flags. */
export function tableSpecOf(flags: TableFlags): CovariateTableSpec {
  const stored = flags.spec === undefined ? {} : readSpec(flags.spec)
  const given = {
    context: flags.context,
    ...covariatesOf(flags, stored),
    rewards: flags.rewards,
    means: flags.means,
    rewardRange: flags.rewardRange,
    meanRange: flags.meanRange,
    ranges: flags.ranges,
    interactions: flags.interactions,
    ...readingOf(flags),
  }
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined))
  const keys = ['covariate', 'observed', 'prediction', 'others', ...KEY_FIELDS]
  const kept = Object.fromEntries(Object.entries(stored).filter(([field]) => !keys.includes(field)))
  const spec = { ...kept, ...set } as Partial<TableSpec>
  for (const name of ['context', 'covariate'] as const) {
    if (spec[name] === undefined)
      throw new UsageError(`--${name} must be given (or be in --spec, which primo inspect writes)`)
  }
  return spec as CovariateTableSpec
}

/** Covariates, each with the column that hides it. */
export function rolesOf(
  covariates: readonly string[],
  flagOf: ReadonlyMap<string, string | undefined>,
): Pick<TableSpec, 'others'> & { readonly covariate: string } {
  const [first, ...others] = covariates.map((covariate) => {
    const observed = flagOf.get(covariate)
    return { covariate, ...(observed === undefined ? {} : { observed }) }
  })
  return { ...first!, others }
}

/** One per covariate; an empty one leaves it out. */
function perCovariate(text: string): string[] {
  return text.split(',').map((name) => name.trim())
}

function covariatesOf(flags: TableFlags, stored: Partial<TableSpec>): Partial<TableSpec> {
  const { covariate, observed, prediction, others = [] } = stored
  const known = covariate === undefined ? [] : [{ covariate, observed, prediction }, ...others]
  const wanted = flags.covariate ?? known.map((one) => one.covariate)
  for (const flag of ['observed', 'prediction'] as const) {
    const given = flags[flag]?.length ?? 0
    if (given > wanted.length)
      throw new UsageError(`--${flag} must have one column per covariate (${wanted.length}), got ${given}`)
  }
  const [first, ...rest] = wanted.map((name, k) => {
    const before = known.find((one) => one.covariate === name)
    const flag = (flags.observed?.[k] ?? before?.observed) || undefined
    const predicted = (flags.prediction?.[k] ?? before?.prediction) || undefined
    return {
      covariate: name,
      ...(flag === undefined ? {} : { observed: flag }),
      ...(predicted === undefined ? {} : { prediction: predicted }),
    }
  })
  return { ...first, ...(rest.length > 0 || others.length > 0 ? { others: rest } : {}) }
}

/** Columns that only a decision log has a use for. */
const KEY_FIELDS = ['decisionId', 'eventId', 'subject', 'time', 'eligible', 'propensities']

const SPEC_FIELDS = [
  'context',
  'covariate',
  'observed',
  'prediction',
  'others',
  'rewards',
  'means',
  'rewardRange',
  'meanRange',
  'ranges',
  'features',
  'interactions',
  'categories',
  'dates',
  'dateOrder',
  'na',
  'separator',
  'decimal',
  'labels',
  'action',
  'actions',
  'reward',
  'propensity',
  'after',
  ...KEY_FIELDS,
]

/** A spec as it is in its file. */
export function readSpec(file: string): Partial<TableSpec> {
  const spec = readJson<unknown>('--spec', file)
  if (typeof spec !== 'object' || spec === null || Array.isArray(spec))
    throw new UsageError(`--spec must hold an object, got "${file}"`)
  // A misspelt "observed" would show hidden values to the policies.
  const unknown = Object.keys(spec).find((name) => !SPEC_FIELDS.includes(name))
  if (unknown !== undefined)
    throw new UsageError(`${file} must only have the fields ${SPEC_FIELDS.join(', ')}, got "${unknown}"`)
  return spec
}

function pair(flag: string): (text: string) => readonly [number, number] {
  return (text) => {
    const parts = text.split(',')
    if (parts.length !== 2) throw new UsageError(`${flag} must be lo,hi, got "${text}"`)
    const number = realNumber(flag)
    return [number(parts[0]!), number(parts[1]!)]
  }
}

function ranges(text: string): Readonly<Record<string, readonly [number, number]>> {
  return Object.fromEntries(
    names(text).map((entry) => {
      const match = /^(.+)=(.+)\.\.(.+)$/.exec(entry)
      if (match === null) throw new UsageError(`--ranges must be column=lo..hi, got "${entry}"`)
      const number = realNumber('--ranges')
      return [match[1]!, [number(match[2]!), number(match[3]!)]] as const
    }),
  )
}

/** "none", "all" or "z:x1,z:x2". */
export function interactions(text: string): 'none' | 'all' | string[][] {
  return text === 'none' || text === 'all' ? text : names(text).map((product) => product.split(':'))
}
