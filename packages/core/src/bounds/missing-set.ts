// What can be said of a covariate on the rows where it is missing, whatever made it missing (method#missing-set). A witness is a
// variable that depends on whether z was seen only through (x, z): a reward given its action, or what a model saw beyond x.
// With levels z_j and q_j = P(z = j | missing):
//   sum_j A_j q_j = m,   A_j = E[witness | z = j] by rows with z, m = E[witness | missing] by rows without, both at the mean context
//   of the missing rows; one such equation per witness and group (action).
// Where the witness reacts to z more in some contexts than in others, the equation holds within cells of like reaction only, and the
// set of the whole is the sum of the cells' sets. Groups are used in two ways that share the error: each weighted to stand for all
// missing rows, the sets' common part; and each for its own missing rows, the sets' sum, which holds up where few actions are played.

import { type Cell, type CellEquation, equationsOf, lookAt } from './cells.js'
import { type MissingSet, setOf } from './equations.js'
import { BENT_LEVELS, type Levels, numberLevels, STRAIGHT_LEVELS } from './levels.js'
import { sumOfSets } from './sum-of-sets.js'

/** A variable that depends on whether the covariate was seen only through context and covariate. */
export interface Witness {
  readonly name: string
  /** One per row; NaN: not known there. */
  readonly values: Float64Array
  /** Rows of different groups (actions) are not compared; null: one group. */
  readonly group: { readonly of: ArrayLike<number>; readonly count: number } | null
  /** Of rows without the covariate, to make a group's rows stand for all: 1 / propensity; null: they stand for themselves. */
  readonly weights: Float64Array | null
}

/** Rows, where the covariate was seen, and witnesses. */
export interface MissingSetInput {
  readonly count: number
  readonly context: Float64Array
  readonly contextWidth: number
  /** 1: the covariate was seen. */
  readonly observed: ArrayLike<number>
  /** Of rows where it was seen: a number, or the place of a level. */
  readonly covariate: Float64Array
  /** Levels of a category; absent: a number. */
  readonly category?: Levels
  readonly witnesses: readonly Witness[]
  /** Of a category: what is asked about, at its levels. */
  readonly target?: Float64Array
}

/** What the rows say. */
export interface MissingSetFound {
  /** Limits of the mean that hold with 95%, and with 99%; null: no law of the covariate agrees with the witnesses. */
  readonly set: MissingSet
  readonly wide: MissingSet
  /** The range of what was seen: what is known without a witness. */
  readonly range: { readonly lower: number; readonly upper: number }
  /** Equations that the rows support; 0: nothing can be said. */
  readonly equations: number
}

/** The set of a covariate's mean over the rows where it is missing (method#missing-set). */
export function missingSet(input: MissingSetInput): MissingSetFound {
  const groups = input.witnesses.map((witness) => groupsOf(input, witness))
  const count = groups.flat().some((cell) => lookAt(input, cell).bent) ? BENT_LEVELS : STRAIGHT_LEVELS
  const seen = seenValues(input)
  const levels = (bent: boolean) => input.category ?? numberLevels(seen, count, bent)
  const target = input.target ?? levels(false).values
  const missing = rowsWhere(input, 0).length
  const known = (cells: readonly CellEquation[]) => cells.some(({ equation }) => equation !== null)
  const whole = groups
    .flatMap((cells) => cells.filter((cell) => cells.length === 1 || standsForAll(cell)))
    .map((cell) => equationsOf(input, cell, levels))
    .filter(known)
  const parts = groups
    .filter((cells) => cells.length > 1)
    .map((cells) =>
      cells.flatMap((cell) =>
        equationsOf(input, { ...cell, missing: cell.unseen, weights: null }, levels).map(({ share, equation }) => ({
          share: (share * cell.unseen.length) / missing,
          equation,
        })),
      ),
    )
    .filter(known)
  const equations = [...whole, ...parts].flat().filter(({ equation }) => equation !== null).length
  const range = { lower: Math.min(...target), upper: Math.max(...target) }
  if (equations === 0) return { set: range, wide: range, range, equations }
  const joint = whole.filter((cells) => cells.length === 1).map(([cell]) => cell!.equation!)
  const apart = whole.filter((cells) => cells.length > 1)
  const holding = (confidence: number) => {
    const missed = (1 - confidence) / (parts.length + (whole.length > 0 ? 1 : 0))
    const each = 1 - missed / whole.length
    return [
      setOf(joint, target, each),
      ...apart.map((cells) => sumOfSets(cells, target, each)),
      ...parts.map((cells) => sumOfSets(cells, target, 1 - missed)),
    ].reduce(common)
  }
  return { set: holding(0.95), wide: holding(0.99), range, equations }
}

/** Rows of a witness that may be compared. */
function groupsOf(input: MissingSetInput, witness: Witness): readonly Cell[] {
  const { values, group, weights } = witness
  const missing = rowsWhere(input, 0)
  return Array.from({ length: group?.count ?? 1 }, (_, g) => {
    const inside = (row: number) => !Number.isNaN(values[row]!) && (group === null || group.of[row] === g)
    return { witness, seen: rowsWhere(input, 1).filter(inside), unseen: missing.filter(inside), missing, weights }
  })
}

/** Of the missing rows: a group whose weights add up to less does not stand for all of them. Some are where it is hardly ever played. */
const LEAST_SHARE = 0.8

function standsForAll({ unseen, missing, weights }: Cell): boolean {
  if (weights === null) return false
  return unseen.reduce((sum, row) => sum + weights[row]!, 0) >= LEAST_SHARE * missing.length
}

function rowsWhere({ count, observed }: MissingSetInput, seen: 0 | 1): number[] {
  const rows: number[] = []
  for (let row = 0; row < count; row++) if ((observed[row] === 1) === (seen === 1)) rows.push(row)
  return rows
}

function seenValues(input: MissingSetInput): Float64Array {
  return Float64Array.from(rowsWhere(input, 1), (row) => input.covariate[row]!)
}

function common(left: MissingSet, right: MissingSet): MissingSet {
  if (left === null || right === null) return null
  const lower = Math.max(left.lower, right.lower)
  const upper = Math.min(left.upper, right.upper)
  return lower > upper ? null : { lower, upper }
}
