// Theorem 3: the error of the calibrated imputer on N rows split in halves, n = N/2 (method#theorems; tau = etaBound,
// eps0 = floor).
//   printed, of ||ghat-g*||^2:  eps0^-2 { delta0^(2d/(d+2)) N^(-2/(d+2)) + (1+tau)^2 log(phi_{1+tau}(q_n)/delta)/N
//     + s_n^2 + log(phi_2(s_n)/delta)/N };  'explicit' gives the chain of the paper's proof with its numbers.
//   corrected, of ||ghat-g*||, capped at 2 delta0:  eps0^-1 { class + (1+tau) sqrt(log(phi_b(q_n)/delta)/N) + s_n
//     + sqrt(log(phi_1(s_n)/delta)/N) }, class = q_n for the L2 ball (E17) or the complexity ball's rate; without
//     weights the two observation terms vanish (E16); b = min(2, 2 delta0) (E10).
//   corrected, 'explicit' (docs/errata.md, E15), k = 1 without weights, 2 with, L = log(phi_b(q_n)/delta):
//     (2/eps0^k) { (2+tau) q_n + 2(1+tau) sqrt(2L/n) } + (2+tau) sqrt(8L/(eps0^k n)).

import { invalidOption, requireAtLeast, requireOpenUnit, requirePositive, requireShare } from '@primo/numeric'
import { type Assumption, assumptionsOf } from '../assumptions.js'
import { type Formulas, requireFormulas } from '../formulas.js'
import { entropyRate } from '../radii/entropy-rate.js'
import { type Radius, radiusAt } from '../radii/radius.js'
import { constantOne, outsideRange, type TheoryWarning, theoryWarning } from '../theory-warning.js'
import { freezeTerms, largestTerm, sumOf, type Term } from './oracle-inequality.js'
import { peelingCount } from './peeling.js'

/** Inputs of Theorem 3 about the pre-trained model, the noise and the missingness. */
export interface CalibrationConstants {
  /** delta0: bound on the pretrained model's root mean square error against the true covariate mean. */
  readonly delta0: number
  /** tau: bound on the covariate noise. */
  readonly etaBound: number
  /** eps0: least observation probability, in (0, 1]. */
  readonly floor: number
  /** d > 0. */
  readonly entropyExponent: number
  /** s_n of the class of observation models. */
  readonly observationRadius: Radius
  /**
   * q_n of the covariate class; default the entropy rate (scale delta0 printed or complexity ball, 1 for the L2 ball).
   */
  readonly covariateRadius?: Radius
  /** Norm of the ball around the pretrained model. Default 'l2'. */
  readonly ball?: 'l2' | 'complexity'
  /** Weights of the covariate regression; corrected only. Default 'ipw'. */
  readonly weights?: 'ipw' | 'none'
  /** 'one' drops universal constants as the displays do; 'explicit' keeps those of the proof. Default 'one'. */
  readonly universal?: 'one' | 'explicit'
}

/** A calibration on a number of rows. */
export interface Theorem3Input extends CalibrationConstants {
  /** Default 'corrected'. */
  readonly formulas?: Formulas
  /** N >= 2. */
  readonly rows: number
  /** In (0, 1). */
  readonly delta: number
}

/** How far a calibrated imputer can be from the truth. */
export interface Theorem3Bound {
  readonly theorem: 3
  readonly formulas: Formulas
  readonly rows: number
  /** The quantity that `terms` add up to, before the cap at 2 delta0. */
  readonly of: 'error' | 'squared error'
  readonly terms: readonly Term[]
  readonly largest: string
  /** Bound on ||ghat - g*||_2. */
  readonly bound: number
  readonly probability: number
  readonly assumptions: readonly Assumption[]
  readonly warnings: readonly TheoryWarning[]
}

/** Theorem 3: the error of the calibrated imputer. */
export function theorem3(input: Theorem3Input): Theorem3Bound {
  const { formulas = 'corrected', rows, delta } = input
  requireFormulas(formulas)
  requireAtLeast('rows', rows, 2)
  requireOpenUnit('delta', delta)
  checkCalibration(input)
  const warnings: TheoryWarning[] = []
  if (input.entropyExponent >= 2 && formulas === 'printed') warnings.push(outsideRange(input.entropyExponent))
  if (input.universal !== 'explicit') warnings.push(constantOne())
  const probability = 1 - (formulas === 'printed' ? 2 : input.universal === 'explicit' ? 1 : 4) * delta
  if (probability <= 0) {
    warnings.push(theoryWarning('probability-vacuous', 'the bound is claimed with probability 0', { delta }))
  }
  const terms = formulas === 'printed' ? printedTerms(input) : correctedTerms(input)
  const sum = sumOf(terms)
  const cap = 2 * input.delta0
  const bound = formulas === 'printed' ? Math.sqrt(sum) : Math.min(cap, sum)
  if (formulas === 'corrected' && sum > cap) {
    warnings.push(theoryWarning('ball-binds', 'the ball alone bounds the error by 2 delta0', { sum, cap }))
  }
  return Object.freeze({
    theorem: 3,
    formulas,
    rows,
    of: formulas === 'printed' ? 'squared error' : 'error',
    terms: freezeTerms(terms),
    largest: largestTerm(terms),
    bound,
    probability: Math.max(0, probability),
    assumptions: assumptionsOf(3, formulas),
    warnings: Object.freeze(warnings),
  })
}

export function checkCalibration(input: CalibrationConstants): void {
  requireAtLeast('delta0', input.delta0, 0)
  requireAtLeast('etaBound', input.etaBound, 0)
  requireShare('floor', input.floor)
  requirePositive('entropyExponent', input.entropyExponent)
  const { ball = 'l2', weights = 'ipw', universal = 'one' } = input
  if (ball !== 'l2' && ball !== 'complexity') invalidOption('ball', '"l2" or "complexity"', ball)
  if (weights !== 'ipw' && weights !== 'none') invalidOption('weights', '"ipw" or "none"', weights)
  if (universal !== 'one' && universal !== 'explicit') invalidOption('universal', '"one" or "explicit"', universal)
}

/** q_n: as given, or by the entropy exponent. */
export function covariateRadiusAt(input: CalibrationConstants, formulas: Formulas, rows: number): number {
  const { covariateRadius, entropyExponent, delta0, ball = 'l2' } = input
  if (covariateRadius !== undefined) return radiusAt('covariateRadius', covariateRadius, rows)
  if (formulas === 'printed')
    return tiny(delta0 ** (entropyExponent / (entropyExponent + 2)) * rows ** (-1 / (entropyExponent + 2)))
  return tiny(entropyRate({ entropyExponent, rows, scale: ball === 'complexity' ? delta0 : 1 }))
}

// delta0 = 0 makes a rate vanish; phi needs a positive argument.
function tiny(radius: number): number {
  return Math.max(radius, 1e-12)
}

function printedTerms(input: Theorem3Input): Term[] {
  const { rows, delta, delta0, etaBound: tau, floor, entropyExponent: d } = input
  const half = rows / 2
  const q = covariateRadiusAt(input, 'printed', half)
  const s = radiusAt('observationRadius', input.observationRadius, half)
  const covariateLog = Math.log(peelingCount(1 + tau, q) / delta)
  if (input.universal === 'explicit') {
    // The lemma on the observation model writes phi_2(s) = log2(4/s), which is phi_1 of the definition (E10).
    const observation = 2.5 * s + 10 * Math.sqrt((2 * Math.log(peelingCount(1, s) / delta)) / half)
    const root = (16 * (1 + tau) * q + 4 * (1 + tau) ** 2 * Math.sqrt((2 * covariateLog) / half)) / floor
    return [
      { name: 'covariate-class', value: 4 * root * root },
      { name: 'covariate-fluctuation', value: (32 * (1 + tau) ** 2 * covariateLog) / (floor * half) },
      { name: 'observation', value: (16 * observation * observation) / floor ** 2 },
    ]
  }
  const scale = 1 / floor ** 2
  return [
    { name: 'covariate-class', value: scale * delta0 ** ((2 * d) / (d + 2)) * rows ** (-2 / (d + 2)) },
    { name: 'covariate-fluctuation', value: (scale * (1 + tau) ** 2 * covariateLog) / rows },
    { name: 'observation-class', value: scale * s * s },
    { name: 'observation-fluctuation', value: (scale * Math.log(peelingCount(2, s) / delta)) / rows },
  ]
}

/** Terms of the corrected bound on ||ghat - g*||_2, before the cap. */
export function correctedTerms(input: Theorem3Input): Term[] {
  const { rows, delta, delta0, etaBound: tau, floor, entropyExponent, ball = 'l2', weights = 'ipw' } = input
  const half = Math.max(1, Math.floor(rows / 2))
  const q = covariateRadiusAt(input, 'corrected', half)
  const log = Math.log(peelingCount(Math.min(2, 2 * delta0), q) / delta)
  if (input.universal === 'explicit') {
    const scale = weights === 'none' ? floor : floor * floor
    return [
      { name: 'covariate-class', value: (2 * (2 + tau) * q) / scale },
      {
        name: 'covariate-fluctuation',
        value:
          (4 * (1 + tau) * Math.sqrt((2 * log) / half)) / scale + (2 + tau) * Math.sqrt((8 * log) / (scale * half)),
      },
    ]
  }
  const rate = ball === 'complexity' ? entropyRate({ entropyExponent, rows, scale: delta0 }) : q
  const terms = [
    { name: 'covariate-class', value: rate / floor },
    { name: 'covariate-fluctuation', value: ((1 + tau) * Math.sqrt(log / rows)) / floor },
  ]
  if (weights === 'none') return terms
  const s = radiusAt('observationRadius', input.observationRadius, half)
  return [
    ...terms,
    { name: 'observation-class', value: s / floor },
    { name: 'observation-fluctuation', value: Math.sqrt(Math.log(peelingCount(1, s) / delta) / rows) / floor },
  ]
}
