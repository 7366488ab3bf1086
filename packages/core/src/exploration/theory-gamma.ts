// The theorems' gamma_s for the classes that a learner really uses: Theorem 2 without calibration, Theorem 4 with it, the
// critical radii being those of the oracle, the observation model and the correction. What is not given is bounded by the
// ranges of the problem. With one covariate, delta0, omega0, etaBound and lipschitz are in its own units; with several they
// are in inside units (every covariate scaled to [-1, 1]).

import { invalidOption, requireAtLeast } from '@primo/numeric'
import { linearRadius, theorem2Epoch, theorem4Epoch } from '@primo/theory'
import { correctionBasis } from '../calibration/correction-basis.js'
import type { CalibrationSettings } from '../calibration/settings.js'
import type { Oracle } from '../oracle/oracle.js'
import type { Encoding } from '../problem/encoding.js'
import { insideUnit } from '../problem/feature.js'
import type { Problem } from '../problem/problem.js'
import { regressionOf } from '../regression/function-class.js'
import type { Regression } from '../regression/regression.js'
import type { GammaInput, GammaSchedule } from './gamma.js'

export interface TheoryConstants {
  /** E: printed formulas take the printed elasticity, corrected ones that of the missing rows. Default 1, the largest possible. */
  readonly elasticity?: number
  /** Printed formulas only; default: the elasticity. */
  readonly upsilon?: number
  /** Bound of the reward noise in units of the mean reward's range; default: the width of the reward range. */
  readonly lambda?: number
  /** Confidence; default 0.05. */
  readonly delta?: number
  /** L_Z: how much the mean reward (in units of its range) moves per unit of the covariate. Default: its whole range over the covariate's range. */
  readonly lipschitz?: number
  /** Root mean square, and bound, of z* - g*(x); default half the covariate's range, and the range. */
  readonly omega0?: number
  readonly etaBound?: number
  /** Default: delta0 of the calibration, else the covariate's range. */
  readonly delta0?: number
  /** d of the covariate class; absent: the radius of the correction's own (parametric) class is used. */
  readonly entropyExponent?: number
  /** Whether radii carry the proof's factor 16; default true. */
  readonly constant16?: boolean
}

export const THEORY_CONSTANTS = [
  'elasticity',
  'upsilon',
  'lambda',
  'delta',
  'lipschitz',
  'omega0',
  'etaBound',
  'delta0',
  'entropyExponent',
  'constant16',
] as const satisfies readonly (keyof TheoryConstants)[]

type RowsRadius = (rows: number) => number

function linearOf(dimension: number, constant16: boolean): RowsRadius {
  return (rows) => linearRadius({ dimension, rows: Math.max(1, rows), constant16 }).radius
}

/** The radius of a function class; a class without one has no theory's gamma. */
function classRadius(regression: Regression, columns: number, constant16: boolean): RowsRadius {
  return (rows) =>
    regression.radius(columns, Math.max(1, rows), constant16) ??
    invalidOption('gamma', 'other than "theory" for a function class without a critical radius', regression.kind)
}

function observationRadius({ observation }: CalibrationSettings, width: number, constant16: boolean): RowsRadius {
  const { model } = observation
  if (typeof model === 'object') return classRadius(regressionOf(model), width, constant16)
  return linearOf(model === 'constant' ? 1 : width + 1, constant16)
}

function correctionRadius(calibration: CalibrationSettings, encoding: Encoding, constant16: boolean): RowsRadius {
  if (typeof calibration.class === 'object') {
    const { input = calibration.class.kind === 'isotonic' ? 'pretrained' : 'context' } = calibration.class
    const columns = input === 'context' ? encoding.contextWidth : 1
    return classRadius(calibration.regression!, columns, constant16)
  }
  return linearOf(correctionBasis(calibration.class, encoding.context).columns, constant16)
}

/** What gamma depends on besides its schedule. */
export interface GammaSettings {
  readonly problem: Problem
  readonly encoding: Encoding
  readonly oracle: Pick<Oracle, 'kind' | 'dimension' | 'radius'>
  readonly calibration: CalibrationSettings | null
}

export function theoryGamma(
  settings: GammaSettings,
  gamma: Extract<GammaSchedule, { kind: 'theory' }>,
  input: GammaInput,
): number {
  const { oracle, encoding, problem, calibration } = settings
  const { radius } = oracle
  if (radius === null)
    invalidOption('gamma', 'other than "theory" for a reward class without a critical radius', oracle.kind)
  const { formulas, delta = 0.05, constant16 = true, elasticity = 1 } = gamma
  for (const name of ['delta0', 'omega0', 'etaBound', 'lipschitz'] as const) {
    const value = gamma[name]
    if (value !== undefined) requireAtLeast(`gamma.${name}`, value, 0)
  }
  const mean = problem.reward.mean ?? problem.reward
  const epoch = {
    formulas,
    epoch: input.epoch,
    actions: encoding.actions.length,
    rows: input.rows,
    rewardRadius: (rows: number) => radius(rows, constant16),
    lambda: gamma.lambda ?? (problem.reward.max - problem.reward.min) / (mean.max - mean.min),
    delta,
    elasticity,
    upsilon: gamma.upsilon ?? elasticity,
  }
  if (calibration === null) return theorem2Epoch(epoch).gamma
  const [only, ...others] = encoding.covariates
  const unit = only === undefined || others.length > 0 ? 1 : insideUnit(only.feature)
  const delta0 = gamma.delta0 ?? (typeof calibration.delta0 === 'number' ? calibration.delta0 : 2 * unit)
  return theorem4Epoch({
    ...epoch,
    calibrationRows: input.rowsBefore,
    lipschitz: gamma.lipschitz === undefined ? 0.5 : gamma.lipschitz * unit,
    omega0: (gamma.omega0 ?? unit) / unit,
    etaBound: (gamma.etaBound ?? 2 * unit) / unit,
    delta0: delta0 / unit,
    floor: calibration.observation.floor,
    entropyExponent: gamma.entropyExponent ?? 1,
    observationRadius: observationRadius(calibration, encoding.contextWidth, constant16),
    // A given d asks for the entropy rate of the paper; else the correction's own class is parametric.
    ...(gamma.entropyExponent === undefined
      ? { covariateRadius: correctionRadius(calibration, encoding, constant16) }
      : {}),
  }).gamma
}
