// Theorem 4 (PRIMO-Cal), epoch s >= 2: Gamma_s of Thm 2 with sqrt(E) replaced by Upsilon_s; N_c = |D_{s-2}| rows
// calibrated the imputer behind the reward fit, n_c = N_c/2 (method#theorems; tau = etaBound, eps0 = floor, L_Z =
// lipschitz).
//   printed:   Upsilon_s = (L_Z/eps0) { delta0^(d/(d+1)) N_c^(-2/(d+2)) + s(N_c) + log(2 s^2
//     phi_2(s(N_c))/delta)/sqrt(N_c)
//              + (1+tau) sqrt(2 s^2 log(phi_{1+tau}(q(sqrt N_c))/delta)/N_c) } + L_Z omega0, N_c = 2^(s-3) floored at
//                1.
//   corrected: Upsilon_s = L_Z min{ 2 delta0, Thm 3 at delta/(2 s^2) } + L_Z omega0 (E2, E3, E42); without calibrated
//              rows L_Z (delta0 + omega0) or sqrt(elasticity). Reward linear in the covariate, or distributional
//              imputation: L_Z omega0 drops out at noise bound lambda + 1 (E46); the smaller Gamma_s is kept.
// Guarantee: none as printed (E40, E41); corrected at constant one a rate with numbers, universal: 'explicit' a bound.

import { requireAtLeast, requirePositive } from '@primo/numeric'
import { radiusAt } from '../radii/radius.js'
import { constantOne, outsideRange, type TheoryWarning, theoryWarning } from '../theory-warning.js'
import { calibrationRowsOf } from './epoch-rows.js'
import { ermConstants, oracleInequality, sumOf, type Term } from './oracle-inequality.js'
import { peelingCount } from './peeling.js'
import { checkEpoch, type EpochBound, type EpochInput, epochBound } from './theorem-2.js'
import { type CalibrationConstants, checkCalibration, correctedTerms, covariateRadiusAt } from './theorem-3.js'

/** An epoch of PRIMO-Cal. */
export interface Theorem4Input extends EpochInput, CalibrationConstants {
  /** |D_{s-2}|; default that of the doubling schedule. */
  readonly calibrationRows?: number
  /** L_Z. */
  readonly lipschitz: number
  /** Root mean square of the covariate noise. */
  readonly omega0: number
  /** E_miss of the pretrained model: used before the first calibration, corrected only. */
  readonly elasticity?: number
  /** upsilon(f*), printed only, > 0. */
  readonly upsilon?: number
  /** The reward is linear in the covariate, or imputation is distributional (E46); corrected only. Default false. */
  readonly linearInCovariate?: boolean
}

/** Theorem 4 (PRIMO-Cal) for one epoch. */
export function theorem4Epoch(input: Theorem4Input): EpochBound {
  const checked = checkEpoch(input)
  const { formulas, rows, radius, epochDelta: delta } = checked
  checkCalibration(input)
  const { lambda, lipschitz, omega0 } = input
  requireAtLeast('lipschitz', lipschitz, 0)
  requireAtLeast('omega0', omega0, 0)
  if (input.elasticity !== undefined) requireAtLeast('elasticity', input.elasticity, 0)
  const calibrationRows = input.calibrationRows ?? calibrationRowsOf(formulas, input.epoch)
  requireAtLeast('calibrationRows', calibrationRows, 0)
  const warnings: TheoryWarning[] = []
  const table = ermConstants(formulas)
  if (formulas === 'printed') {
    requirePositive('upsilon', input.upsilon)
    const imputation = printedUpsilon(input, calibrationRows, warnings)
    const side = oracleInequality({ rows, radius, lambda, delta, imputation, upsilon: input.upsilon }, table)
    return epochBound(4, input, checked, side, 'elasticity', warnings, sumOf(imputation))
  }
  const error = calibrationTerms(input, calibrationRows, warnings)
  const imputation = [...error, { name: 'covariate-noise', value: lipschitz * omega0 }]
  const whole = wholeRoute(input, imputation, calibrationRows)
  const side = oracleInequality({ rows, radius, lambda, delta, imputation: whole }, table)
  if (input.linearInCovariate === true) {
    const sharper = oracleInequality({ rows, radius, lambda: lambda + 1, delta, imputation: error }, table)
    if (sharper.sum < side.sum) return epochBound(4, input, checked, sharper, 'bias', warnings, sumOf(error))
  }
  return epochBound(4, input, checked, side, 'elasticity', warnings, sumOf(whole))
}

// Before the first calibration the elasticity of the pretrained model itself may be the smaller bound.
function wholeRoute(input: Theorem4Input, terms: readonly Term[], calibrationRows: number): readonly Term[] {
  if (calibrationRows >= 2 || input.elasticity === undefined) return terms
  const root = Math.sqrt(input.elasticity)
  return root < sumOf(terms) ? [{ name: 'elasticity', value: root }] : terms
}

function printedUpsilon(input: Theorem4Input, calibrationRows: number, warnings: TheoryWarning[]): Term[] {
  const { epoch, delta, delta0, etaBound: tau, floor, lipschitz, omega0, entropyExponent: d } = input
  const rows = Math.max(1, calibrationRows)
  if (calibrationRows < 1) {
    warnings.push(theoryWarning('rows-floored', 'no calibrated rows: N_c is taken as 1', { calibrationRows }))
  }
  if (d >= 2) warnings.push(outsideRange(d))
  warnings.push(constantOne())
  const root = Math.sqrt(rows)
  const q = covariateRadiusAt(input, 'printed', root)
  const s = radiusAt('observationRadius', input.observationRadius, rows)
  const scale = lipschitz / floor
  const covariateLog = Math.log(peelingCount(1 + tau, q) / delta)
  const observationLog = Math.log((2 * epoch * epoch * peelingCount(2, s)) / delta)
  return [
    { name: 'covariate-class', value: scale * delta0 ** (d / (d + 1)) * rows ** (-2 / (d + 2)) },
    { name: 'covariate-fluctuation', value: (scale * (1 + tau) * Math.sqrt(2 * epoch * epoch * covariateLog)) / root },
    { name: 'observation-class', value: scale * s },
    { name: 'observation-fluctuation', value: (scale * observationLog) / root },
    { name: 'covariate-noise', value: lipschitz * omega0 },
  ]
}

function calibrationTerms(input: Theorem4Input, calibrationRows: number, warnings: TheoryWarning[]): readonly Term[] {
  const { epoch, delta, delta0, lipschitz } = input
  if (calibrationRows < 2) {
    const sentence = 'fewer than 2 calibrated rows: the pretrained model is used as it is'
    warnings.push(theoryWarning('no-calibration', sentence, { calibrationRows }))
    return [{ name: 'pretrained-error', value: lipschitz * delta0 }]
  }
  if (input.universal !== 'explicit') warnings.push(constantOne())
  const terms = correctedTerms({ ...input, rows: calibrationRows, delta: delta / (2 * epoch * epoch) })
  const sum = sumOf(terms)
  const cap = 2 * delta0
  if (sum > cap) {
    warnings.push(theoryWarning('ball-binds', 'the ball alone bounds the calibration error', { sum, cap }))
    return [{ name: 'ball', value: lipschitz * cap }]
  }
  return terms.map(({ name, value }) => ({ name, value: lipschitz * value }))
}
