// The secular equation of the ball (method#ball): find mu >= 0 with
//   psi(mu) = sum_k (c_k / (e_k + mu))^2 = radius^2,      e_k >= 0,
// or mu = 0 when psi(0) <= radius^2. Newton on 1/sqrt(psi), which is nearly linear in mu, kept inside a bracket by
// bisection. psi is strictly decreasing, so the root is unique. Computed as psi / radius^2 = 1, so that no small square
// is lost.

function psi(c: Float64Array, e: Float64Array, mu: number): number {
  let sum = 0
  for (let k = 0; k < c.length; k++) {
    const numerator = c[k]!
    if (numerator === 0) continue
    const ratio = numerator / (e[k]! + mu)
    sum += ratio * ratio
  }
  return sum
}

/** The multiplier mu; `radius` > 0. */
export function solveSecular(target: Float64Array, e: Float64Array, radius: number): number {
  const c = target.map((value) => value / radius)
  if (psi(c, e, 0) <= 1) return 0
  // Each term alone is 1 at |c_k| - e_k, and all together are at most 1 at sum |c_k|.
  let low = 0
  let high = 0
  for (let k = 0; k < c.length; k++) {
    low = Math.max(low, Math.abs(c[k]!) - e[k]!)
    high += Math.abs(c[k]!)
  }
  let mu = low
  for (let iteration = 0; iteration < 200; iteration++) {
    const value = psi(c, e, mu)
    if (Math.abs(value - 1) <= 1e-14 || high - low <= 1e-15 * high) break
    if (value > 1) low = mu
    else high = mu
    let slope = 0
    for (let k = 0; k < c.length; k++) {
      const numerator = c[k]!
      const shifted = e[k]! + mu
      const ratio = numerator / shifted
      if (numerator !== 0) slope -= (2 * ratio * ratio) / shifted
    }
    // Newton step for 1/sqrt(psi(mu)) - 1 = 0.
    const next = mu + (2 * value * (1 - Math.sqrt(value))) / slope
    mu = next > low && next < high ? next : (low + high) / 2
  }
  return mu
}
