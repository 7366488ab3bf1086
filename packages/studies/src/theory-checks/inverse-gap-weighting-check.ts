// The invariants of inverse gap weighting (method#theory-checks) and its regret inequality on random instances,
//   sum_a p_a (max f - f_a) <= 2K/gamma + (gamma/4) sum_a p_a (v_a - f_a)^2   for every f in [0,1]^K.

import { inverseGapWeighting } from '@primo/core/engine'
import { Random } from '@primo/numeric'
import { between, type Check, type CheckLine, type CheckOptions } from './check.js'

export const inverseGapWeightingCheck: Check = {
  title: 'Inverse gap weighting: invariants and the 2K/gamma inequality',
  lines,
}

/** The largest values depend on how instances are drawn: K in 2..21, gamma in 0.01..10^4. */
function lines({ seed, quick }: CheckOptions): readonly CheckLine[] {
  const random = Random.fromSeed(seed).split('igw')
  const instances = quick ? 20_000 : 200_000
  let worstSum = 0
  let leastBest = Number.POSITIVE_INFINITY
  let worstOther = 0
  let worstRegret = 0
  let worstInequality = 0
  for (let k = 0; k < instances; k++) {
    const count = 2 + random.integer(20)
    const gamma = 10 ** (6 * random.uniform() - 2)
    const v = Float64Array.from({ length: count }, () => random.uniform())
    const p = new Float64Array(count)
    inverseGapWeighting(v, count, gamma, p)
    const best = v.indexOf(Math.max(...v))
    const f = random.uniform() < 0.5 ? v.map(() => random.uniform()) : adversary(v, p, gamma, random.integer(count))
    const top = Math.max(...f)
    let sum = 0
    let estimated = 0
    let regret = 0
    let error = 0
    for (let a = 0; a < count; a++) {
      sum += p[a]!
      estimated += p[a]! * (v[best]! - v[a]!)
      regret += p[a]! * (top - f[a]!)
      error += p[a]! * (v[a]! - f[a]!) ** 2
      if (a !== best) worstOther = Math.max(worstOther, p[a]! * count)
    }
    worstSum = Math.max(worstSum, Math.abs(sum - 1))
    leastBest = Math.min(leastBest, p[best]! * count)
    worstRegret = Math.max(worstRegret, (estimated * gamma) / (count - 1))
    worstInequality = Math.max(worstInequality, (gamma / count) * (regret - (gamma / 4) * error))
  }
  return [
    between({ what: 'largest |sum p - 1|', measured: worstSum, high: 1e-12 }),
    between({ what: 'least K p_best', measured: leastBest, low: 1 - 1e-12, quoted: '>= 1' }),
    between({ what: 'largest K p_a of another action', measured: worstOther, high: 1 + 1e-12, quoted: '<= 1' }),
    between({
      what: 'largest estimated regret / ((K-1)/gamma)',
      measured: worstRegret,
      high: 1 + 1e-9,
      low: 0.99,
      quoted: '0.9998 (attained)',
    }),
    between({
      what: 'largest (gamma/K)(regret - (gamma/4) error)',
      measured: worstInequality,
      high: 2,
      quoted: '1.53 (<= 2)',
    }),
  ]
}

/** The f that makes the inequality tightest when `star` is really the best action, before clipping to [0,1]. */
function adversary(v: Float64Array, p: Float64Array, gamma: number, star: number): Float64Array {
  const clip = (value: number): number => Math.min(1, Math.max(0, value))
  return v.map((value, a) => clip(a === star ? value + 2 / (gamma * p[a]!) - 2 / gamma : value - 2 / gamma))
}
