// exp and tanh by additions, products and quotients alone, which are the same to the last bit in every engine (Math.exp
// is not promised to be).
//   exp(x) = 2^k exp(r),  k = round(x / ln 2),  r = x - k ln 2 in two parts,  exp(r) by its series: |r| <= 0.35, so
//     14 terms are enough.
//   tanh(x) = sign(x) (1 - q)/(1 + q),  q = exp(-2 |x|);  near 0 the odd series, which does not cancel.

const LN2_HIGH = 0.6931471803691238
const LN2_LOW = 1.9082149292705877e-10
const LARGEST = 709.782712893384
const SMALLEST = -745.1332191019411
const TERMS = 14

/** e^x, within two units of the last place and the same in every engine. */
export function portableExp(x: number): number {
  if (Number.isNaN(x)) return x
  if (x > LARGEST) return Number.POSITIVE_INFINITY
  if (x < SMALLEST) return 0
  const k = Math.floor(x * Math.LOG2E + 0.5)
  const r = x - k * LN2_HIGH - k * LN2_LOW
  let sum = 1
  for (let n = TERMS; n > 0; n--) sum = 1 + (sum * r) / n
  // In two steps, since 2^k itself may be beyond the numbers.
  const half = Math.trunc(k / 2)
  return sum * powerOfTwo(half) * powerOfTwo(k - half)
}

/** The hyperbolic tangent, the same in every engine. */
export function portableTanh(x: number): number {
  const size = Math.abs(x)
  if (size < 0.02) {
    const s = x * x
    return x * (1 - s * (1 / 3 - s * (2 / 15 - s * (17 / 315 - (s * 62) / 2835))))
  }
  const q = portableExp(-2 * size)
  const value = (1 - q) / (1 + q)
  return x < 0 ? -value : value
}

/** Exact: products of powers of two. */
function powerOfTwo(k: number): number {
  let factor = k < 0 ? 0.5 : 2
  let power = 1
  for (let left = Math.abs(k); left > 0; left = Math.floor(left / 2)) {
    if (left % 2 === 1) power *= factor
    factor *= factor
  }
  return power
}
