// Options of the calibration, checked once.

import { invalidOption, requireAtLeast, requireInteger, requireOptions } from '@primo/numeric'
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
import type { CorrectionInput } from './input-basis.js'

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
  /**
   * Class of the correction h; default 'linear'. 'ladder' (beyond the paper) chooses among bias, linear, cubic and rich by
   * held-out loss and shrinks toward g~; it needs no weights and no split. An object is any function class, also one of your own.
   */
  readonly class?: CorrectionClass | 'ladder' | CorrectionRegression | OwnCorrection
  /**
   * What a basis is made of: the context (the paper; default of the named classes), or 'both', g~ and the context (beyond the paper; the
   * ladder's default): then a model that saw more than the context can be put on another scale. A function class has its own `input`.
   */
  readonly input?: CorrectionInput
  /** Radius of the ball around g~, in the covariate's own units; one number, or one per covariate. Absent: no ball. */
  readonly delta0?: number | Readonly<Record<string, number>>
  /** 'half' (the paper), 'swap' (cross-fitted) or 'none'; default 'half'. */
  readonly split?: 'half' | 'swap' | 'none'
  /**
   * 'ipw' weights known rows by 1/e-hat (the paper), 'none' does not; default 'ipw', for the ladder 'none'. For the ladder also
   * 'missing', (1 - e-hat)/e-hat: as if on missing rows, and 'auto': the one of the three that does best on held-out rows.
   */
  readonly weights?: 'ipw' | 'none' | 'missing' | 'auto'
  /** Ridge on the coefficients of h; default 1. For the ladder also 'cv': of 0.1, 1, 10 and 100 the best on held-out rows. */
  readonly ridge?: number | 'cv'
  /** Which rung the ladder takes: that of the smallest held-out loss (default), or the lowest within one standard error of it. */
  readonly rule?: 'smallest' | 'one-standard-error'
  /** The ladder has one more rung: z as an increasing function of g~. Needs weights 'none'; not for audited covariates. Default false. */
  readonly isotonic?: boolean
  /**
   * The ladder's correction is scaled down to delta0 where that is given; with 'auto', where it is not, to 1.5 times the upper
   * 95% limit of the estimated size of g* - g~. Default 'none'.
   */
  readonly cap?: 'none' | 'auto'
  /**
   * What the imputation of a number leaves open: one variance ('constant') or, for the ladder, one that follows the standard deviation
   * that the model gives, as far as observed values bear it out ('model', the ladder's default: constant where it gives none),
   * or one that depends on the context too, its logarithm linear in the context columns ('log-linear').
   */
  readonly residuals?: 'constant' | 'model' | 'log-linear'
  /** No correction below this many known rows; default 8. */
  readonly minimumRows?: number
  /** Calibrate again when the rounds learnt from have grown by this factor, beyond 2^15 of them twofold; default 1: at every end of an epoch. */
  readonly growth?: number
  /** 'range' (default) keeps a corrected value inside the covariate's range, 'none' does not. */
  readonly clip?: 'range' | 'none'
  /** 'power' shrinks a function class's correction by what held-out rows say of it (beyond the paper); default 'none'. */
  readonly shrinkage?: 'none' | 'power'
  readonly observation?: ObservationOptions
}

export interface CalibrationSettings
  extends Required<Omit<CalibrationOptions, 'observation' | 'delta0' | 'ridge' | 'class'>> {
  readonly class: CorrectionClass | 'ladder' | CorrectionRegression
  /** Of a function class; null: the correction is by a basis. */
  readonly regression: Regression | null
  readonly ridge: number
  /** The ridges that compete in the ladder. */
  readonly ridges: readonly number[]
  readonly delta0: number | Readonly<Record<string, number>> | undefined
  readonly observation: ObservationSettings
}

const OPTIONS = [
  'class',
  'input',
  'delta0',
  'split',
  'weights',
  'ridge',
  'rule',
  'isotonic',
  'cap',
  'residuals',
  'minimumRows',
  'growth',
  'clip',
  'shrinkage',
  'observation',
]

const RIDGES = [0.1, 1, 10, 100]

/** The options with their defaults, checked. `use`: classes of users that they may name. */
export function calibrationSettings(
  options: CalibrationOptions,
  covariates: readonly string[],
  use: readonly RegressionClass[] = [],
): CalibrationSettings {
  requireOptions('calibration', options, OPTIONS)
  const {
    class: asked = 'linear',
    input = options.class === 'ladder' ? 'both' : 'context',
    delta0,
    split = 'half',
    weights = options.class === 'ladder' ? 'none' : 'ipw',
    ridge = 1,
    rule = 'smallest',
    isotonic = false,
    cap = 'none',
    residuals = options.class === 'ladder' ? 'model' : 'constant',
    minimumRows = 8,
    clip = 'range',
    growth = 1,
    shrinkage = 'none',
  } = options
  // Of a user's class only the name is left by now.
  const kind = asked as CalibrationSettings['class']
  const regression = typeof kind === 'object' && kind !== null ? correctionRegression(kind, use) : null
  if (regression === null && kind !== 'ladder') checkCorrectionClass(kind)
  if (input !== 'context' && (input !== 'both' || typeof kind === 'object'))
    invalidOption('calibration.input', typeof kind === 'object' ? 'part of the class' : '"context" or "both"', input)
  if (shrinkage !== 'none' && shrinkage !== 'power')
    invalidOption('calibration.shrinkage', '"none" or "power"', shrinkage)
  requireAtLeast('calibration.growth', growth, 1)
  if (!['half', 'swap', 'none'].includes(split)) invalidOption('calibration.split', '"half", "swap" or "none"', split)
  const ladder = kind === 'ladder'
  if (!['ipw', 'none', ...(ladder ? ['missing', 'auto'] : [])].includes(weights)) {
    invalidOption('calibration.weights', `"ipw"${ladder ? ', "missing", "auto"' : ''} or "none"`, weights)
  }
  if (rule !== 'smallest' && rule !== 'one-standard-error')
    invalidOption('calibration.rule', '"smallest" or "one-standard-error"', rule)
  if (typeof isotonic !== 'boolean' || (isotonic && !(ladder && weights === 'none')))
    invalidOption('calibration.isotonic', ladder ? 'true or false, and false with weights' : 'false', isotonic)
  if (cap !== 'none' && cap !== 'auto') invalidOption('calibration.cap', '"none" or "auto"', cap)
  if (clip !== 'range' && clip !== 'none') invalidOption('calibration.clip', '"range" or "none"', clip)
  if (!(ladder && ridge === 'cv') && !(typeof ridge === 'number' && Number.isFinite(ridge) && ridge > 0))
    invalidOption('calibration.ridge', ladder ? '> 0 or "cv"' : '> 0', ridge)
  if (residuals !== 'constant' && !(ladder && ['model', 'log-linear'].includes(residuals)))
    invalidOption('calibration.residuals', ladder ? '"constant", "model" or "log-linear"' : '"constant"', residuals)
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
    input,
    delta0: typeof delta0 === 'object' ? { ...delta0 } : delta0,
    split,
    weights,
    ridge: ridge === 'cv' ? 1 : ridge,
    ridges: ridge === 'cv' ? RIDGES : [ridge],
    rule,
    isotonic,
    cap,
    residuals,
    minimumRows,
    clip,
    growth,
    shrinkage,
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
