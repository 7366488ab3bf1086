// A critical radius as the calculators take it: a number, or a function of the number of rows.

import { invalidOption, requirePositive } from '@primo/numeric'

/** A critical radius: a number, or a function of the rows. */
export type Radius = number | ((rows: number) => number)

/** The radius at `rows`, checked to be a finite number > 0. */
export function radiusAt(field: string, radius: Radius, rows: number): number {
  if (typeof radius === 'function') {
    const value = radius(rows)
    requirePositive(`${field}(${rows})`, value)
    return value
  }
  if (typeof radius !== 'number') invalidOption(field, 'a number or a function of the rows', radius)
  requirePositive(field, radius)
  return radius
}
