// Options of the calibration, checked once.

import { invalidOption, requireAtLeast, requireInteger, requireOptions, requirePositive } from '@primo/numeric'
import {
  type ObservationOptions,
  type ObservationSettings,
  observationSettings,
} from '../missingness/observation-model.js'
import type { NamedCode } from '../problem/own-code.js'
import { type ClassOptions, regressionOf } from '../regression/function-class.js'
import type { RegressionClass } from '../regression/own-class.js'
import type { Regression } from '../regression/regression.js'
import { type CorrectionClass, checkCorrectionClass } from './correction-basis.js'

/** A function class for the correction, and what it reads: the context (default) or g~(x) alone (the isotonic class's default). */
export type CorrectionRegression = ClassOptions & { readonly input?: 'context' | 'pretrained' }

/** A function class of a user's for the correction, by itself or by name. */
export type OwnCorrection = (RegressionClass | NamedCode) & { readonly input?: 'context' | 'pretrained' }

/** The class's own options. */
function regressionPart({ input: _, ...options }: CorrectionRegression): ClassOptions {
  return options as ClassOptions
}

/** How a pre-trained model is corrected from the rounds in which the value was seen. */
export interface CalibrationOptions {
  /** Class of the correction h; default 'linear'. An object is any function class, also one of your own. */
  readonly class?: CorrectionClass | CorrectionRegression | OwnCorrection
  /** Radius of the ball around g~, in the covariate's own units; one number, or one per covariate. Absent: no ball. */
  readonly delta0?: number | Readonly<Record<string, number>>
  /** 'half' (the paper), 'swap' (cross-fitted) or 'none'; default 'half'. */
  readonly split?: 'half' | 'swap' | 'none'
  /** 'ipw' weights known rows by 1/e-hat (the paper), 'none' does not; default 'ipw'. */
  readonly weights?: 'ipw' | 'none'
  /** Ridge on the coefficients of h; default 1. */
  readonly ridge?: number
  /** No correction below this many known rows; default 8. */
  readonly minimumRows?: number
  /** 'range' (default) keeps a corrected value inside the covariate's range, 'none' does not. */
  readonly clip?: 'range' | 'none'
  readonly observation?: ObservationOptions
}

export interface CalibrationSettings extends Required<Omit<CalibrationOptions, 'observation' | 'delta0' | 'class'>> {
  readonly class: CorrectionClass | CorrectionRegression
  /** Of a function class; null: the correction is by a basis. */
  readonly regression: Regression | null
  readonly delta0: number | Readonly<Record<string, number>> | undefined
  readonly observation: ObservationSettings
}

const OPTIONS = ['class', 'delta0', 'split', 'weights', 'ridge', 'minimumRows', 'clip', 'observation']

/** The options with their defaults, checked. `use`: classes of users that they may name. */
export function calibrationSettings(
  options: CalibrationOptions,
  covariates: readonly string[],
  use: readonly RegressionClass[] = [],
): CalibrationSettings {
  requireOptions('calibration', options, OPTIONS)
  const {
    class: asked = 'linear',
    delta0,
    split = 'half',
    weights = 'ipw',
    ridge = 1,
    minimumRows = 8,
    clip = 'range',
  } = options
  // Of a user's class only the name is left by now.
  const kind = asked as CalibrationSettings['class']
  const regression = typeof kind === 'object' && kind !== null ? correctionRegression(kind, use) : null
  if (regression === null) checkCorrectionClass(kind)
  if (!['half', 'swap', 'none'].includes(split)) invalidOption('calibration.split', '"half", "swap" or "none"', split)
  if (weights !== 'ipw' && weights !== 'none') invalidOption('calibration.weights', '"ipw" or "none"', weights)
  if (clip !== 'range' && clip !== 'none') invalidOption('calibration.clip', '"range" or "none"', clip)
  requirePositive('calibration.ridge', ridge)
  requireInteger('calibration.minimumRows', minimumRows, 1)
  if (typeof delta0 === 'object' && delta0 !== null) {
    for (const [name, value] of Object.entries(delta0)) {
      if (!covariates.includes(name))
        invalidOption('calibration.delta0', `for the covariates ${covariates.join(', ')}`, name)
      requireAtLeast(`calibration.delta0.${name}`, value, 0)
    }
  } else if (delta0 !== undefined) requireAtLeast('calibration.delta0', delta0, 0)
  return {
    class: kind,
    regression,
    delta0: typeof delta0 === 'object' ? { ...delta0 } : delta0,
    split,
    weights,
    ridge,
    minimumRows,
    clip,
    observation: observationSettings(options.observation),
  }
}

function correctionRegression(options: CorrectionRegression, use: readonly RegressionClass[]): Regression {
  const { input } = options
  if (input !== undefined && input !== 'context' && input !== 'pretrained')
    invalidOption('calibration.class.input', '"context" or "pretrained"', input)
  return regressionOf(regressionPart(options), use, 'calibration.class')
}

/** delta0 of one covariate in its own units. */
export function radiusOf(settings: CalibrationSettings, covariate: string): number | undefined {
  return typeof settings.delta0 === 'object' ? settings.delta0[covariate] : settings.delta0
}
