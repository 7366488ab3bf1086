// The values that a covariate may take, as levels, and the columns by which means depend on it: one per value of a category; for a
// number 1 and z, and z^2 where a mean bends. Two levels, the ends of what was seen, stand for every law of a number while all
// means are straight in it; where one bends there are more.

/** Levels of a covariate, and columns in which means are fitted. */
export interface Levels {
  /** What each level stands for. */
  readonly values: Float64Array
  readonly columns: number
  /** Writes the columns of a value. */
  readonly write: (value: number, columns: Float64Array) => void
}

/** Enough for a mean that is straight, and for one that bends. */
export const STRAIGHT_LEVELS = 2
export const BENT_LEVELS = 17

export function numberLevels(seen: Float64Array, levels: number, bent: boolean): Levels {
  let least = Number.POSITIVE_INFINITY
  let most = Number.NEGATIVE_INFINITY
  for (const value of seen) {
    least = Math.min(least, value)
    most = Math.max(most, value)
  }
  const middle = (least + most) / 2
  const half = (most - least) / 2 || 1
  const count = most > least ? levels : 1
  return {
    values: Float64Array.from({ length: count }, (_, k) =>
      count === 1 ? least : least + (2 * half * k) / (count - 1),
    ),
    columns: bent ? 3 : 2,
    write: (value, columns) => {
      const z = (value - middle) / half
      columns[0] = 1
      columns[1] = z
      if (bent) columns[2] = z * z
    },
  }
}

/** Levels 0 to count - 1, each a value of its own. */
export function categoryLevels(count: number): Levels {
  return {
    values: Float64Array.from({ length: count }, (_, k) => k),
    columns: count,
    write: (level, columns) => {
      columns[level] = 1
    },
  }
}
