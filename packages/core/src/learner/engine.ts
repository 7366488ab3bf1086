// A problem and its options, checked once and compiled: what the end of an epoch and a policy need. Immutable.

import { type CalibrationSettings, calibrationSettings } from '../calibration/settings.js'
import { type Encoding, encodingOf } from '../data/encoding.js'
import { checkProblem, type Problem } from '../data/problem.js'
import type { TableShape } from '../data/round-table.js'
import { checkSchedule, type Schedule } from '../epoch/schedule.js'
import { invalidOption, show } from '../errors.js'
import { type GammaSchedule, gammaSchedule } from '../exploration/gamma.js'
import { linearOracle } from '../oracle/linear.js'
import type { Oracle } from '../oracle/oracle.js'
import { defaultProfile, type LearningOptions, type ProfileName, profiles } from './profiles.js'

export interface EngineOptions extends LearningOptions {
  /** Default 'primo-cal'. */
  readonly profile?: ProfileName
}

export interface Engine {
  readonly problem: Problem
  readonly encoding: Encoding
  readonly shape: TableShape
  readonly profile: ProfileName
  readonly schedule: Schedule
  readonly window: 'last' | 'all'
  readonly oracle: Oracle
  /** null: no calibration. */
  readonly calibration: CalibrationSettings | null
  readonly gamma: GammaSchedule
  readonly minimumPropensity: number
}

const KNOWN = ['profile', 'schedule', 'window', 'oracle', 'calibration', 'gamma', 'minimumPropensity']

export function createEngine(problem: Problem, options: EngineOptions = {}): Engine {
  const checked = checkProblem(problem)
  for (const name of Object.keys(options)) {
    if (!KNOWN.includes(name)) invalidOption('options', `among ${KNOWN.join(', ')}`, name)
  }
  const profile = options.profile ?? defaultProfile
  const base = profiles[profile]
  if (base === undefined) invalidOption('profile', Object.keys(profiles).map(show).join(' or '), profile)
  const encoding = encodingOf(checked)
  const schedule = options.schedule ?? base.schedule
  checkSchedule(schedule)
  const window = options.window ?? base.window
  if (window !== 'last' && window !== 'all') invalidOption('window', '"last" or "all"', window)
  const minimumPropensity = options.minimumPropensity ?? base.minimumPropensity
  if (!(minimumPropensity >= 0 && minimumPropensity * encoding.actions.length <= 1)) {
    invalidOption('minimumPropensity', `between 0 and 1/K (K = ${encoding.actions.length})`, minimumPropensity)
  }
  return {
    problem: checked,
    encoding,
    shape: {
      contextWidth: encoding.contextWidth,
      covariateWidth: encoding.covariateWidth,
      covariateCount: encoding.covariates.length,
    },
    profile,
    schedule,
    window,
    oracle: linearOracle(encoding, { ...base.oracle, ...options.oracle }),
    calibration: calibrationOf(base.calibration, options.calibration, encoding),
    gamma: gammaSchedule(options.gamma ?? base.gamma),
    minimumPropensity,
  }
}

function calibrationOf(
  base: Required<LearningOptions>['calibration'],
  given: LearningOptions['calibration'],
  encoding: Encoding,
): CalibrationSettings | null {
  const merged = given === undefined ? base : given === false ? false : { ...(base === false ? {} : base), ...given }
  return merged === false
    ? null
    : calibrationSettings(
        merged,
        encoding.covariates.map(({ name }) => name),
      )
}
