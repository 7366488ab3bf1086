// Options of the calibration, checked once.

import { invalidOption, requireAtLeast, requireInteger, requireOptions } from '../errors.js'
import {
  type ObservationOptions,
  type ObservationSettings,
  observationSettings,
} from '../missingness/observation-model.js'
import { type CorrectionClass, checkCorrectionClass } from './correction-basis.js'

export interface CalibrationOptions {
  /**
   * Class of the correction h; default 'linear'. 'ladder' (beyond the paper) chooses among bias, linear, cubic and rich by
   * held-out loss and shrinks toward g~; it needs no weights and no split.
   */
  readonly class?: CorrectionClass | 'ladder'
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
  /** Calibrate again when the rounds learnt from have grown by this factor; default 1: at every end of an epoch. */
  readonly growth?: number
  /** 'range' (default) keeps a corrected value inside the covariate's range, 'none' does not. */
  readonly clip?: 'range' | 'none'
  readonly observation?: ObservationOptions
}

export interface CalibrationSettings extends Required<Omit<CalibrationOptions, 'observation' | 'delta0'>> {
  readonly delta0: number | Readonly<Record<string, number>> | undefined
  readonly observation: ObservationSettings
}

const OPTIONS = ['class', 'delta0', 'split', 'weights', 'ridge', 'minimumRows', 'growth', 'clip', 'observation']

export function calibrationSettings(options: CalibrationOptions, covariates: readonly string[]): CalibrationSettings {
  requireOptions('calibration', options, OPTIONS)
  const {
    class: kind = 'linear',
    delta0,
    split = 'half',
    weights = 'ipw',
    ridge = 1,
    minimumRows = 8,
    clip = 'range',
    growth = 1,
  } = options
  if (kind !== 'ladder') checkCorrectionClass(kind)
  requireAtLeast('calibration.growth', growth, 1)
  if (!['half', 'swap', 'none'].includes(split)) invalidOption('calibration.split', '"half", "swap" or "none"', split)
  if (weights !== 'ipw' && weights !== 'none') invalidOption('calibration.weights', '"ipw" or "none"', weights)
  if (clip !== 'range' && clip !== 'none') invalidOption('calibration.clip', '"range" or "none"', clip)
  if (!(Number.isFinite(ridge) && ridge > 0)) invalidOption('calibration.ridge', '> 0', ridge)
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
    delta0: typeof delta0 === 'object' ? { ...delta0 } : delta0,
    split,
    weights,
    ridge,
    minimumRows,
    clip,
    growth,
    observation: observationSettings(options.observation),
  }
}

/** delta0 of one covariate in its own units. */
export function radiusOf(settings: CalibrationSettings, covariate: string): number | undefined {
  return typeof settings.delta0 === 'object' ? settings.delta0[covariate] : settings.delta0
}
