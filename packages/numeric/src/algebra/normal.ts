// The standard normal: density, distribution function, its logarithm and quantile, to about 2e-15 relative.
//   Phi(x) = 1/2 + phi(x) (x + x^3/3 + x^5/15 + ...) for |x| < 1.5, and beyond, so that the tail keeps its digits,
//   P(Z > x) = phi(x) / (x + 1/(x + 2/(x + 3/...))).

const SQRT_2PI = Math.sqrt(2 * Math.PI)
const SERIES_BELOW = 1.5
// Beyond it the density is below the smallest positive number.
const ZERO_BEYOND = 38.6

/** Density of the standard normal. */
export function normalDensity(x: number): number {
  if (Math.abs(x) > ZERO_BEYOND) return 0
  // The square of a multiple of 1/16 is exact: rounding x * x would cost up to 1e-13 of the tail.
  const near = Math.round(16 * x) / 16
  return (Math.exp((-near * near) / 2) * Math.exp(((near - x) * (near + x)) / 2)) / SQRT_2PI
}

/** P(Z <= x). */
export function normalDistribution(x: number): number {
  return x > 0 ? 1 - upperTail(x) : upperTail(-x)
}

/** P(Z > x) for x >= 0. */
function upperTail(x: number): number {
  if (x < SERIES_BELOW) return 0.5 - fromMedian(x)
  return normalDensity(x) / hazard(x)
}

/** phi(x) / P(Z > x) for x >= 1.5, by the continued fraction. */
function hazard(x: number): number {
  let fraction = 0
  for (let k = Math.ceil(16 + 400 / (x * x)); k >= 1; k--) fraction = k / (x + fraction)
  return x + fraction
}

/** log P(Z <= x), finite for every finite x. */
export function normalLogDistribution(x: number): number {
  if (x > 0) return Math.log1p(-upperTail(x))
  return x > -SERIES_BELOW ? Math.log(upperTail(-x)) : (-x * x) / 2 - Math.log(SQRT_2PI * hazard(-x))
}

/** phi(x) / P(Z <= x), the derivative of log P(Z <= x). */
export function inverseMills(x: number): number {
  return x > -SERIES_BELOW ? normalDensity(x) / normalDistribution(x) : hazard(-x)
}

/** Phi(x) - 1/2 by the series, |x| small. */
function fromMedian(x: number): number {
  let term = x
  let sum = x
  for (let k = 3; Math.abs(term) > 1e-18 * Math.abs(sum); k += 2) {
    term *= (x * x) / k
    sum += term
  }
  return sum * normalDensity(x)
}

/** The x with P(Z <= x) = p, for p in (0, 1): a rational start, then Halley steps. */
export function normalQuantile(p: number): number {
  if (p <= 0) return Number.NEGATIVE_INFINITY
  if (p >= 1) return Number.POSITIVE_INFINITY
  if (p > 0.5) return -normalQuantile(1 - p)
  const t = Math.sqrt(-2 * Math.log(p))
  let x = -(
    t -
    (2.515517 + 0.802853 * t + 0.010328 * t * t) / (1 + 1.432788 * t + 0.189269 * t * t + 0.001308 * t * t * t)
  )
  for (let step = 0; step < 4; step++) {
    const excess = x > -SERIES_BELOW ? fromMedian(x) + (0.5 - p) : upperTail(-x) - p
    const error = excess / normalDensity(x)
    x -= error / (1 + (x * error) / 2)
  }
  return x
}
