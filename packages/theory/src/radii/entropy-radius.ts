// Critical radii of classes known by their entropy log N(eps) <= A eps^-d, through Dudley's integral
// (method#critical-radius):
//   R_N(t) <= inf_{0 <= alpha <= t} 4 alpha + 12 sqrt(A/N) int_alpha^t eps^(-d/2) d eps.
//   d < 2 (alpha = 0):  r = (16 * 12 sqrt(A) / (1 - d/2))^(2/(2+d)) N^(-1/(2+d)).
//   d >= 2: alpha = (3 sqrt(A/N))^(2/d), the equation is solved by bisection; r ~ N^(-1/4) up to a logarithm at d = 2,
//   N^(-1/(2d)) beyond (erratum E18: the paper keeps -1/(d+2) there).
// Named classes on [0,1]^p: L-Lipschitz A = L^p, d = p; convex L-Lipschitz on [0,1] A = sqrt(L), d = 1/2, so L^(1/5)
// N^(-2/5) where the paper prints (L/N)^(2/5) (E32); m times differentiable with bound c A = c^(p/m), d = p/m. The
// entropy's own absolute constant is taken as 1.

import { requireAtLeast, requirePositive } from '@primo/numeric'
import type { Formulas } from '../formulas.js'
import { type CriticalRadius, closedForm, type RadiusFormula, solveRadius } from './critical-radius.js'
import { entropyRate } from './entropy-rate.js'

/** A class by its entropy, log N(eps) <= A eps^-d. */
export interface EntropyRadiusOptions {
  /** d > 0. */
  readonly entropyExponent: number
  /** A > 0, default 1. */
  readonly entropyScale?: number
  readonly rows: number
  /** Default true. */
  readonly constant16?: boolean
}

/** The critical radius of a class known by its entropy. */
export function entropyRadius(options: EntropyRadiusOptions): CriticalRadius {
  return fromEntropy('entropy', options)
}

/** Dudley's bound on R_N(t) for log N(eps) <= A eps^-d. */
export function dudleyComplexity(options: EntropyRadiusOptions, t: number): number {
  const { entropyExponent: d, entropyScale = 1, rows } = options
  const scale = Math.sqrt(entropyScale / rows)
  const alpha = d < 2 ? 0 : Math.min(t, (3 * scale) ** (2 / d))
  const power = 1 - d / 2
  const integral = d === 2 ? Math.log(t / alpha) : (t ** power - (alpha === 0 ? 0 : alpha ** power)) / power
  return 4 * alpha + 12 * scale * integral
}

function fromEntropy(formula: RadiusFormula, options: EntropyRadiusOptions): CriticalRadius {
  const { entropyExponent: d, entropyScale = 1, rows, constant16 = true } = options
  requirePositive('entropyExponent', d)
  requirePositive('entropyScale', entropyScale)
  requireAtLeast('rows', rows, 1)
  if (!constant16) {
    const radius = entropyRate({ entropyExponent: d, rows, scale: entropyScale ** (1 / d) })
    return closedForm(formula, rows, radius, false, 'rate of A eps^-d: see entropy-rate.ts')
  }
  if (d < 2) {
    const radius = ((192 * Math.sqrt(entropyScale)) / (1 - d / 2)) ** (2 / (2 + d)) * rows ** (-1 / (2 + d))
    return closedForm(formula, rows, radius, true, '(192 sqrt(A) / (1 - d/2))^(2/(2+d)) * rows^(-1/(2+d))')
  }
  const radius = solveRadius((t) => dudleyComplexity(options, t))
  return closedForm(formula, rows, radius, true, 'root of dudley(t) = t^2 / 16')
}

/** A class of Lipschitz functions on a cube. */
export interface LipschitzRadiusOptions {
  readonly lipschitz: number
  /** Dimension of the domain [0,1]^p, default 1. */
  readonly xDim?: number
  readonly rows: number
  /** Default true. */
  readonly constant16?: boolean
}

/** The critical radius of Lipschitz functions. */
export function lipschitzRadius(options: LipschitzRadiusOptions): CriticalRadius {
  const { lipschitz, xDim = 1, rows, constant16 = true } = options
  requirePositive('lipschitz', lipschitz)
  requireAtLeast('xDim', xDim, 1)
  return fromEntropy('lipschitz', { entropyExponent: xDim, entropyScale: lipschitz ** xDim, rows, constant16 })
}

/** A class of convex Lipschitz functions. */
export interface ConvexLipschitzRadiusOptions {
  readonly lipschitz: number
  readonly rows: number
  /** Default true. */
  readonly constant16?: boolean
  /** 'printed' gives (L/N)^(2/5), a rate without the constant 16. Default 'corrected'. */
  readonly formulas?: Formulas
}

/** The critical radius of convex Lipschitz functions. */
export function convexLipschitzRadius(options: ConvexLipschitzRadiusOptions): CriticalRadius {
  const { lipschitz, rows, constant16 = true, formulas = 'corrected' } = options
  requirePositive('lipschitz', lipschitz)
  requireAtLeast('rows', rows, 1)
  if (formulas === 'printed') {
    return closedForm('convex-lipschitz', rows, (lipschitz / rows) ** 0.4, false, '(L / rows)^(2/5), as printed')
  }
  return fromEntropy('convex-lipschitz', {
    entropyExponent: 0.5,
    entropyScale: Math.sqrt(lipschitz),
    rows,
    constant16,
  })
}

/** A class of functions with bounded derivatives. */
export interface DifferentiableRadiusOptions {
  /** c: bound on the function and its derivatives. */
  readonly bound: number
  /** m, default 2. */
  readonly smoothness?: number
  /** Dimension of the domain [0,1]^p, default 1. */
  readonly xDim?: number
  readonly rows: number
  /** Default true. */
  readonly constant16?: boolean
}

/** The critical radius of functions with bounded derivatives. */
export function differentiableRadius(options: DifferentiableRadiusOptions): CriticalRadius {
  const { bound, smoothness = 2, xDim = 1, rows, constant16 = true } = options
  requirePositive('bound', bound)
  requirePositive('smoothness', smoothness)
  requireAtLeast('xDim', xDim, 1)
  const entropyExponent = xDim / smoothness
  const entropyScale = bound ** entropyExponent
  return fromEntropy('twice-differentiable', { entropyExponent, entropyScale, rows, constant16 })
}
