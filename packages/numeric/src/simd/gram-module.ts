// The Gram kernel as WebAssembly with two lanes over columns:
//   add(left, right, count, stride, width, out, apart):
//   out[i][j] += sum over rows of left[row][i] * right[row][j]  for tiles with j >= i
// with addresses in bytes, `stride` the bytes from row to row, `width` those of a row of `out` (an even number of
// doubles), `apart` those from one row of `out` to the next. Tiles have four rows and four columns, the last ones of a
// row perhaps two; what they reach beyond the columns is computed from whatever stands there and never read. A tile's
// sums stay in registers while `count` rows pass; each entry is multiplied and added in row order as doubles, so the
// bits are those of gram.ts.

import { layOutKernel } from './lay-out-kernel.js'
import { scaleKernel } from './scale-kernel.js'
import {
  ADD,
  ADD_DOUBLES,
  advance,
  type Code,
  constant,
  countDown,
  get,
  LESS,
  load,
  loadSplat,
  MULTIPLY_DOUBLES,
  repeat,
  SHIFT_LEFT,
  set,
  store,
  wasmModule,
  when,
} from './wasm-writer.js'

/** Parameters, then locals: whole numbers, then vectors. */
const [left, right, count, stride, width, out, apart] = [0, 1, 2, 3, 4, 5, 6]
const [i, j, l, r, n, row, o0, o1, o2, o3] = [7, 8, 9, 10, 11, 12, 13, 14, 15, 16]
const SUMS = 17
const [right0, right1, splat] = [25, 26, 27]

const outRows = [o0, o1, o2, o3]
const sumOf = (a: number, half: number) => SUMS + 2 * a + half

/** Four rows and 2 * halves columns of `out`, at i and j. */
function tile(halves: 1 | 2): Code {
  const parts = halves === 1 ? [0] : [0, 1]
  const rights = [right0, right1]
  const sums = (code: (o: number, a: number, half: number) => Code) =>
    outRows.flatMap((o, a) => parts.flatMap((half) => code(o, a, half)))
  const multiply = outRows.flatMap((_, a) => [
    ...[...get(l), ...loadSplat(8 * a), ...set(splat)],
    ...parts.flatMap((half) => [
      ...get(sumOf(a, half)),
      ...[...get(splat), ...get(rights[half]!), ...MULTIPLY_DOUBLES],
      ...ADD_DOUBLES,
      ...set(sumOf(a, half)),
    ]),
  ])
  const overRows = repeat([
    ...parts.flatMap((half) => [...get(r), ...load(16 * half), ...set(rights[half]!)]),
    ...multiply,
    ...advance(l, get(stride)),
    ...advance(r, get(stride)),
    ...countDown(n),
  ])
  return [
    ...[...get(row), ...get(j), ...ADD, ...set(o0)],
    ...[o1, o2, o3].flatMap((o) => [...get(o - 1), ...get(apart), ...ADD, ...set(o)]),
    ...sums((o, a, half) => [...get(o), ...load(16 * half), ...set(sumOf(a, half))]),
    ...[...get(left), ...get(i), ...ADD, ...set(l)],
    ...[...get(right), ...get(j), ...ADD, ...set(r)],
    ...[...get(count), ...set(n)],
    ...overRows,
    ...sums((o, a, half) => [...get(o), ...get(sumOf(a, half)), ...store(16 * half)]),
  ]
}

/** Whether four columns are left at j. */
const wide: Code = [...get(j), ...constant(16), ...ADD, ...get(width), ...LESS]

const body: Code = [
  ...[...get(out), ...set(row)],
  ...repeat([
    ...[...get(i), ...set(j)],
    ...wide,
    ...when(repeat([...tile(2), ...advance(j, constant(32)), ...wide])),
    ...[...get(j), ...get(width), ...LESS],
    ...when(tile(1)),
    ...advance(row, [...get(apart), ...constant(2), ...SHIFT_LEFT]),
    ...advance(i, constant(32)),
    ...[...get(i), ...get(width), ...LESS],
  ]),
]

/** The module's bytes; it exports `add`, `layOut`, `scale` and `memory`. */
export function gramModule(): Uint8Array {
  return wasmModule([{ name: 'add', parameters: 7, integers: 10, vectors: 11, body }, layOutKernel, scaleKernel])
}
