// Which formulas the calculators use.

import { invalidOption } from '@primo/numeric'

/** 'printed' follows the paper to the letter (NaN guards only); 'corrected' applies docs/errata.md. */
export type Formulas = 'printed' | 'corrected'

export function requireFormulas(value: unknown): asserts value is Formulas {
  if (value !== 'printed' && value !== 'corrected') invalidOption('formulas', '"printed" or "corrected"', value)
}
