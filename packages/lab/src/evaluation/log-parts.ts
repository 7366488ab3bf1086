// Parts of a log for fits that may not look ahead: what judges the rows of a part was fitted on the rows before it. Parts double, so
// that a log of n rows takes log2(n) fits.

/** Which rows a fit is made on, and which rows it then judges. */
export interface LogPart {
  readonly learns: (row: number) => boolean
  readonly judges: (row: number) => boolean
  /** Of its random draws. */
  readonly number: number
}

/** Every row is judged by what was fitted on the other folds. */
export function foldParts(folds: Uint8Array, foldCount: number): readonly LogPart[] {
  return Array.from({ length: foldCount }, (_, fold) => ({
    learns: (row: number) => folds[row] !== fold,
    judges: (row: number) => folds[row] === fold,
    number: fold,
  }))
}

/** Rows before the first fit. */
const FIRST = 100

/** Every row but the first ones is judged by what was fitted on rows before it. */
export function forwardParts(rows: number): readonly LogPart[] {
  const parts: LogPart[] = []
  for (let from = FIRST, number = 0; from < rows; from *= 2, number++) {
    const to = 2 * from
    parts.push({ learns: (row) => row < from, judges: (row) => row >= from && row < to, number })
  }
  return parts
}
