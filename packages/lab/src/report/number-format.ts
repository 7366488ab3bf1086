// Numbers as people read them: thousands with commas, and no more digits than their standard error supports.

import type { Estimate } from './statistics.js'

/** Fixed decimals, thousands with commas, never "-0". */
export function formatFixed(value: number, decimals: number): string {
  const text = value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
  return /^-[0.,]*$/.test(text) ? text.slice(1) : text
}

/** To this many significant digits (default 3), whole numbers from 100 on in full. */
export function formatNumber(value: number, digits = 3): string {
  return formatFixed(value, Math.max(0, digits - 1 - exponent(value)))
}

/** Mean and standard error, "2,272 ± 6": with the decimals that the error supports. */
export function formatEstimate({ mean, standardError }: Estimate): string {
  if (standardError === null) return formatNumber(mean, 4)
  const decimals = decimalsFor(mean, standardError)
  return `${formatFixed(mean, decimals)} ± ${formatFixed(standardError, decimals)}`
}

/** Both ends with the decimals that suit the width: "298 to 334". */
export function formatInterval([low, high]: readonly [number, number]): string {
  const decimals = decimalsFor(Math.max(Math.abs(low), Math.abs(high)), (high - low) / 4)
  return `${formatFixed(low, decimals)} to ${formatFixed(high, decimals)}`
}

/** A tick of an axis: 20,000, 1.5M, 0.002. */
export function formatTick(value: number): string {
  const size = Math.abs(value)
  if (size >= 1e12) return value.toExponential(0).replace('e+', 'e')
  if (size >= 1e9) return `${trimmed(value / 1e9)}B`
  if (size >= 1e6) return `${trimmed(value / 1e6)}M`
  if (size > 0 && size < 1e-4) return value.toExponential(0)
  return trimmed(value)
}

/** Decimals for a mean with this standard error: whole numbers from an error of 1 on, else one digit of it (two if it begins with 1 or 2). */
export function decimalsFor(mean: number, standardError: number): number {
  if (standardError <= 0) return Math.max(0, 3 - exponent(mean))
  const lead = exponent(standardError)
  const wanted = lead >= 0 ? 0 : -lead + (standardError / 10 ** lead < 3 ? 1 : 0)
  // An error that is only rounding noise must not show more than six digits of the mean.
  return Math.min(wanted, Math.max(0, 5 - exponent(mean)), 12)
}

function exponent(value: number): number {
  return value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)))
}

function trimmed(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 6 })
}
