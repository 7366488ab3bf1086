// The right-hand side of Thm 1 as named terms (method#theorems), shared by Thm 1, 2 and 4:
//   r + outer * ( c1 r + c2 sqrt(2L/N) + c3 L/(rN) + imputation + average ),   L = log(phi_b(r)/delta).
//   printed:   average = (4/sqrt(upsilon)) sqrt(log(2/delta)/N),  b = lambda, imputation = sqrt(E) (Thm 4: Upsilon).
//   corrected: average = sqrt(log(1/delta)/(2N)) (erratum E7, no upsilon), b = 1 (E10), imputation = sqrt(E_miss) (E6).
// Constants: constants.ts (E11, E12). Deviation from the letter: phi is floored at 1.

import { type TheoryWarning, theoryWarning } from '../theory-warning.js'
import { constants, type ErmConstants, noiseCoefficient } from './constants.js'
import { peelingCount, peelingFloored } from './peeling.js'

/** A named term of a bound. */
export interface Term {
  readonly name: string
  readonly value: number
}

export interface OracleInequalityInput {
  readonly rows: number
  readonly radius: number
  readonly lambda: number
  /** Confidence of one event; the inequality holds with probability 1 - 4 delta. */
  readonly delta: number
  /** The factor in place of the square root of the elasticity, before the outer constant. */
  readonly imputation: readonly Term[]
  /** Present: the printed average term; absent: Bernstein's (E7). */
  readonly upsilon?: number
}

export interface OracleInequality {
  readonly terms: readonly Term[]
  readonly sum: number
  readonly warnings: readonly TheoryWarning[]
}

export function oracleInequality(input: OracleInequalityInput, table: ErmConstants): OracleInequality {
  const { rows, radius, lambda, delta, imputation, upsilon } = input
  const { outer } = table
  const diameter = table.peeling === 'lambda' ? lambda : 1
  const log = Math.log(peelingCount(diameter, radius) / delta)
  const oracle = noiseCoefficient(table.oracle, lambda) * radius
  const fluctuation = noiseCoefficient(table.fluctuation, lambda) * Math.sqrt((2 * log) / rows)
  const higherOrder = (noiseCoefficient(table.higherOrder, lambda) * log) / (radius * rows)
  const average =
    upsilon === undefined
      ? Math.sqrt(Math.log(1 / delta) / (2 * rows))
      : (4 / Math.sqrt(upsilon)) * Math.sqrt(Math.log(2 / delta) / rows)
  const terms = [
    { name: 'oracle', value: radius + outer * oracle },
    ...imputation.map(({ name, value }) => ({ name, value: outer * value })),
    { name: 'fluctuation', value: outer * fluctuation },
    { name: 'higher-order', value: outer * higherOrder },
    { name: 'average', value: outer * average },
  ]
  const warnings: TheoryWarning[] = []
  if (peelingFloored(diameter, radius)) {
    warnings.push(theoryWarning('peeling-floored', `phi_b(r) was below 1 and is taken as 1`, { b: diameter, radius }))
  }
  const sum = sumOf(terms)
  if (radius >= 1) warnings.push(theoryWarning('radius-vacuous', 'the radius exceeds the diameter 1 of F', { radius }))
  else if (sum >= 1) warnings.push(theoryWarning('bound-vacuous', 'the bound exceeds the diameter 1 of F', { sum }))
  return { terms: freezeTerms(terms), sum, warnings }
}

/** The table of a profile. */
export function ermConstants(formulas: 'printed' | 'corrected', proofConstants = false): ErmConstants {
  if (formulas === 'corrected') return constants.corrected
  return proofConstants ? constants.printedProof : constants.printed
}

export function sumOf(terms: readonly Term[]): number {
  let sum = 0
  for (const term of terms) sum += term.value
  return sum
}

/** The name of the largest term; the first of equals. */
export function largestTerm(terms: readonly Term[]): string {
  let best = terms[0]!
  for (const term of terms) if (term.value > best.value) best = term
  return best.name
}

export function freezeTerms(terms: readonly Term[]): readonly Term[] {
  return Object.freeze(terms.map((term) => Object.freeze({ ...term })))
}
