// Numbers written in decimal: [+-] digits [. digits] [e [+-] digits]. Up to 15 significant digits and a power of ten up to
// 22 are exact in doubles, so one multiplication or division rounds correctly; anything longer goes through Number().

const POWERS = Float64Array.from({ length: 23 }, (_, k) => Number(`1e${k}`))

const POINT = 46

/** The number in bytes[from ... to - 1]; NaN: it is not one. Infinity: it is too large for a double. */
export function parseDecimal(bytes: Uint8Array, from: number, to: number, decimal = POINT): number {
  let at = from
  const sign = bytes[at]
  if (sign === 45 || sign === 43) at++
  let mantissa = 0
  let significant = 0
  let digits = 0
  let fraction = 0
  let inFraction = false
  for (; at < to; at++) {
    const digit = bytes[at]! - 48
    if (digit >= 0 && digit <= 9) {
      digits++
      if (inFraction) fraction++
      if (significant > 0 || digit > 0) significant++
      if (significant <= 15) mantissa = mantissa * 10 + digit
    } else if (bytes[at] === decimal && !inFraction) inFraction = true
    else break
  }
  if (digits === 0) return Number.NaN
  let exponent = 0
  if (at < to) {
    if ((bytes[at]! | 32) !== 101) return Number.NaN
    at++
    const exponentSign = bytes[at]
    if (exponentSign === 45 || exponentSign === 43) at++
    if (at >= to) return Number.NaN
    for (; at < to; at++) {
      const digit = bytes[at]! - 48
      if (digit < 0 || digit > 9) return Number.NaN
      if (exponent < 100_000) exponent = exponent * 10 + digit
    }
    if (exponentSign === 45) exponent = -exponent
  }
  const power = exponent - fraction
  if (significant > 15 || power > 22 || power < -22) {
    const text = String.fromCharCode(...bytes.subarray(from, to))
    return Number(decimal === POINT ? text : text.replace(String.fromCharCode(decimal), '.'))
  }
  const value = power < 0 ? mantissa / POWERS[-power]! : mantissa * POWERS[power]!
  return sign === 45 ? -value : value
}
