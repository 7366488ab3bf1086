// Numbers as people read them: thousands with commas, and no more digits than their standard error supports.

import type { Estimate } from '../statistics/summarise.js'

const MAX_DECIMALS = 12
/** What is smaller is written with an exponent. */
const SMALLEST_FIXED = 1e-9

/** Fixed decimals, thousands with commas, never "-0". */
export function formatFixed(value: number, decimals: number): string {
  const text = value.toLocaleString('en', { minimumFractionDigits: decimals, maximumFractionDigits: decimals })
  return /^-[0.,]*$/.test(text) ? text.slice(1) : text
}

/** To this many significant digits (default 3), whole numbers from 100 on in full. */
export function formatNumber(value: number, digits = 3): string {
  if (value !== 0 && Math.abs(value) < SMALLEST_FIXED) return scientific(value)
  return formatFixed(value, Math.max(0, digits - 1 - exponent(value)))
}

/** Mean and standard error, "2,272 ± 6", with the decimals that the error supports. */
export function formatEstimate(estimate: Estimate): string {
  return formatEstimates([estimate])[0]!
}

/**
 * A column of them, all with the decimals that suit its middle; an error that is not 0 is not shown as 0, as far as 12 decimals
 * go. A column of nothing but smaller numbers is written with exponents.
 */
export function formatEstimates(column: readonly Estimate[]): readonly string[] {
  const largest = Math.max(0, ...column.flatMap(({ mean, standardError }) => [Math.abs(mean), standardError ?? 0]))
  if (largest > 0 && largest < SMALLEST_FIXED)
    return column.map(({ mean, standardError }) =>
      standardError === null ? scientific(mean) : `${scientific(mean)} ± ${scientific(standardError)}`,
    )
  const wanted = column.map(({ mean, standardError }) => decimalsFor(mean, standardError))
  const middle = [...wanted].sort((a, b) => a - b)[Math.floor((wanted.length - 1) / 2)] ?? 0
  return column.map(({ mean, standardError }, i) => {
    if (standardError === null) return formatFixed(mean, middle)
    const shows = (decimals: number) => Number(standardError.toFixed(decimals)) !== 0
    const decimals = !shows(middle) && shows(wanted[i]!) ? Math.max(middle, wanted[i]!) : middle
    return `${formatFixed(mean, decimals)} ± ${formatFixed(standardError, decimals)}`
  })
}

/** "298 to 334", with the decimals that suit the width and, as far as six go, enough not to show an end as `border` that is not. */
export function formatInterval(
  [low, high]: readonly [number, number],
  options: { readonly border?: number; readonly least?: number } = {},
): string {
  const { border = 0, least = 0 } = options
  let decimals = Math.max(least, decimalsFor(Math.max(Math.abs(low), Math.abs(high)), (high - low) / 4))
  const hides = (end: number) => end !== border && Number(end.toFixed(decimals)) === border
  while (decimals < 6 && (hides(low) || hides(high))) decimals++
  return `${formatFixed(low, decimals)} to ${formatFixed(high, decimals)}`
}

/** The same with true minus signs, for print. */
export function typeset(text: string): string {
  return text.replace(/(^|\s)-(?=\d)/g, '$1\u2212')
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

/** One digit of the error (two if it begins with 1 or 2 and is below 1), whole numbers from 100 on if the error is 1 or more. */
function decimalsFor(mean: number, standardError: number | null): number {
  if (mean === 0 && !standardError) return 0
  if (standardError === null || standardError <= 0) return Math.min(Math.max(0, 3 - exponent(mean)), MAX_DECIMALS)
  const lead = exponent(standardError)
  const wanted =
    lead < 0 ? -lead + (standardError / 10 ** lead < 3 ? 1 : 0) : lead === 0 && Math.abs(mean) < 100 ? 1 : 0
  // An error that is only rounding noise must not show more than six digits of the mean.
  return Math.min(wanted, Math.max(0, 5 - exponent(mean)), MAX_DECIMALS)
}

/** "1.2e-17", and 0 as it is. */
function scientific(value: number): string {
  return value === 0 ? '0' : value.toExponential(1)
}

function exponent(value: number): number {
  return value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value)))
}

function trimmed(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 6 })
}

/** "95%", "99.5%". */
export function levelText(level: number): string {
  return `${Number((100 * level).toPrecision(6))}%`
}
