// Gram kernel: out[i][j] = sum over rows of left[row][i] * right[row][j] for i <= j (upper triangle, row-major).
// With left = right it is X'X; with left = w * right (row by row) it is X'WX. Every entry is summed in row order from
// zero in one accumulator, so tiling, stopping and going on, SIMD over columns or another machine give the same bits.
// Nothing is allocated. All but the fewest rows go through a kernel in two lanes where there is one.

import { gramWithSimd, weightedGramWithSimd } from '../simd/gram-simd.js'

/** Rows that are taken through all tiles before the next ones, so that they stay in the nearest cache. */
const CHUNK = 48

/** Overwrites the upper triangle of `out` (columns x columns); `left` and `right` hold `count` rows back to back. */
export function gram(
  left: Float64Array,
  right: Float64Array,
  count: number,
  columns: number,
  out: Float64Array,
  leftAt = 0,
  rightAt = 0,
): void {
  for (let i = 0; i < columns; i++) out.fill(0, i * columns + i, (i + 1) * columns)
  addGram(left, right, count, columns, out, leftAt, rightAt)
}

const withSimd = gramWithSimd()
/** Below these the copying outweighs the gain. */
const LANES_COLUMNS = 3
const LANES_ROWS = 24

/** The same, going on from the sums of earlier rows that are in `out`. */
export function addGram(
  left: Float64Array,
  right: Float64Array,
  count: number,
  columns: number,
  out: Float64Array,
  leftAt = 0,
  rightAt = 0,
): void {
  if (withSimd !== null && columns >= LANES_COLUMNS && count >= LANES_ROWS) {
    withSimd(left, right, count, columns, out, leftAt, rightAt)
  } else addGramPlainly(left, right, count, columns, out, leftAt, rightAt)
}

const weightedWithSimd = weightedGramWithSimd()

/** X'WX of rows with a weight each, going on from `out`; `scratch` holds as many rows. */
export function addWeightedGram(
  rows: Float64Array,
  at: number,
  weights: Float64Array,
  weightsAt: number,
  count: number,
  columns: number,
  out: Float64Array,
  scratch: Float64Array,
): void {
  if (weightedWithSimd !== null && columns >= LANES_COLUMNS && count >= LANES_ROWS) {
    weightedWithSimd(rows, at, weights, weightsAt, count, columns, out)
    return
  }
  for (let row = 0, to = 0, from = at; row < count; row++) {
    const weight = weights[weightsAt + row]!
    for (let column = 0; column < columns; column++) scratch[to++] = weight * rows[from++]!
  }
  addGramPlainly(scratch, rows, count, columns, out, 0, at)
}

/** Without SIMD, whatever the machine has. */
export function addGramPlainly(
  left: Float64Array,
  right: Float64Array,
  count: number,
  columns: number,
  out: Float64Array,
  leftAt = 0,
  rightAt = 0,
): void {
  for (let first = 0; first < count; first += CHUNK) {
    const rows = Math.min(CHUNK, count - first)
    addChunk(left, right, rows, columns, out, leftAt + first * columns, rightAt + first * columns)
  }
}

function addChunk(
  left: Float64Array,
  right: Float64Array,
  count: number,
  columns: number,
  out: Float64Array,
  leftAt: number,
  rightAt: number,
): void {
  let i = 0
  for (; i + 4 <= columns; i += 4) {
    let j = i
    for (; j + 4 <= columns; j += 4) tile4x4(left, right, count, columns, out, i, j, leftAt, rightAt)
    for (; j < columns; j++) tile4x1(left, right, count, columns, out, i, j, leftAt, rightAt)
  }
  for (; i < columns; i++) {
    for (let j = i; j < columns; j++) {
      let sum = out[i * columns + j]!
      for (let row = 0, l = leftAt + i, r = rightAt + j; row < count; row++, l += columns, r += columns) {
        sum += left[l]! * right[r]!
      }
      out[i * columns + j] = sum
    }
  }
}

function tile4x4(
  left: Float64Array,
  right: Float64Array,
  count: number,
  columns: number,
  out: Float64Array,
  i: number,
  j: number,
  leftAt: number,
  rightAt: number,
): void {
  const o0 = i * columns + j,
    o1 = o0 + columns,
    o2 = o1 + columns,
    o3 = o2 + columns
  let s00 = out[o0]!,
    s01 = out[o0 + 1]!,
    s02 = out[o0 + 2]!,
    s03 = out[o0 + 3]!
  let s10 = out[o1]!,
    s11 = out[o1 + 1]!,
    s12 = out[o1 + 2]!,
    s13 = out[o1 + 3]!
  let s20 = out[o2]!,
    s21 = out[o2 + 1]!,
    s22 = out[o2 + 2]!,
    s23 = out[o2 + 3]!
  let s30 = out[o3]!,
    s31 = out[o3 + 1]!,
    s32 = out[o3 + 2]!,
    s33 = out[o3 + 3]!
  for (let row = 0, l = leftAt + i, r = rightAt + j; row < count; row++, l += columns, r += columns) {
    const r0 = right[r]!,
      r1 = right[r + 1]!,
      r2 = right[r + 2]!,
      r3 = right[r + 3]!
    const l0 = left[l]!
    s00 += l0 * r0
    s01 += l0 * r1
    s02 += l0 * r2
    s03 += l0 * r3
    const l1 = left[l + 1]!
    s10 += l1 * r0
    s11 += l1 * r1
    s12 += l1 * r2
    s13 += l1 * r3
    const l2 = left[l + 2]!
    s20 += l2 * r0
    s21 += l2 * r1
    s22 += l2 * r2
    s23 += l2 * r3
    const l3 = left[l + 3]!
    s30 += l3 * r0
    s31 += l3 * r1
    s32 += l3 * r2
    s33 += l3 * r3
  }
  out[o0] = s00
  out[o0 + 1] = s01
  out[o0 + 2] = s02
  out[o0 + 3] = s03
  out[o1 + 1] = s11
  out[o1 + 2] = s12
  out[o1 + 3] = s13
  out[o2 + 2] = s22
  out[o2 + 3] = s23
  out[o3 + 3] = s33
  if (j === i) return
  out[o1] = s10
  out[o2] = s20
  out[o2 + 1] = s21
  out[o3] = s30
  out[o3 + 1] = s31
  out[o3 + 2] = s32
}

function tile4x1(
  left: Float64Array,
  right: Float64Array,
  count: number,
  columns: number,
  out: Float64Array,
  i: number,
  j: number,
  leftAt: number,
  rightAt: number,
): void {
  const o = i * columns + j
  let s0 = out[o]!,
    s1 = out[o + columns]!,
    s2 = out[o + 2 * columns]!,
    s3 = out[o + 3 * columns]!
  for (let row = 0, l = leftAt + i, r = rightAt + j; row < count; row++, l += columns, r += columns) {
    const value = right[r]!
    s0 += left[l]! * value
    s1 += left[l + 1]! * value
    s2 += left[l + 2]! * value
    s3 += left[l + 3]! * value
  }
  out[o] = s0
  out[o + columns] = s1
  out[o + 2 * columns] = s2
  out[o + 3 * columns] = s3
}
