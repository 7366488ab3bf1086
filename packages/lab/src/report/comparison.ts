// Two policies on the same rounds, paired by seed. With x_i of the policy and y_i of the reference, i = 1..n:
//   difference  d = mean(x - y), interval d -+ t s_d / sqrt(n), t the 0.975 quantile of Student's t with n - 1 degrees;
//   ratio       r = mean(x) / mean(y), interval: all r with (mean(x) - r mean(y))^2 <= t^2 var(x - r y) / n (Fieller),
// exact for normal pairs. Fieller's set is an interval only if mean(y) is itself clearly not 0; else none is given.

import type { RunRow } from '../runs/run-row.js'
import { studentInterval, studentQuantile } from '../statistics/student-t.js'
import { summarise } from '../statistics/summarise.js'

type Interval = readonly [low: number, high: number]

export interface PairedComparison {
  readonly policy: string
  readonly reference: string
  readonly measure: 'regret' | 'reward'
  /** Seeds that both policies have; the figures are over these alone. */
  readonly pairs: number
  /** Mean of policy minus reference. */
  readonly difference: number
  /** Null with one pair, like the intervals. */
  readonly standardError: number | null
  /** 95%. */
  readonly interval: Interval | null
  /** Mean of the policy over mean of the reference; null where the latter is not positive. */
  readonly ratio: number | null
  readonly ratioInterval: Interval | null
}

/** Null when the two have no seed in common. */
export function comparePaired(
  policy: readonly RunRow[],
  reference: readonly RunRow[],
  measure: 'regret' | 'reward',
): PairedComparison | null {
  const pairs = pairsBySeed(policy, reference, measure)
  if (pairs.length === 0) return null
  const n = pairs.length
  const { mean: difference, standardError } = summarise(pairs.map(({ x, y }) => x - y))
  const meanX = summarise(pairs.map(({ x }) => x)).mean
  const meanY = summarise(pairs.map(({ y }) => y)).mean
  const t = n > 1 ? studentQuantile(0.975, n - 1) : null
  return {
    policy: policy[0]!.policy,
    reference: reference[0]!.policy,
    measure,
    pairs: n,
    difference,
    standardError: t === null ? null : standardError,
    interval: studentInterval({ count: n, mean: difference, standardError }),
    ratio: meanY > 0 ? meanX / meanY : null,
    ratioInterval: t === null || meanY <= 0 ? null : fieller(pairs, meanX, meanY, t),
  }
}

/** The values of both policies on the seeds that both have. */
export function pairsBySeed(
  policy: readonly RunRow[],
  reference: readonly RunRow[],
  measure: 'regret' | 'reward',
): readonly { readonly x: number; readonly y: number }[] {
  const ofReference = new Map(reference.map((row) => [row.seed, row[measure]]))
  return policy.flatMap((row) => {
    const [x, y] = [row[measure], ofReference.get(row.seed)]
    return x === null || y == null ? [] : [{ x, y }]
  })
}

function fieller(
  pairs: readonly { readonly x: number; readonly y: number }[],
  meanX: number,
  meanY: number,
  t: number,
): Interval | null {
  const n = pairs.length
  const scale = (t * t) / (n * (n - 1))
  let [xx, xy, yy] = [0, 0, 0]
  for (const { x, y } of pairs) {
    xx += (x - meanX) ** 2
    xy += (x - meanX) * (y - meanY)
    yy += (y - meanY) ** 2
  }
  const a = meanY ** 2 - scale * yy
  const b = meanX * meanY - scale * xy
  const c = meanX ** 2 - scale * xx
  if (a <= 0) return null
  const root = Math.sqrt(Math.max(0, b * b - a * c))
  return [(b - root) / a, (b + root) / a]
}
