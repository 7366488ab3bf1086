// The Gram kernel in two lanes, where the machine has them: rows are copied in chunks into the memory of the WebAssembly module
// of gram-module.ts. Without it there is none, and gram.ts does the work itself; the bits are the same.

import { gramModule } from './gram-module.js'
import { type WasmInstance, wasmInstance } from './wasm-instance.js'

interface GramKernel {
  readonly add: (left: number, right: number, count: number, stride: number, width: number, out: number) => void
}

/** Doubles of a chunk of rows, so that two of them stay in a near cache; and its rows, at least and at most. */
const CHUNK_CELLS = 2048
const FEWEST_ROWS = 64
const MOST_ROWS = 512
/** What a tile reaches beyond the last row. */
const SLACK = 4

export type AddGram = (
  left: Float64Array,
  right: Float64Array,
  count: number,
  columns: number,
  out: Float64Array,
  leftAt: number,
  rightAt: number,
) => void

/** null: this machine has none. */
export function gramInLanes(): AddGram | null {
  const instance = wasmInstance<GramKernel>(gramModule)
  return instance === null ? null : addIn(instance)
}

function addIn({ kernels: { add }, cells: cellsFor }: WasmInstance<GramKernel>): AddGram {
  return (left, right, count, columns, out, leftAt, rightAt) => {
    if (count === 0) return
    const width = 2 * Math.ceil(columns / 2)
    const same = left === right && leftAt === rightAt
    const chunk = Math.min(count, MOST_ROWS, Math.max(FEWEST_ROWS, Math.floor(CHUNK_CELLS / columns)))
    // In doubles: left rows, right rows, sums; each an even number.
    const room = 2 * Math.ceil((chunk * columns + SLACK) / 2)
    const rightCells = same ? 0 : room
    const outCells = rightCells + room
    const cells = cellsFor(outCells + 4 * Math.ceil(columns / 4) * width)
    for (let i = 0; i < columns; i++) {
      for (let j = i, from = i * columns, to = outCells + i * width; j < columns; j++) cells[to + j] = out[from + j]!
    }
    for (let first = 0; first < count; first += chunk) {
      const rows = Math.min(chunk, count - first)
      copyRows(left, leftAt + first * columns, rows * columns, cells, 0)
      if (!same) copyRows(right, rightAt + first * columns, rows * columns, cells, rightCells)
      add(0, 8 * rightCells, rows, 8 * columns, 8 * width, 8 * outCells)
    }
    for (let i = 0; i < columns; i++) {
      for (let j = i, to = i * columns, from = outCells + i * width; j < columns; j++) out[to + j] = cells[from + j]!
    }
  }
}

function copyRows(rows: Float64Array, at: number, length: number, cells: Float64Array, to: number): void {
  cells.set(rows.subarray(at, at + length), to)
}
