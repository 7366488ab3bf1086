// Linear programmes: the smallest c'q over {q >= 0 : R q <= r, sum q = 1}. Dense tableau, two phases, Bland's rule, so
// that it ends always. For small programmes (tens of rows): it is exact up to rounding, and a pivot costs rows x
// columns.

/** Constraints: weights on the simplex that keep `rows` of `width` numbers each below `limits`. */
export interface SimplexProgramme {
  readonly width: number
  /** Row-major. */
  readonly rows: Float64Array
  readonly limits: Float64Array
}

const TINY = 1e-10

/** The smallest value of `costs` and where it is taken; null: no weights satisfy all rows. */
export function minimiseOnSimplex(
  { width, rows, limits }: SimplexProgramme,
  costs: Float64Array,
): { value: number; weights: Float64Array } | null {
  const count = limits.length
  const height = count + 1
  // Columns: weights, slacks, artificial variables, right-hand side.
  const artificial = width + count
  const columns = artificial + height + 1
  const tableau = new Float64Array((height + 1) * columns)
  const basis = new Int32Array(height)
  const at = (row: number, column: number) => row * columns + column
  for (let row = 0; row < height; row++) {
    const limit = row < count ? limits[row]! : 1
    const sign = limit < 0 ? -1 : 1
    for (let k = 0; k < width; k++) tableau[at(row, k)] = sign * (row < count ? rows[row * width + k]! : 1)
    if (row < count) tableau[at(row, width + row)] = sign
    tableau[at(row, artificial + row)] = 1
    tableau[at(row, columns - 1)] = sign * limit
    // A slack that can stand for its own row needs no artificial variable.
    basis[row] = row < count && sign === 1 ? width + row : artificial + row
  }
  const price = (cost: (column: number) => number) => {
    for (let column = 0; column < columns; column++) {
      let sum = column === columns - 1 ? 0 : cost(column)
      for (let row = 0; row < height; row++) sum -= cost(basis[row]!) * tableau[at(row, column)]!
      tableau[at(height, column)] = sum
    }
  }
  const descend = (usable: number) => {
    for (;;) {
      let enter = -1
      for (let column = 0; column < usable && enter < 0; column++)
        if (tableau[at(height, column)]! < -TINY) enter = column
      if (enter < 0) return
      let leave = -1
      let least = Number.POSITIVE_INFINITY
      for (let row = 0; row < height; row++) {
        const pivot = tableau[at(row, enter)]!
        if (pivot <= TINY) continue
        const ratio = tableau[at(row, columns - 1)]! / pivot
        if (ratio < least - TINY || (ratio < least + TINY && basis[row]! < basis[leave]!)) {
          least = Math.min(least, ratio)
          leave = row
        }
      }
      // Never on a simplex: every weight is at most 1, and a slack is bounded with them.
      if (leave < 0) return
      pivotOn(leave, enter)
    }
  }
  const pivotOn = (leave: number, enter: number) => {
    const pivot = tableau[at(leave, enter)]!
    for (let column = 0; column < columns; column++) tableau[at(leave, column)] = tableau[at(leave, column)]! / pivot
    for (let row = 0; row <= height; row++) {
      const factor = tableau[at(row, enter)]!
      if (row === leave || factor === 0) continue
      for (let column = 0; column < columns; column++)
        tableau[at(row, column)] = tableau[at(row, column)]! - factor * tableau[at(leave, column)]!
    }
    basis[leave] = enter
  }
  price((column) => (column >= artificial ? 1 : 0))
  descend(artificial)
  if (tableau[at(height, columns - 1)]! < -1e-9) return null
  // An artificial variable that stayed is zero: any column of its row may take its place.
  for (let row = 0; row < height; row++) {
    if (basis[row]! < artificial) continue
    for (let column = 0; column < artificial; column++) {
      if (Math.abs(tableau[at(row, column)]!) <= TINY) continue
      pivotOn(row, column)
      break
    }
  }
  price((column) => (column < width ? costs[column]! : 0))
  descend(artificial)
  const weights = new Float64Array(width)
  for (let row = 0; row < height; row++) if (basis[row]! < width) weights[basis[row]!] = tableau[at(row, columns - 1)]!
  return { value: weights.reduce((sum, weight, k) => sum + weight * costs[k]!, 0), weights }
}
