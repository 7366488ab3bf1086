// Distributional imputation (method#distribution): a missing z is g-hat(x) plus a residual eta with mean 0, so a power of z is averaged
// over eta instead of being taken at g-hat:
//   E[(g + eta)^k] = sum_j C(k, j) g^(k-j) m_j,   m_0 = 1, m_1 = 0, m_2 = s^2, m_3, m_4, ...
// An exact no-op for features that are linear in z.

/** m_0, m_1, ... of what one covariate's imputation leaves open, inside units; null: nothing, or it is a category. */
export type ResidualMoments = readonly number[] | null

/** E[(g + eta)^power]; moments beyond those known count as 0. */
export function meanPower(g: number, power: number, moments: readonly number[]): number {
  let sum = 0
  // From j = power down to 0, so that g^(power - j) grows by one factor a step.
  let choose = 1
  let rest = 1
  for (let j = power; j >= 0; j--) {
    if (j < moments.length) sum += choose * rest * moments[j]!
    rest *= g
    choose = (choose * j) / (power - j + 1)
  }
  return sum
}
