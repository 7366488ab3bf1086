// Monte-Carlo local Rademacher complexity: R(t) = mean over sign vectors eps of sup_{h in H, ||h|| <= t} (1/N) sum
// eps_i h_i. The same signs serve every t, so the curve keeps the shape of the truth (R(t)/t does not increase) and
// bisection on log t finds the critical radius. Standard errors: of R from the spread over sign vectors; of the radius
// by the delta method, se(R) / (t/8 - R'(t)). The supremum per class: rademacher-*.ts. Centre 0: h stands for f - f*.

import type { Random } from '@primo/numeric'
import { invalidOption, requireInteger } from '@primo/numeric'
import { radiusAssumptions } from '../assumptions.js'
import { type CriticalRadius, solveRadius } from './critical-radius.js'

/** The local Rademacher complexity of a class on a sample, by Monte Carlo. */
export interface LocalComplexity {
  readonly rows: number
  readonly draws: number
  /** The supremum for sign vector k with norm at most t. */
  readonly supremum: (draw: number, t: number) => number
}

/** A complexity with its standard error. */
export interface ComplexityValue {
  readonly value: number
  readonly standardError: number
}

/** The local complexity within radius t. */
export function complexityAt(complexity: LocalComplexity, t: number): ComplexityValue {
  let sum = 0
  let square = 0
  for (let k = 0; k < complexity.draws; k++) {
    const value = complexity.supremum(k, t)
    sum += value
    square += value * value
  }
  const { draws } = complexity
  const value = sum / draws
  const variance = Math.max(0, square / draws - value * value) * (draws / (draws - 1))
  return { value, standardError: Math.sqrt(variance / draws) }
}

/** The critical radius where the local complexity by Monte Carlo meets t^2/16. */
export function monteCarloRadius(complexity: LocalComplexity, constant16 = true): CriticalRadius {
  const divisor = constant16 ? 16 : 1
  const at = (t: number): number => Math.max(0, complexityAt(complexity, t).value)
  const radius = solveRadius(at, divisor)
  if (radius === 0) invalidOption('features', 'columns that are not all 0', 0)
  const slope = (at(radius * 1.01) - at(radius * 0.99)) / (0.02 * radius)
  const { standardError } = complexityAt(complexity, radius)
  return Object.freeze({
    radius,
    rows: complexity.rows,
    formula: 'monte-carlo',
    expression: `root of the mean over ${complexity.draws} sign vectors = t^2 / ${divisor}`,
    constant16,
    standardError: standardError / ((2 * radius) / divisor - slope),
    assumptions: radiusAssumptions('monte-carlo'),
  })
}

export function requireDraws(draws: unknown): asserts draws is number {
  requireInteger('draws', draws, 2)
}

export interface CurveOptions {
  readonly rows: number
  readonly draws: number
  readonly grid: number
  readonly random: Random
  /** Largest value a function of the class can take. */
  readonly size: number
}

/** The curve t -> supremum for every sign vector, by projections of eps/nu over a grid of nu. */
export function curveComplexity(
  { rows, draws, grid, random, size }: CurveOptions,
  project: (target: Float64Array) => Float64Array,
): LocalComplexity {
  const norms = Array.from({ length: draws }, () => new Float64Array(grid))
  const values = Array.from({ length: draws }, () => new Float64Array(grid))
  const signs = new Float64Array(rows)
  const target = new Float64Array(rows)
  for (let draw = 0; draw < draws; draw++) {
    for (let i = 0; i < rows; i++) signs[i] = random.sign()
    for (let step = 0; step < grid; step++) {
      // From hardly any reward for size (nu large) to hardly any penalty.
      const nu = (1 / size) * Math.exp(8 - (16 * step) / (grid - 1))
      for (let i = 0; i < rows; i++) target[i] = signs[i]! / nu
      const h = project(target)
      let norm = 0
      let value = 0
      for (let i = 0; i < rows; i++) {
        norm += h[i]! * h[i]!
        value += signs[i]! * h[i]!
      }
      norms[draw]![step] = Math.sqrt(norm / rows)
      values[draw]![step] = value / rows
    }
  }
  return { rows, draws, supremum: (draw, t) => interpolateCurve(norms[draw]!, values[draw]!, t) }
}

/**
 * A concave curve through points of increasing norm: chords between them, the ray through 0 before, constant beyond.
 */
function interpolateCurve(norms: Float64Array, values: Float64Array, t: number): number {
  const last = norms.length - 1
  if (t >= norms[last]!) return values[last]!
  if (t <= norms[0]!) return norms[0] === 0 ? values[0]! : (values[0]! * t) / norms[0]!
  let low = 0
  let high = last
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (norms[middle]! <= t) low = middle
    else high = middle
  }
  const width = norms[high]! - norms[low]!
  const share = width > 0 ? (t - norms[low]!) / width : 1
  return values[low]! + share * (values[high]! - values[low]!)
}
