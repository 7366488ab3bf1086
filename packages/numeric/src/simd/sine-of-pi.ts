// sin(pi x) by a polynomial: with n the whole number nearest to x and t = x - n, sin(pi x) = (-1)^n t P(t^2), |t| <=
// 1/2. P interpolates sin(pi t)/t in t^2 at the nine Chebyshev points of [0, 1/4], relative error below 4e-19, so what
// is left is rounding. Only additions and multiplications, in a fixed order: the bits are the same on every machine, in
// every browser and with SIMD, which those of Math.sin are not bound to be. For |x| below 2^50.

/** P, from the constant on. */
export const SINE_COEFFICIENTS = [
  Math.PI,
  -5.167712780049969,
  2.5501640398773007,
  -0.5992645293189447,
  0.0821458865731029,
  -0.007370430505916944,
  0.0004662998161898394,
  -2.1903497074626018e-5,
  7.697826768224191e-7,
] as const

/** Added and taken away again it leaves the nearest whole number (halves to even): 1.5 * 2^52. */
export const ROUNDER = 6755399441055744

const [c0, c1, c2, c3, c4, c5, c6, c7, c8] = SINE_COEFFICIENTS

/** sin(pi x) with the same bits on every machine. */
export function sineOfPi(x: number): number {
  const n = x + ROUNDER - ROUNDER
  const t = x - n
  const half = 0.5 * n + ROUNDER - ROUNDER
  // -1, 0 or 1: whether n is odd.
  const odd = n - (half + half)
  const u = t * t
  const p = (((((((c8 * u + c7) * u + c6) * u + c5) * u + c4) * u + c3) * u + c2) * u + c1) * u + c0
  return t * p * (1 - (odd * odd + odd * odd))
}
