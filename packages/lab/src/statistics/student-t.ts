// Student's t: F(t) = 1 - I_x(n/2, 1/2) / 2 for t >= 0 and n degrees of freedom, x = n/(n + t^2), with the regularised
// incomplete beta function I by its continued fraction (Numerical Recipes 6.4, modified Lentz); the quantile by bisection.

import type { Summary } from './summarise.js'

/** The p-quantile, 1/2 <= p < 1, of Student's t with this many degrees of freedom. */
export function studentQuantile(p: number, degrees: number): number {
  let high = 1
  while (studentDistribution(high, degrees) < p) high *= 2
  let low = 0
  for (let step = 0; step < 80; step++) {
    const middle = (low + high) / 2
    if (studentDistribution(middle, degrees) < p) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** The 95% interval of a mean, m -+ t_{n-1, 0.975} s / sqrt(n); null for a single value. */
export function studentInterval({ count, mean, standardError }: Summary): readonly [low: number, high: number] | null {
  if (count < 2) return null
  const half = studentQuantile(0.975, count - 1) * standardError
  return [mean - half, mean + half]
}

/** P(T <= t) for t >= 0. */
export function studentDistribution(t: number, degrees: number): number {
  return 1 - incompleteBeta(degrees / (degrees + t * t), degrees / 2, 0.5) / 2
}

function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) + logGamma(a + b) - logGamma(a) - logGamma(b))
  // The fraction converges fast on one side of the mean; the other side by symmetry.
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(x, a, b)) / a : 1 - (front * betaFraction(1 - x, b, a)) / b
}

function betaFraction(x: number, a: number, b: number): number {
  const away = (value: number) => (Math.abs(value) < 1e-300 ? 1e-300 : value)
  let c = 1
  let d = 1 / away(1 - ((a + b) * x) / (a + 1))
  let fraction = d
  for (let m = 1; m <= 1000; m++) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / away(1 + even * d)
    c = away(1 + even / c)
    fraction *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / away(1 + odd * d)
    c = away(1 + odd / c)
    fraction *= d * c
    if (Math.abs(d * c - 1) < 1e-15) break
  }
  return fraction
}

/** Stirling's series after raising the argument to at least 10. */
function logGamma(x: number): number {
  let shift = 0
  let y = x
  while (y < 10) shift += Math.log(y++)
  const r = 1 / (y * y)
  const series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r / 1188)))) / y
  return (y - 0.5) * Math.log(y) - y + Math.log(2 * Math.PI) / 2 + series - shift
}
