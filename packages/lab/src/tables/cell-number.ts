// Numbers written in decimal: [+-] digits [. digits] [e [+-] digits], and nothing else that a language takes for a
// number.

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i

/** NaN: it is not a number. Infinity: it is too large for a double. */
export function numberIn(text: string, decimal: '.' | ',' = '.'): number {
  const pointed = decimal === '.' ? text : text.includes('.') ? '' : text.replace(',', '.')
  return DECIMAL.test(pointed) ? Number(pointed) : Number.NaN
}

/** Zeros in front, as codes have them. */
export function hasLeadingZero(text: string): boolean {
  return /^0\d/.test(text)
}
