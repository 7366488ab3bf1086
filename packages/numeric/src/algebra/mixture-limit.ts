// The mixture of exponentials behind limits that hold at all times: for values Y_i >= -1 with guesses made before them
// (Y_i - guess_i >= -1),
//   M = sum_k w_k exp( l_k S - psi(l_k) V ),   S = sum_i (Y_i - E[Y_i | past]),   V = sum_i (Y_i - guess_i)^2,
//     psi(l) = -log(1 - l) - l,
// is a supermartingale that begins at 1 (Fan, Grama, Liu 2015; Howard, Ramdas, McAuliffe, Sekhon 2021), so that it ever
// reaches 1/alpha with probability alpha at most. With guesses that are all 0 it depends on the sums alone, whatever
// the order of the values.

const RATES = Array.from({ length: 32 }, (_, k) => 0.9 * 2 ** (-k / 2))
const COSTS = RATES.map((rate) => -Math.log1p(-rate) - rate)
/** Sums up to millions matter more often than sums up to billions. */
const LOG_WEIGHTS = logShares(RATES.map((_, k) => (k + 3) ** -1.2))

/** Evidence about one sum of conditional means, on a scale of its own. */
export interface ScaledEvidence {
  /** Of the values divided by `scale`. */
  readonly sum: number
  /** Sum of squared distances of the values divided by `scale` from their guesses. */
  readonly deviation: number
  readonly scale: number
}

/**
 * The lower limit, at all times, of a sum of conditional means that every evidence is about: the mixture over rates and
 * over evidences, sum_jk w_k exp( l_k (sum_j - S / scale_j) - psi(l_k) deviation_j ) / J, is 1/alpha there. It
 * decreases in S and is convex, so that Newton's steps from the left, where a single exponential reaches the target,
 * come to the root from one side.
 */
export function lowerSum(evidences: readonly ScaledEvidence[], alpha: number): number {
  const target = Math.log(evidences.length) - Math.log(alpha)
  let lower = Number.NEGATIVE_INFINITY
  for (const { sum, deviation, scale } of evidences) {
    for (let k = 0; k < RATES.length; k++)
      lower = Math.max(lower, scale * (sum - (target - LOG_WEIGHTS[k]! + COSTS[k]! * deviation) / RATES[k]!))
  }
  for (let step = 0; step < 50; step++) {
    let top = Number.NEGATIVE_INFINITY
    for (const evidence of evidences)
      for (let k = 0; k < RATES.length; k++) top = Math.max(top, exponent(evidence, k, lower))
    let total = 0
    let slope = 0
    for (const evidence of evidences) {
      for (let k = 0; k < RATES.length; k++) {
        const part = Math.exp(exponent(evidence, k, lower) - top)
        total += part
        slope += (RATES[k]! / evidence.scale) * part
      }
    }
    const above = top + Math.log(total) - target
    if (above < 1e-10) break
    lower += (above * total) / slope
  }
  return lower
}

function exponent({ sum, deviation, scale }: ScaledEvidence, k: number, at: number): number {
  return LOG_WEIGHTS[k]! + RATES[k]! * (sum - at / scale) - COSTS[k]! * deviation
}

function logShares(weights: readonly number[]): number[] {
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  return weights.map((weight) => Math.log(weight / total))
}
