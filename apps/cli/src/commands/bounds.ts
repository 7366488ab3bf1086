// primo bounds: the four theorems by epoch, printed and corrected. A problem's constants are flags, or come from a scenario or from
// a calibration (bounds-constants.ts); those of environment A are the defaults.

import { referenceData } from '@primo/lab'
import { boundsTable, type FunctionClass, type ProblemConstants } from '@primo/theory'
import { Command, Option } from 'commander'
import { print, printJson, realNumber, UsageError } from '../output.js'
import {
  type ConstantName,
  calibrationConstants,
  referenceConstants,
  type SourcedConstant,
  scenarioConstants,
} from './bounds-constants.js'
import { boundsText } from './bounds-text.js'

const NUMBERS = {
  horizon: 'T (default: 131072)',
  actions: 'K',
  lambda: 'bound of the reward noise',
  delta: 'confidence (default: 0.05)',
  'elasticity-printed': 'E of the definition',
  'elasticity-missing': 'E_miss, used by corrected formulas',
  'elasticity-bias': 'E_bias, if known (E46)',
  upsilon: 'upsilon(f*) > 0 (default: the printed elasticity; required if that is 0)',
  lipschitz: 'L_Z',
  omega0: 'root mean square of the covariate noise',
  'eta-bound': 'tau, bound of the covariate noise',
  delta0: 'error of the pretrained model',
  eps0: 'smallest observation probability (default: 0.1)',
  'entropy-exponent': 'd of the covariate class (default: 1)',
  'unavoidable-per-round': 'unavoidable regret per round, if known',
} as const

const CLASS = 'linear:P, lipschitz:L[:DIM], convex-lipschitz:L, twice-differentiable:C or entropy:D[:A]'

interface Flags {
  readonly horizon?: number
  readonly actions?: number
  readonly lambda?: number
  readonly delta?: number
  readonly elasticityPrinted?: number
  readonly elasticityMissing?: number
  readonly elasticityBias?: number
  readonly upsilon?: number
  readonly lipschitz?: number
  readonly omega0?: number
  readonly etaBound?: number
  readonly delta0?: number
  readonly eps0?: number
  readonly entropyExponent?: number
  readonly unavoidablePerRound?: number
  readonly scenario?: string
  readonly calibration?: string
  readonly rewardClass?: FunctionClass
  readonly observationClass?: FunctionClass
  readonly covariateClass?: FunctionClass
  readonly ball?: 'l2' | 'complexity'
  readonly weights?: 'ipw' | 'none'
  readonly universal?: 'one' | 'explicit'
  readonly rate?: true
  readonly linear?: true
  readonly json?: true
}

export function boundsCommand(): Command {
  const command = new Command('bounds')
  for (const [name, text] of Object.entries(NUMBERS)) command.option(`--${name} <x>`, text, realNumber(`--${name}`))
  return command
    .option('--scenario <name>', 'constants measured in a scenario of primo simulate')
    .option(
      '--calibration <file>',
      'constants that primo calibrate --json estimated: delta0, omega0, tau, and with --lipschitz (mean reward in units of its range per unit of the covariate) the elasticities; upper ends of 95% intervals',
    )
    .option('--reward-class <class>', CLASS, functionClass('--reward-class'))
    .option('--observation-class <class>', 'the same', functionClass('--observation-class'))
    .option('--covariate-class <class>', 'the same (default: by the exponent)', functionClass('--covariate-class'))
    .addOption(new Option('--ball <norm>', 'norm of the ball').choices(['l2', 'complexity']))
    .addOption(new Option('--weights <name>', 'weights of the calibration').choices(['ipw', 'none']))
    .addOption(new Option('--universal <constants>', 'universal constants').choices(['one', 'explicit']))
    .option('--rate', 'radii without the constant 16')
    .option('--linear', 'the reward is linear in the covariate')
    .option('--json', 'one JSON object on stdout')
    .addHelpText(
      'after',
      '\nThe defaults are those of reference environment A.\n\nExample:\n  primo bounds --horizon 1024 --reward-class lipschitz:2 --delta0 0.1\n  primo calibrate table.csv --spec table.csv.spec.json --json > calibrated.json\n  primo bounds --calibration calibrated.json --lipschitz 0.4\n',
    )
    .action((flags: Flags) => {
      const constants = constantsOf(flags)
      const problem = problemOf(flags, constants)
      const table = boundsTable(problem, flags.horizon ?? 2 ** 17)
      if (flags.json === true) printJson({ problem, constants, ...table })
      else print(boundsText(table, constants))
    })
}

type Constants = Readonly<Record<ConstantName, SourcedConstant>>

/** A flag comes before a file, a file before a scenario, a scenario before environment A. */
function constantsOf(flags: Flags): Constants {
  const { scenario, calibration, lipschitz } = flags
  const reference = referenceConstants()
  const found = {
    ...reference,
    ...(scenario === undefined ? {} : scenarioConstants(scenario)),
    ...(calibration === undefined ? {} : calibrationConstants(calibration, lipschitz)),
  }
  const constantOf = (name: ConstantName): SourcedConstant => {
    // A calibration brings L_Z into the theorems' units.
    const given = name === 'lipschitz' && calibration !== undefined ? undefined : flags[name]
    return given === undefined ? found[name] : { value: given, source: 'given' }
  }
  const names = Object.keys(reference) as ConstantName[]
  return Object.fromEntries(names.map((name) => [name, constantOf(name)])) as Constants
}

function problemOf(flags: Flags, constants: Constants): ProblemConstants {
  const { theta, features } = referenceData('A')
  const { elasticityBias, upsilon, unavoidablePerRound, covariateClass, ball, weights, universal } = flags
  return {
    actions: constants.actions.value,
    lambda: constants.lambda.value,
    delta: flags.delta ?? 0.05,
    elasticity: {
      printed: constants.elasticityPrinted.value,
      missingOnly: constants.elasticityMissing.value,
      ...(elasticityBias === undefined ? {} : { bias: elasticityBias }),
    },
    lipschitz: constants.lipschitz.value,
    omega0: constants.omega0.value,
    etaBound: constants.etaBound.value,
    delta0: constants.delta0.value,
    floor: constants.eps0.value,
    entropyExponent: flags.entropyExponent ?? 1,
    rewardClass: flags.rewardClass ?? { kind: 'linear', dimension: theta.length * features.length },
    observationClass: flags.observationClass ?? { kind: 'linear', dimension: 6 },
    constant16: flags.rate !== true,
    linearInCovariate: flags.linear === true,
    ...(upsilon === undefined ? {} : { upsilon }),
    ...(unavoidablePerRound === undefined ? {} : { floorPerRound: unavoidablePerRound }),
    ...(covariateClass === undefined ? {} : { covariateClass }),
    ...(ball === undefined ? {} : { ball }),
    ...(weights === undefined ? {} : { weights }),
    ...(universal === undefined ? {} : { universal }),
  }
}

function functionClass(flag: string): (text: string) => FunctionClass {
  return (text) => {
    const [kind, ...rest] = text.split(':')
    const numbers = rest.map(Number)
    const [first, second] = numbers
    const bad = new UsageError(`${flag} must be ${CLASS}, got "${text}"`)
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
}
