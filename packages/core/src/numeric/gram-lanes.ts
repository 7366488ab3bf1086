// The Gram kernel in two lanes, where the machine has them: rows are copied in chunks into the memory of the WebAssembly module
// of gram-module.ts, padded to a multiple of four columns. Without WebAssembly (or where a page may not compile any) there is
// none, and gram.ts does the work itself; the bits are the same.

import { gramModule } from './gram-module.js'

interface GramExports {
  readonly add: (left: number, right: number, count: number, stride: number, out: number) => void
  readonly memory: { readonly buffer: ArrayBuffer; readonly grow: (pages: number) => number }
}

/** What is used of the global `WebAssembly`, which plain ECMAScript typings do not have. */
interface Compiler {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Instance: new (module: object) => { readonly exports: unknown }
}

const PAGE = 65_536
/** Rows of a chunk: with the wide bases two chunks stay in the second cache. */
const CHUNK = 64

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
  const compiler = (globalThis as { readonly WebAssembly?: Compiler }).WebAssembly
  if (compiler === undefined) return null
  let exports: GramExports
  try {
    exports = new compiler.Instance(new compiler.Module(gramModule())).exports as GramExports
  } catch {
    return null
  }
  return addIn(exports)
}

function addIn({ add, memory }: GramExports): AddGram {
  let cells = new Float64Array(memory.buffer)
  return (left, right, count, columns, out, leftAt, rightAt) => {
    const width = 4 * Math.ceil(columns / 4)
    const same = left === right && leftAt === rightAt
    // In doubles: left rows, right rows, sums.
    const rightCells = same ? 0 : CHUNK * width
    const outCells = rightCells + CHUNK * width
    const needed = 8 * (outCells + width * width)
    if (needed > memory.buffer.byteLength) {
      memory.grow(Math.ceil((needed - memory.buffer.byteLength) / PAGE))
      cells = new Float64Array(memory.buffer)
    }
    for (let i = 0; i < columns; i++) {
      for (let j = i, from = i * columns, to = outCells + i * width; j < columns; j++) cells[to + j] = out[from + j]!
    }
    for (let first = 0; first < count; first += CHUNK) {
      const rows = Math.min(CHUNK, count - first)
      copyRows(left, leftAt + first * columns, rows, columns, cells, 0, width)
      if (!same) copyRows(right, rightAt + first * columns, rows, columns, cells, rightCells, width)
      add(0, 8 * rightCells, rows, 8 * width, 8 * outCells)
    }
    for (let i = 0; i < columns; i++) {
      for (let j = i, to = i * columns, from = outCells + i * width; j < columns; j++) out[to + j] = cells[from + j]!
    }
  }
}

function copyRows(
  rows: Float64Array,
  at: number,
  count: number,
  columns: number,
  cells: Float64Array,
  to: number,
  width: number,
): void {
  for (let row = 0, from = at, next = to; row < count; row++, next += width) {
    for (let k = 0; k < columns; k++) cells[next + k] = rows[from++]!
    // What stands here only meets itself; zeros are fast.
    for (let k = columns; k < width; k++) cells[next + k] = 0
  }
}
