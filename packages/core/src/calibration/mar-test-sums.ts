// Sums over missing rows behind the test for missing at random: S, P, C_k, D and the first term of V of missing-at-random.ts, in its words.
// Whatever is wide goes through the Gram kernel.

import { addRows, addWeightedRows, emptySums, type Sums, simdScratch } from '@primo/numeric'
import { MISSING_ROWS, type MissingRows } from './missing-rows.js'

export interface TestSums {
  readonly q: number
  readonly width: number
  readonly columns: number
  missing: number
  information: number
  /** S and P. */
  readonly sum: Float64Array
  readonly explained: Float64Array
  /** The first term of V, lower triangle. */
  readonly variance: Float64Array
  /** sum slope^2 B B', of which D has the first rows; summing all of it in lanes is faster than those alone. */
  readonly d: Sums
  /** By action, sums of [slope b, phi] of which C_k is a part, and rows that wait until there are enough for the Gram kernel. */
  readonly c: readonly Sums[]
  readonly waiting: Float64Array
  readonly counts: Int32Array
  /** Scratch space, by row. */
  readonly scores: Float64Array
  readonly weights: Float64Array
  readonly weighted: Float64Array
}

/** One test is made at a time. */
const cells = simdScratch()

export function testSums(q: number, width: number, columns: number, actions: number): TestSums {
  return {
    q,
    width,
    columns,
    missing: 0,
    information: 0,
    sum: new Float64Array(q),
    explained: new Float64Array(q),
    variance: new Float64Array(q * q),
    d: emptySums(width - 1),
    c: Array.from({ length: actions }, () => emptySums(q + columns - 1)),
    waiting: cells(actions * MISSING_ROWS * (q + columns)),
    counts: new Int32Array(actions),
    scores: new Float64Array(MISSING_ROWS),
    weights: new Float64Array(MISSING_ROWS),
    weighted: new Float64Array(MISSING_ROWS * width),
  }
}

export function addToTest(
  sums: TestSums,
  { count, reward, action, b }: MissingRows,
  slopes: Float64Array,
  values: Float64Array,
  otherValues: Float64Array,
  features: Float64Array,
): void {
  const { q, width, columns, sum, explained, variance, d, waiting, counts, scores, weights, weighted } = sums
  for (let row = 0; row < count; row++) {
    const slope = slopes[row]!
    scores[row] = slope * (reward[row]! - values[row]!)
    weights[row] = slope * (values[row]! - otherValues[row]!)
    sums.information += slope * slope
  }
  addWeightedRows(b, count, width, scores, q, sum)
  addWeightedRows(b, count, width, weights, q, explained)
  for (let j = 0; j < q; j++) {
    for (let row = 0; row < count; row++) weights[row] = scores[row]! * scores[row]! * b[row * width + j]!
    addWeightedRows(b, count, width, weights, j + 1, variance.subarray(j * q, (j + 1) * q))
  }
  for (let row = 0; row < count; row++) weights[row] = slopes[row]! * slopes[row]!
  addRows(d, b, 0, count, weights, 0, weighted)
  for (let row = 0; row < count; row++) {
    const a = action[row]!
    const to = (a * MISSING_ROWS + counts[a]!) * (q + columns)
    for (let j = 0; j < q; j++) waiting[to + j] = slopes[row]! * b[row * width + j]!
    for (let k = 0; k < columns; k++) waiting[to + q + k] = features[row * columns + k]!
    counts[a] = counts[a]! + 1
    if (counts[a] === MISSING_ROWS) takeIn(sums, a)
  }
  sums.missing += count
}

/** Sums the rows of an action that wait. */
function takeIn({ q, columns, c, waiting, counts }: TestSums, a: number): void {
  addRows(c[a]!, waiting, a * MISSING_ROWS * (q + columns), counts[a]!, null, 0, waiting)
  counts[a] = 0
}

/** D, row-major. */
export function correctionProducts({ q, width, d }: TestSums): Float64Array {
  const made = new Float64Array(q * width)
  for (let j = 0, to = 0; j < q; j++)
    for (let k = 0; k < width; k++) made[to++] = d.gram[Math.min(j, k) * width + Math.max(j, k)]!
  return made
}

/** C_k, row-major. */
export function actionProducts(sums: TestSums, a: number): Float64Array {
  const { q, columns, c } = sums
  takeIn(sums, a)
  const { gram } = c[a]!
  const made = new Float64Array(q * columns)
  for (let j = 0, to = 0; j < q; j++) for (let k = 0; k < columns; k++) made[to++] = gram[j * (q + columns) + q + k]!
  return made
}
