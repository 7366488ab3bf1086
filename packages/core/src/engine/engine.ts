// A problem and its options, checked once and compiled: what the end of an epoch and a policy need. Immutable.

import { invalidOption, requireInteger, requireOptions, show } from '@primo/numeric'
import { type CovariateModel, isCorrection, spreadOf } from '../calibration/correction.js'
import { type CalibrationSettings, calibrationSettings } from '../calibration/settings.js'
import { type BoundRule, bindRule } from '../exploration/exploration-rule.js'
import { type GammaSchedule, gammaOf, gammaSchedule } from '../exploration/gamma.js'
import { type EnsembleLayout, ensembleLayouts } from '../imputation/ensemble.js'
import { type ObservationSettings, observationSettings } from '../missingness/observation-model.js'
import { hierarchicalOracle } from '../model/hierarchical-model.js'
import { type ClassOracleOptions, classOracle } from '../oracle/class-oracle.js'
import { type LinearOptions, linearOracle } from '../oracle/linear.js'
import type { Oracle } from '../oracle/oracle.js'
import { type Encoding, encodingOf } from '../problem/encoding.js'
import { type Feature, scaleNumber } from '../problem/feature.js'
import { frozenCopy } from '../problem/frozen-copy.js'
import { type ImputerIdentity, imputerIdentity } from '../problem/imputer-identity.js'
import { checkProblem, type Problem } from '../problem/problem.js'
import { compilerOf, type ModelCompiler } from '../regression/function-class.js'
import type { RegressionClass } from '../regression/own-class.js'
import type { ResidualMoments } from '../residuals/residual-moments.js'
import type { TableShape } from '../rounds/round-table.js'
import type { EpochState } from './epoch-state.js'
import { memoryOf } from './memory.js'
import { type Code, namedOptions } from './named-options.js'
import { defaultProfile, type LearningOptions, type ProfileName, profiles, type Window } from './profiles.js'
import { checkSchedule, resolveSchedule, type Schedule } from './schedule.js'

/** The options of an engine: a profile and what differs from it. */
export interface EngineOptions extends LearningOptions {
  /** Default 'robust'. */
  readonly profile?: ProfileName
  /** Exploration rules and function classes of your own that other options name by kind. */
  readonly use?: readonly Code[]
}

/** Everything about a problem and its options that does not change while it learns. */
export interface Engine {
  readonly problem: Problem
  readonly encoding: Encoding
  readonly shape: TableShape
  /** Per covariate: which model it is that predicts it. */
  readonly imputers: readonly ImputerIdentity[]
  /** Per covariate: where its ensemble's members stand; null: it has one model. */
  readonly ensembles: readonly (EnsembleLayout | null)[]
  readonly profile: ProfileName
  readonly schedule: Schedule
  readonly window: Window
  readonly oracle: Oracle
  /** null: no calibration. */
  readonly calibration: CalibrationSettings | null
  readonly gamma: GammaSchedule
  readonly minimumPropensity: number
  readonly exploration: BoundRule
  readonly imputation: 'model' | 'mean' | 'zero'
  readonly rows: 'all' | 'complete'
  readonly refresh: boolean
  readonly missing: 'plugin' | 'distribution'
  /** How rewards that never came are made up for; null: their rounds are left out. */
  readonly missingRewards: ObservationSettings | null
  /** The default's learning: which rounds it remembers; null: the other options say how rewards are learnt. */
  readonly remembers: 'chosen' | 'all' | null
  /** The options that it was made with. */
  readonly given: EngineOptions
}

const KNOWN = [
  'profile',
  'schedule',
  'window',
  'oracle',
  'calibration',
  'gamma',
  'minimumPropensity',
  'exploration',
  'imputation',
  'rows',
  'refresh',
  'missing',
  'rewards',
  'use',
  'memory',
]

/** Options that replace the default's learning by that of the other classes. */
const OWN_LEARNING = ['oracle', 'calibration', 'window', 'refresh', 'rows', 'imputation'] as const

/** A problem and its options, checked and compiled: what deciding and learning share. */
export function createEngine(problem: Problem, given: EngineOptions = {}): Engine {
  const checked = frozenCopy(checkProblem(problem))
  const { options, rules, classes } = namedOptions(given)
  requireOptions('learning', options, KNOWN)
  const profile = options.profile ?? defaultProfile
  if (typeof profile !== 'string' || !Object.hasOwn(profiles, profile))
    invalidOption('profile', Object.keys(profiles).map(show).join(' or '), profile)
  const base = profiles[profile]
  const encoding = encodingOf(checked)
  const { layouts, memberWidth } = ensembleLayouts(encoding)
  const asked = options.schedule ?? base.schedule
  checkSchedule(asked)
  const window = options.window ?? base.window
  checkWindow(window)
  const minimumPropensity = options.minimumPropensity ?? base.minimumPropensity
  const share = Number.isFinite(minimumPropensity) ? minimumPropensity * encoding.actions.length : Number.NaN
  if (!(share >= 0 && share <= 1)) {
    invalidOption('minimumPropensity', `between 0 and 1/K (K = ${encoding.actions.length})`, minimumPropensity)
  }
  const exploration = bindRule(options.exploration ?? base.exploration, rules)
  const imputation = options.imputation ?? base.imputation
  if (!['model', 'mean', 'zero'].includes(imputation))
    invalidOption('imputation', '"model", "mean" or "zero"', imputation)
  const rows = options.rows ?? base.rows
  if (rows !== 'all' && rows !== 'complete') invalidOption('rows', '"all" or "complete"', rows)
  const refresh = options.refresh ?? base.refresh
  if (typeof refresh !== 'boolean') invalidOption('refresh', 'true or false', refresh)
  if (options.oracle !== undefined && (typeof options.oracle !== 'object' || options.oracle === null))
    invalidOption('oracle', 'an object', options.oracle)
  const missing = options.missing ?? base.missing
  if (missing !== 'plugin' && missing !== 'distribution')
    invalidOption('missing', '"plugin" or "distribution"', missing)
  const schedule = resolveSchedule(asked, memoryOf(window))
  const seenRewards = missingRewards(options.rewards, checked)
  const rewards = { ...base.oracle, ...options.oracle } as LinearOptions | ClassOracleOptions
  const own = OWN_LEARNING.find((name) => options[name] !== undefined)
  const memory = options.memory ?? base.memory
  if (memory !== null && memory !== 'chosen' && memory !== 'all') invalidOption('memory', '"chosen" or "all"', memory)
  if (options.memory !== undefined && own !== undefined)
    invalidOption('memory', `used without ${own}, which says itself how rewards are learnt`, memory)
  const remembers = own === undefined ? memory : null
  const calibrated = remembers === null ? oracleOf(encoding, rewards, classes) : hierarchicalOracle()
  const calibration = calibrationOf(base.calibration, options.calibration, encoding, classes)
  const engine: Engine = {
    problem: checked,
    encoding,
    shape: {
      contextWidth: encoding.contextWidth,
      covariateWidth: encoding.covariateWidth,
      covariateCount: encoding.covariates.length,
      ...(memberWidth === 0 ? {} : { memberWidth }),
      ...(encoding.signalWidth === 0 ? {} : { signalWidth: encoding.signalWidth }),
    },
    imputers: encoding.covariates.map(({ feature }) => imputerIdentity(feature.imputer)),
    ensembles: layouts,
    profile,
    schedule,
    window,
    oracle: calibrated,
    calibration,
    gamma: gammaSchedule(options.gamma ?? base.gamma),
    minimumPropensity,
    exploration,
    imputation,
    rows,
    refresh,
    missing,
    missingRewards: seenRewards,
    remembers,
    given,
  }
  // The theory's constants are checked where they are used: use them once now rather than fail at the first end of an epoch.
  gammaOf(engine, { epoch: 2, rows: 2, rowsBefore: 0, sigma: 1, degreesOfFreedom: 1 })
  return engine
}

function isLinear(rewards: LinearOptions | ClassOracleOptions): rewards is LinearOptions {
  return rewards.kind === undefined || rewards.kind === 'linear'
}

function oracleOf(
  encoding: Encoding,
  rewards: LinearOptions | ClassOracleOptions,
  classes: readonly RegressionClass[],
): Oracle {
  if (isLinear(rewards)) return linearOracle(encoding, rewards)
  return classOracle(encoding, rewards, classes)
}

function calibrationOf(
  base: Required<LearningOptions>['calibration'],
  given: LearningOptions['calibration'],
  encoding: Encoding,
  classes: readonly RegressionClass[],
): CalibrationSettings | null {
  if (given !== undefined && given !== false && (typeof given !== 'object' || given === null))
    invalidOption('calibration', 'false or an object', given)
  const merged = given === undefined ? base : given === false ? false : { ...(base === false ? {} : base), ...given }
  return merged === false
    ? null
    : calibrationSettings(
        merged,
        encoding.covariates.map(({ name }) => name),
        classes,
      )
}

/** null: rounds whose reward never came are left out. */
function missingRewards(given: LearningOptions['rewards'], { reward }: Problem): ObservationSettings | null {
  if (given === undefined) return null
  requireOptions('rewards', given, ['missing', 'floor'])
  const { missing = 'drop', floor = 0.05 } = given
  if (missing !== 'drop' && missing !== 'weight') invalidOption('rewards.missing', '"drop" or "weight"', missing)
  if (!(typeof floor === 'number' && floor > 0 && floor <= 1)) invalidOption('rewards.floor', 'in (0, 1]', floor)
  if (missing === 'drop') return null
  if (reward.default !== undefined)
    invalidOption('rewards.missing', '"drop" where reward.default closes rounds without a reward', missing)
  return observationSettings({ loss: 'likelihood', floor })
}

function checkWindow(window: unknown): asserts window is Window {
  if (window === 'last' || window === 'all') return
  if (typeof window !== 'object' || window === null) invalidOption('window', '"last", "all" or { rounds }', window)
  requireOptions('window', window, ['rounds'])
  requireInteger('window.rounds', (window as { rounds?: unknown }).rounds, 1)
}

/** How what the correction's class fitted is compiled. */
export function correctionCompiler({ calibration }: Pick<Engine, 'calibration'>): ModelCompiler {
  return compilerOf(calibration?.regression ?? null)
}

/** What stands in for each missing covariate: the learnt models, or zero where the user asked for zero filling. */
export function imputationModels(
  engine: Pick<Engine, 'imputation' | 'encoding'>,
  state: Pick<EpochState, 'corrections'>,
): readonly (CovariateModel | null)[] {
  if (engine.imputation !== 'zero') return state.corrections
  return engine.encoding.covariates.map(({ feature, width }) => ({ kind: 'constant', values: zeroOf(feature, width) }))
}

/** Zero in the user's units, or the end of the range nearest to it. */
function zeroOf(feature: Feature, width: number): readonly number[] {
  if (feature.type === 'number') return [Math.min(1, Math.max(-1, scaleNumber(feature, 0)))]
  return Array.from({ length: width }, () => 0)
}

/** Moments of what each covariate's imputation leaves open; all null when values are plugged in. */
export function imputationSpread(
  engine: Pick<Engine, 'encoding' | 'missing'>,
  models: readonly (CovariateModel | null)[],
): readonly ResidualMoments[] {
  return models.map((model, which) => {
    const isNumber = engine.encoding.covariates[which]!.feature.type === 'number'
    return engine.missing === 'distribution' && isNumber && isCorrection(model) ? spreadOf(model) : null
  })
}

/** Equally likely residuals of each covariate's imputation, where they are known. */
export function imputationPoints(models: readonly (CovariateModel | null)[]): readonly (readonly number[] | null)[] {
  return models.map((model) => (isCorrection(model) && 'points' in model ? (model.points ?? null) : null))
}
