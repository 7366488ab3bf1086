// Rows times their weights, in WebAssembly, for the Gram kernel's left side:
//   scale(rows, weights, count, width, out):  out[row] = weight * rows[row], `width` bytes a row, back to back
// with addresses in bytes. Two columns at a time; what the last pair reaches beyond a row is written over by the next,
// so one double behind the last row must be free.

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
  loadSplat,
  MULTIPLY_DOUBLES,
  repeat,
  SUBTRACT,
  set,
  store,
} from './wasm-writer.js'

/** Parameters, then locals. */
const [rows, weights, count, width, out] = [0, 1, 2, 3, 4]
const [k, end] = [5, 6]
const weight = 7

const body: Code = repeat([
  ...[...get(weights), ...loadSplat(), ...set(weight)],
  ...[...get(rows), ...set(k)],
  ...[...get(rows), ...get(width), ...ADD, ...set(end)],
  ...repeat([
    ...[...get(out), ...get(weight), ...get(k), ...load(), ...MULTIPLY_DOUBLES, ...store()],
    ...advance(out, constant(16)),
    ...advance(k, constant(16)),
    ...[...get(k), ...get(end), ...LESS],
  ]),
  // k has gone beyond the row by as much as `out` has.
  ...[...get(out), ...get(end), ...ADD, ...get(k), ...SUBTRACT, ...set(out)],
  ...[...get(end), ...set(rows)],
  ...advance(weights, constant(8)),
  ...countDown(count),
])

export const scaleKernel: Kernel = { name: 'scale', parameters: 5, integers: 2, vectors: 1, body }
