// Laying out rows for the Gram kernel, in WebAssembly: from x (`columns` doubles a row), a factor and a target for each
// row
//   layOut(x, factors, targets, count, columns, out):  out[row] = [f, f x_1, ..., f x_columns, target], back to back
// with addresses in bytes. Two columns are multiplied at a time; what the last pair reaches beyond a row is written
// over.

import {
  ADD,
  advance,
  type Code,
  constant,
  countDown,
  get,
  type Kernel,
  LESS,
  load,
  loadDouble,
  loadSplat,
  MULTIPLY_DOUBLES,
  repeat,
  SHIFT_LEFT,
  SUBTRACT,
  set,
  store,
  storeDouble,
} from './wasm-writer.js'

/** Parameters, then locals. */
const [x, factors, targets, count, columns, out] = [0, 1, 2, 3, 4, 5]
const [k, end] = [6, 7]
const factor = 8

const body: Code = repeat([
  ...[...get(factors), ...loadSplat(), ...set(factor)],
  ...[...get(out), ...get(factors), ...loadDouble(), ...storeDouble()],
  ...[...get(x), ...set(k)],
  ...[...get(x), ...get(columns), ...constant(3), ...SHIFT_LEFT, ...ADD, ...set(end)],
  ...advance(out, constant(8)),
  ...repeat([
    ...[...get(out), ...get(k), ...load(), ...get(factor), ...MULTIPLY_DOUBLES, ...store()],
    ...advance(out, constant(16)),
    ...advance(k, constant(16)),
    ...[...get(k), ...get(end), ...LESS],
  ]),
  // k has gone beyond the row by as much as `out` has.
  ...[...get(out), ...get(end), ...ADD, ...get(k), ...SUBTRACT, ...set(out)],
  ...[...get(out), ...get(targets), ...loadDouble(), ...storeDouble()],
  ...advance(out, constant(8)),
  ...[...get(end), ...set(x)],
  ...advance(factors, constant(8)),
  ...advance(targets, constant(8)),
  ...countDown(count),
])

export const layOutKernel: Kernel = { name: 'layOut', parameters: 6, integers: 2, vectors: 1, body }
