// The Gram kernel in two lanes, where the machine has them. Rows that stand in an array of `simdArray` are summed where
// they are; others are copied in chunks into the memory of the WebAssembly module of gram-module.ts. Without
// WebAssembly there is none, and gram.ts does the work itself; the bits are the same.

import { gramModule } from './gram-module.js'
import { type WasmInstance, wasmInstance } from './wasm-instance.js'

interface GramKernel {
  readonly layOut: (x: number, factors: number, targets: number, count: number, columns: number, out: number) => void
  readonly add: (
    left: number,
    right: number,
    count: number,
    stride: number,
    width: number,
    out: number,
    apart: number,
  ) => void
  readonly scale: (rows: number, weights: number, count: number, width: number, out: number) => void
}

/** Doubles of a chunk of rows, so that two of them stay in a near cache; and its rows, at least and at most. */
const CHUNK_CELLS = 4096
const FEWEST_ROWS = 64
const MAX_ROWS = 512
/** Doubles that a tile reads beyond the last row. */
const SLACK = 4
/**
 * Room for sums and for a chunk of rows in front of the rows of a simdArray; wider rows are copied. Free between two
 * calls.
 */
export const SUM_CELLS = 16_384

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
export function gramWithSimd(): AddGram | null {
  const copies = wasmInstance<GramKernel>(gramModule)
  if (copies === null) return null
  return (left, right, count, columns, out, leftAt, rightAt) => {
    if (count === 0) return
    const there = left.buffer === right.buffer && sumCells(columns) <= SUM_CELLS ? resident.get(left.buffer) : undefined
    if (there !== undefined) addInPlace(there, left, right, count, columns, out, leftAt, rightAt)
    else addCopied(copies, left, right, count, columns, out, leftAt, rightAt)
  }
}

const resident = new WeakMap<ArrayBufferLike, WasmInstance<GramKernel>>()

/** The kernels that work on the memory of a simdArray; undefined: an ordinary array's. */
export function residentKernels(buffer: ArrayBufferLike): WasmInstance<GramKernel> | undefined {
  return resident.get(buffer)
}

/**
 * Zeros in linear memory of their own, so that Gram kernels need not copy them; without WebAssembly an ordinary array.
 */
export function simdArray(length: number): Float64Array {
  const instance = wasmInstance<GramKernel>(gramModule)
  if (instance === null) return new Float64Array(length)
  let cells: Float64Array
  try {
    cells = instance.cells(SUM_CELLS + length + SLACK)
  } catch {
    return new Float64Array(length)
  }
  resident.set(cells.buffer, instance)
  return cells.subarray(SUM_CELLS, SUM_CELLS + length)
}

/** Scratch space in linear memory that is used again from call to call. */
export function simdScratch(): (length: number) => Float64Array {
  let kept: Float64Array = new Float64Array(0)
  return (length) => {
    if (kept.length < length) kept = simdArray(length)
    return kept
  }
}

/** Doubles of the sums: whole tiles, rows of an even width. */
function sumCells(columns: number): number {
  return 8 * Math.ceil(columns / 4) * Math.ceil(columns / 2)
}

const evenWidth = (columns: number) => 2 * Math.ceil(columns / 2)

function takeUp(out: Float64Array, columns: number, cells: Float64Array, at: number): void {
  const width = evenWidth(columns)
  for (let i = 0; i < columns; i++) {
    for (let j = i, from = i * columns, to = at + i * width; j < columns; j++) cells[to + j] = out[from + j]!
  }
}

function putDown(cells: Float64Array, at: number, columns: number, out: Float64Array): void {
  const width = evenWidth(columns)
  for (let i = 0; i < columns; i++) {
    for (let j = i, to = i * columns, from = at + i * width; j < columns; j++) out[to + j] = cells[from + j]!
  }
}

function rowsOfChunk(count: number, columns: number): number {
  return Math.min(count, MAX_ROWS, Math.max(FEWEST_ROWS, Math.floor(CHUNK_CELLS / columns)))
}

function addInPlace(
  { kernels, cells: cellsFor }: WasmInstance<GramKernel>,
  ...[left, right, count, columns, out, leftAt, rightAt]: Parameters<AddGram>
): void {
  const cells = cellsFor(0)
  const chunk = rowsOfChunk(count, columns)
  const width = 8 * evenWidth(columns)
  takeUp(out, columns, cells, 0)
  for (let first = 0; first < count; first += chunk) {
    const l = left.byteOffset + 8 * (leftAt + first * columns)
    const r = right.byteOffset + 8 * (rightAt + first * columns)
    kernels.add(l, r, Math.min(chunk, count - first), 8 * columns, width, 0, width)
  }
  putDown(cells, 0, columns, out)
}

function addCopied(
  { kernels, cells: cellsFor }: WasmInstance<GramKernel>,
  ...[left, right, count, columns, out, leftAt, rightAt]: Parameters<AddGram>
): void {
  const same = left === right && leftAt === rightAt
  const chunk = rowsOfChunk(count, columns)
  const width = 8 * evenWidth(columns)
  // In doubles: sums, left rows, right rows; each an even number.
  const room = evenWidth(chunk * columns + SLACK)
  const leftCells = sumCells(columns)
  const rightCells = same ? leftCells : leftCells + room
  const cells = cellsFor(rightCells + room)
  takeUp(out, columns, cells, 0)
  for (let first = 0; first < count; first += chunk) {
    const rows = Math.min(chunk, count - first)
    copyRows(left, leftAt + first * columns, rows * columns, cells, leftCells)
    if (!same) copyRows(right, rightAt + first * columns, rows * columns, cells, rightCells)
    kernels.add(8 * leftCells, 8 * rightCells, rows, 8 * columns, width, 0, width)
  }
  putDown(cells, 0, columns, out)
}

export type AddScaledGram = (
  x: Float64Array,
  xAt: number,
  factors: Float64Array | null,
  targets: Float64Array,
  at: number,
  count: number,
  columns: number,
  out: Float64Array,
) => void

/** Adds the Gram matrix of rows [f, f x, target], which are laid out in linear memory; null: this machine has none. */
export function scaledGramWithSimd(): AddScaledGram | null {
  const copies = wasmInstance<GramKernel>(gramModule)
  if (copies === null) return null
  return (x, xAt, factors, targets, at, count, columns, out) => {
    const width = columns + 2
    const chunk = rowsOfChunk(count, width)
    const sumWidth = 8 * evenWidth(width)
    // In doubles: sums, rows, factors, targets, x; each an even number.
    const sums = sumCells(width)
    const factorCells = sums + evenWidth(chunk * width + SLACK)
    const targetCells = factorCells + evenWidth(chunk)
    const xCells = targetCells + evenWidth(chunk)
    const there = xCells <= SUM_CELLS ? resident.get(x.buffer) : undefined
    const { kernels, cells: cellsFor } = there ?? copies
    const cells = cellsFor(there === undefined ? xCells + chunk * columns + SLACK : 0)
    if (factors === null) cells.fill(1, factorCells, factorCells + chunk)
    takeUp(out, width, cells, 0)
    for (let first = 0; first < count; first += chunk) {
      const rows = Math.min(chunk, count - first)
      if (there === undefined) copyRows(x, xAt + first * columns, rows * columns, cells, xCells)
      const from = there === undefined ? 8 * xCells : x.byteOffset + 8 * (xAt + first * columns)
      if (factors !== null) copyRows(factors, at + first, rows, cells, factorCells)
      copyRows(targets, at + first, rows, cells, targetCells)
      kernels.layOut(from, 8 * factorCells, 8 * targetCells, rows, columns, 8 * sums)
      kernels.add(8 * sums, 8 * sums, rows, 8 * width, sumWidth, 0, sumWidth)
    }
    putDown(cells, 0, width, out)
  }
}

export type AddWeightedGram = (
  rows: Float64Array,
  at: number,
  weights: Float64Array,
  weightsAt: number,
  count: number,
  columns: number,
  out: Float64Array,
) => void

/** Adds X'WX, the rows being weighted in linear memory; null: this machine has none. */
export function weightedGramWithSimd(): AddWeightedGram | null {
  const copies = wasmInstance<GramKernel>(gramModule)
  if (copies === null) return null
  return (rows, at, weights, weightsAt, count, columns, out) => {
    if (count === 0) return
    const chunk = rowsOfChunk(count, columns)
    const width = 8 * evenWidth(columns)
    // In doubles: sums, weighted rows, weights, rows; each an even number.
    const leftCells = sumCells(columns)
    const room = evenWidth(chunk * columns + SLACK)
    const weightCells = leftCells + room
    const rightCells = weightCells + evenWidth(chunk)
    const there = rightCells <= SUM_CELLS ? resident.get(rows.buffer) : undefined
    const { kernels, cells: cellsFor } = there ?? copies
    const cells = cellsFor(there === undefined ? rightCells + room : 0)
    takeUp(out, columns, cells, 0)
    for (let first = 0; first < count; first += chunk) {
      const size = Math.min(chunk, count - first)
      const from = at + first * columns
      if (there === undefined) copyRows(rows, from, size * columns, cells, rightCells)
      copyRows(weights, weightsAt + first, size, cells, weightCells)
      const right = there === undefined ? 8 * rightCells : rows.byteOffset + 8 * from
      kernels.scale(right, 8 * weightCells, size, 8 * columns, 8 * leftCells)
      kernels.add(8 * leftCells, right, size, 8 * columns, width, 0, width)
    }
    putDown(cells, 0, columns, out)
  }
}

function copyRows(rows: Float64Array, at: number, length: number, cells: Float64Array, to: number): void {
  cells.set(rows.subarray(at, at + length), to)
}
