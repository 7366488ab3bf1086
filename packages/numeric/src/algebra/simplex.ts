// Euclidean projection onto the probability simplex: the nearest p with p_k >= 0 and sum 1 is max(v_k - t, 0) for the
// one threshold t that makes the sum 1; t is found by sorting. The largest value is taken as the origin, so that the
// sum is 1 for large values too.

/** Projects values[at ... at + width - 1] in place. */
export function projectToSimplex(values: Float64Array, at: number, width: number): void {
  const sorted = values
    .slice(at, at + width)
    .sort()
    .reverse()
  const origin = sorted[0] ?? 0
  let sum = 0
  let threshold = 0
  for (let k = 0; k < width; k++) {
    const value = sorted[k]! - origin
    sum += value
    const candidate = (sum - 1) / (k + 1)
    if (value > candidate) threshold = candidate
  }
  for (let k = 0; k < width; k++) values[at + k] = Math.max(0, values[at + k]! - origin - threshold)
}
