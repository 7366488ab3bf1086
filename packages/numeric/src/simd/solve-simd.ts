// The inverse of a matrix from its Cholesky factor, eight columns at a time in two lanes: a thin driver of
// solve-module.ts.

import { RIGHT_SIDES, solveModule } from './solve-module.js'
import { wasmInstance } from './wasm-instance.js'

interface SolveKernels {
  readonly solve: (lower: number, upper: number, row: number, x: number, first: number) => void
}

/** Below it copying outweighs the gain; above it the memory would grow beyond what is worth keeping. */
const FEWEST_ROWS = 8
const MAX_ROWS = 1024

const instance = wasmInstance<SolveKernels>(solveModule)

/** The full symmetric inverse of L L'; null: this machine has no SIMD, or they do not pay. */
export function invertWithSimd(lower: Float64Array, n: number): Float64Array | null {
  if (instance === null || n < FEWEST_ROWS || n > MAX_ROWS) return null
  // In doubles: L, U, the right sides.
  const square = n * n
  const sides = 2 * square
  const cells = instance.cells(sides + RIGHT_SIDES * n)
  cells.set(lower, 0)
  for (let i = 0; i < n; i++) {
    for (let j = i, to = square + i * n; j < n; j++) cells[to + j] = lower[j * n + i]!
  }
  const inverse = new Float64Array(square)
  const row = 8 * n
  const lastRow = 8 * (square + (n - 1) * n)
  for (let j = 0; j < n; j += RIGHT_SIDES) {
    const columns = Math.min(RIGHT_SIDES, n - j)
    cells.fill(0, sides, sides + RIGHT_SIDES * n)
    for (let c = 0; c < columns; c++) cells[sides + RIGHT_SIDES * (j + c) + c] = 1
    instance.kernels.solve(j * row, lastRow, row, 8 * sides, 8 * j)
    for (let c = 0; c < columns; c++) {
      for (let i = 0, at = j + c, from = sides + c; i <= at; i++, from += RIGHT_SIDES) {
        const value = cells[from]!
        inverse[i * n + at] = value
        inverse[at * n + i] = value
      }
    }
  }
  return inverse
}
