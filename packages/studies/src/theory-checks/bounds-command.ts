// The bounds command: a problem's constants as flags (defaults: environment A), the theorems' terms by epoch as a table
// or as JSON.

import { parseArgs } from 'node:util'
import { referenceData } from '@primo/lab'
import { textTable } from '@primo/lab/node'
import { PrimoError } from '@primo/numeric'
import { type BoundsRow, type BoundsTable, boundsTable, type FunctionClass, type ProblemConstants } from '@primo/theory'
import type { CommandResult, Console } from './console.js'

const FLAGS = {
  horizon: 'T, default 131072',
  actions: 'K',
  lambda: 'bound of the reward noise',
  delta: 'confidence, default 0.05',
  'elasticity-printed': 'E of the definition',
  'elasticity-missing': 'E_miss, used by corrected formulas',
  'elasticity-bias': 'E_bias, when known (E46)',
  upsilon: 'upsilon(f*) > 0, default the printed elasticity; give it when that is 0',
  lipschitz: 'L_Z',
  omega0: 'root mean square of the covariate noise',
  'eta-bound': 'tau, bound of the covariate noise',
  delta0: 'error of the pretrained model',
  floor: 'eps0, the smallest observation probability',
  'entropy-exponent': 'd of the covariate class',
  'floor-per-round': 'regret per round that nobody avoids, when known',
} as const

const CLASS_HELP = 'linear:P | lipschitz:L[:DIM] | convex-lipschitz:L | twice-differentiable:C | entropy:D[:A]'

const HELP = `The terms of Theorem 2 (PRIMO) and Theorem 4 (PRIMO-Cal) by epoch up to T, printed and corrected.

Usage: primo bounds [options]     (defaults: reference environment A)

${Object.entries(FLAGS)
  .map(([name, text]) => `  --${`${name} X`.padEnd(22)} ${text}`)
  .join('\n')}
  --reward-class C        ${CLASS_HELP}
  --observation-class C   the same
  --covariate-class C     the same; default by the entropy exponent
  --rate                  radii without the constant 16
  --ball l2|complexity    --weights ipw|none    --universal one|explicit    --linear (reward linear in the covariate)
  --json                  one object on stdout
  --help                  this text

Example: primo bounds --horizon 1024 --reward-class lipschitz:2 --delta0 0.1

Exit codes: 0 ok, 1 failed, 2 bad usage.`

export function boundsCommand(args: readonly string[], console: Console): CommandResult {
  let problem: ProblemConstants
  let horizon: number
  let json: boolean
  try {
    const values = parse(args)
    if (values.help) {
      console.out(HELP)
      return { exitCode: 0 }
    }
    problem = problemOf(values)
    horizon = numberOf(values, 'horizon', 2 ** 17)
    json = values.json === true
  } catch (error) {
    console.error(`primo: ${(error as Error).message}`)
    return { exitCode: 2 }
  }
  try {
    const table = boundsTable(problem, horizon)
    console.out(json ? JSON.stringify({ problem, ...table }) : render(table))
    return { exitCode: 0 }
  } catch (error) {
    if (!(error instanceof PrimoError)) throw error
    console.error(`primo: ${error.message}`)
    return { exitCode: error.code === 'invalid-option' ? 2 : 1 }
  }
}

type Values = Readonly<Record<string, string | boolean | undefined>>

function parse(args: readonly string[]): Values {
  const text = { type: 'string' } as const
  const flag = { type: 'boolean' } as const
  const numbers = Object.fromEntries(Object.keys(FLAGS).map((name) => [name, text]))
  const { values } = parseArgs({
    args: joinNegatives(args),
    options: {
      ...numbers,
      'reward-class': text,
      'observation-class': text,
      'covariate-class': text,
      ball: text,
      weights: text,
      universal: text,
      rate: flag,
      linear: flag,
      json: flag,
      help: { ...flag, short: 'h' },
    },
  })
  return values as Values
}

/** `--delta0 -1` is a flag with a bad value, not two flags. */
function joinNegatives(args: readonly string[]): string[] {
  return args.reduce<string[]>((list, arg) => {
    const before = list.at(-1)
    if (/^-[\d.]/.test(arg) && before?.startsWith('--') === true && !before.includes('='))
      return [...list.slice(0, -1), `${before}=${arg}`]
    list.push(arg)
    return list
  }, [])
}

function numberOf(values: Values, name: keyof typeof FLAGS, fallback: number): number {
  const given = values[name]
  if (given === undefined) return fallback
  const value = Number(given)
  if (given === '' || !Number.isFinite(value)) throw new RangeError(`--${name} must be a number, got "${given}"`)
  return value
}

function optional(values: Values, name: keyof typeof FLAGS): number | undefined {
  return values[name] === undefined ? undefined : numberOf(values, name, 0)
}

function choice<T extends string>(values: Values, name: string, allowed: readonly T[]): T | undefined {
  const given = values[name]
  if (given === undefined) return undefined
  const found = allowed.find((value) => value === given)
  if (found === undefined) throw new RangeError(`--${name} must be ${allowed.join(' or ')}, got "${given}"`)
  return found
}

function problemOf(values: Values): ProblemConstants {
  const { constants, theta, features, rewardNoise, covariateNoise } = referenceData('A')
  const bias = optional(values, 'elasticity-bias')
  const upsilon = optional(values, 'upsilon')
  const floorPerRound = optional(values, 'floor-per-round')
  const covariateClass = classOf(values, 'covariate-class')
  const ball = choice(values, 'ball', ['l2', 'complexity'] as const)
  const weights = choice(values, 'weights', ['ipw', 'none'] as const)
  const universal = choice(values, 'universal', ['one', 'explicit'] as const)
  return {
    actions: numberOf(values, 'actions', theta.length),
    lambda: numberOf(values, 'lambda', rewardNoise),
    delta: numberOf(values, 'delta', 0.05),
    elasticity: {
      printed: numberOf(values, 'elasticity-printed', constants.elasticityPrinted),
      missingOnly: numberOf(values, 'elasticity-missing', constants.elasticityMissingOnly),
      ...(bias === undefined ? {} : { bias }),
    },
    lipschitz: numberOf(values, 'lipschitz', constants.lipschitzInCovariate),
    omega0: numberOf(values, 'omega0', constants.omega0),
    etaBound: numberOf(values, 'eta-bound', covariateNoise),
    delta0: numberOf(values, 'delta0', constants.delta0),
    floor: numberOf(values, 'floor', 0.1),
    entropyExponent: numberOf(values, 'entropy-exponent', 1),
    rewardClass: classOf(values, 'reward-class') ?? { kind: 'linear', dimension: theta.length * features.length },
    observationClass: classOf(values, 'observation-class') ?? { kind: 'linear', dimension: 6 },
    constant16: values.rate !== true,
    linearInCovariate: values.linear === true,
    ...(upsilon === undefined ? {} : { upsilon }),
    ...(floorPerRound === undefined ? {} : { floorPerRound }),
    ...(covariateClass === undefined ? {} : { covariateClass }),
    ...(ball === undefined ? {} : { ball }),
    ...(weights === undefined ? {} : { weights }),
    ...(universal === undefined ? {} : { universal }),
  }
}

function classOf(values: Values, name: string): FunctionClass | undefined {
  const given = values[name]
  if (given === undefined) return undefined
  const [kind, ...rest] = String(given).split(':')
  const numbers = rest.map(Number)
  const [first, second] = numbers
  const bad = new RangeError(`--${name} must be ${CLASS_HELP}, got "${given}"`)
  if (first === undefined || numbers.some((value) => !Number.isFinite(value))) throw bad
  const xDim = second === undefined ? {} : { xDim: second }
  switch (kind) {
    case 'linear':
      return { kind, dimension: first }
    case 'lipschitz':
      return { kind, lipschitz: first, ...xDim }
    case 'convex-lipschitz':
      return { kind, lipschitz: first }
    case 'twice-differentiable':
      return { kind, bound: first, ...xDim }
    case 'entropy':
      return { kind, entropyExponent: first, ...(second === undefined ? {} : { entropyScale: second }) }
    default:
      throw bad
  }
}

function render(table: BoundsTable): string {
  const parts: string[] = []
  for (const theorem of [2, 4] as const) {
    for (const formulas of ['printed', 'corrected'] as const) {
      const rows = table.epochs.filter((row) => row.theorem === theorem && row.formulas === formulas)
      if (rows.length > 0) parts.push(section(theorem, formulas, rows))
    }
  }
  parts.push('Regret up to T, universal constants taken as 1', regretTable(table))
  return parts.join('\n\n')
}

function section(theorem: 2 | 4, formulas: string, rows: readonly BoundsRow[]): string {
  const names = [...new Set(rows.flatMap((row) => row.terms.map(({ name }) => name)))]
  const header = ['epoch', 'rounds', 'rows', ...names, 'Gamma', 'gamma', 'largest']
  const body = rows.map((row) => {
    const value = (name: string) => row.terms.find((term) => term.name === name)?.value
    return [
      String(row.epoch),
      String(row.rounds),
      String(row.rows),
      ...names.map((name) => shown(value(name))),
      shown(row.Gamma),
      shown(row.gamma),
      row.largest,
    ]
  })
  const title = `Theorem ${theorem} (${theorem === 2 ? 'PRIMO' : 'PRIMO-Cal'}), ${formulas === 'printed' ? 'as printed' : 'corrected'}`
  return `${title}\n\n${textTable(header, body)}`
}

function regretTable(table: BoundsTable): string {
  return textTable(
    ['theorem', 'formulas', 'bound', 'bound / T', 'largest term', 'says something'],
    table.regret.map((bound) => [
      String(bound.theorem),
      bound.formulas,
      shown(bound.total),
      shown(bound.total / table.horizon),
      bound.largest,
      bound.total < table.horizon ? 'yes' : 'no (above T)',
    ]),
  )
}

function shown(value: number | undefined): string {
  if (value === undefined) return '-'
  return value !== 0 && (Math.abs(value) < 1e-3 || Math.abs(value) >= 1e6)
    ? value.toExponential(2)
    : value.toPrecision(4)
}
