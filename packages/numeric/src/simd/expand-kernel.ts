// The columns of the rich correction basis in WebAssembly, for `count` rows: from x (`width` bytes of doubles a row)
// and z (`numeric` bytes a row: its numeric columns; x itself where all are)
//   expand(x, width, z, numeric, count, runs, out, stride):
//   out[row] = [1, x, (z_j^2 - 1/3, z_j^3 - 3/5 z_j) for each j, sin(pi z_j) for each j, x_i x_k for each i and each
//     k from run i on]
// with addresses in bytes, `stride` from row to row of `out`; runs[i], a 32-bit number, says how many bytes from x the
// first partner of column i stands. Two columns at a time; what the last pair of a part reaches beyond it is written
// over by what follows, so one or two doubles behind the last row must be free. The bits are those of
// correction-basis.ts.

import { ROUNDER, SINE_COEFFICIENTS } from './sine-of-pi.js'
import {
  ADD,
  ADD_DOUBLES,
  advance,
  type Code,
  constant,
  countDown,
  doubles,
  FIRST_DOUBLES,
  get,
  type Kernel,
  LESS,
  load,
  loadInteger,
  loadSplat,
  MULTIPLY_DOUBLES,
  repeat,
  SECOND_DOUBLES,
  SUBTRACT,
  SUBTRACT_DOUBLES,
  set,
  store,
  when,
} from './wasm-writer.js'

/** Parameters, then locals: whole numbers, then vectors. */
const [x, width, z, numeric, count, runs, out, stride] = [0, 1, 2, 3, 4, 5, 6, 7]
const [o, k, partner, run, xEnd, zEnd] = [8, 9, 10, 11, 12, 13]
const [value, square, cube, near, part, sum] = [14, 15, 16, 17, 18, 19]

/** Goes back by what the last pair reached beyond `end`, `times` as much in `out`. */
const stepBack = (from: number, end: number, times: number): Code =>
  Array.from({ length: times }, () => [
    ...[...get(o), ...get(end), ...ADD, ...get(from), ...SUBTRACT, ...set(o)],
  ]).flat()

const rounded = (code: Code): Code => [
  ...code,
  ...[...doubles(ROUNDER), ...ADD_DOUBLES],
  ...[...doubles(ROUNDER), ...SUBTRACT_DOUBLES],
]

const linear: Code = [
  ...[...get(out), ...doubles(1), ...store()],
  ...[...get(out), ...constant(8), ...ADD, ...set(o)],
  ...[...get(x), ...set(k)],
  ...repeat([
    ...[...get(o), ...get(k), ...load(), ...store()],
    ...advance(o, constant(16)),
    ...advance(k, constant(16)),
    ...[...get(k), ...get(xEnd), ...LESS],
  ]),
  ...stepBack(k, xEnd, 1),
]

const cubic: Code = [
  ...[...get(z), ...set(k)],
  ...repeat([
    ...[...get(k), ...load(), ...set(value)],
    ...[...get(value), ...get(value), ...MULTIPLY_DOUBLES, ...set(square)],
    ...[...get(square), ...get(value), ...MULTIPLY_DOUBLES],
    ...[...doubles(0.6), ...get(value), ...MULTIPLY_DOUBLES, ...SUBTRACT_DOUBLES, ...set(cube)],
    ...[...get(square), ...doubles(1 / 3), ...SUBTRACT_DOUBLES, ...set(square)],
    ...[...get(o), ...get(square), ...get(cube), ...FIRST_DOUBLES, ...store()],
    ...[...get(o), ...get(square), ...get(cube), ...SECOND_DOUBLES, ...store(16)],
    ...advance(o, constant(32)),
    ...advance(k, constant(16)),
    ...[...get(k), ...get(zEnd), ...LESS],
  ]),
  ...stepBack(k, zEnd, 2),
]

/** sineOfPi, step by step. */
const sines: Code = [
  ...[...get(z), ...set(k)],
  ...repeat([
    ...[...get(k), ...load(), ...set(value)],
    ...[...rounded(get(value)), ...set(near)],
    ...[...get(value), ...get(near), ...SUBTRACT_DOUBLES, ...set(value)],
    ...[...rounded([...doubles(0.5), ...get(near), ...MULTIPLY_DOUBLES]), ...set(part)],
    ...[...get(near), ...get(part), ...get(part), ...ADD_DOUBLES, ...SUBTRACT_DOUBLES, ...set(part)],
    ...[...get(part), ...get(part), ...MULTIPLY_DOUBLES, ...set(part)],
    ...[...get(value), ...get(value), ...MULTIPLY_DOUBLES, ...set(square)],
    ...[...doubles(SINE_COEFFICIENTS.at(-1)!), ...set(sum)],
    ...SINE_COEFFICIENTS.slice(0, -1)
      .reverse()
      .flatMap((coefficient) => [
        ...[...get(sum), ...get(square), ...MULTIPLY_DOUBLES],
        ...[...doubles(coefficient), ...ADD_DOUBLES, ...set(sum)],
      ]),
    ...[...get(o), ...get(value), ...get(sum), ...MULTIPLY_DOUBLES],
    ...[...doubles(1), ...get(part), ...get(part), ...ADD_DOUBLES, ...SUBTRACT_DOUBLES],
    ...[...MULTIPLY_DOUBLES, ...store()],
    ...advance(o, constant(16)),
    ...advance(k, constant(16)),
    ...[...get(k), ...get(zEnd), ...LESS],
  ]),
  ...stepBack(k, zEnd, 1),
]

const products: Code = [
  ...[...get(x), ...set(k)],
  ...[...get(runs), ...set(run)],
  ...repeat([
    ...[...get(x), ...get(run), ...loadInteger(), ...ADD, ...set(partner)],
    ...[...get(partner), ...get(xEnd), ...LESS],
    ...when([
      ...[...get(k), ...loadSplat(), ...set(value)],
      ...repeat([
        ...[...get(o), ...get(value), ...get(partner), ...load(), ...MULTIPLY_DOUBLES, ...store()],
        ...advance(o, constant(16)),
        ...advance(partner, constant(16)),
        ...[...get(partner), ...get(xEnd), ...LESS],
      ]),
      ...stepBack(partner, xEnd, 1),
    ]),
    ...advance(run, constant(4)),
    ...advance(k, constant(8)),
    ...[...get(k), ...get(xEnd), ...LESS],
  ]),
]

const body: Code = repeat([
  ...[...get(x), ...get(width), ...ADD, ...set(xEnd)],
  ...[...get(z), ...get(numeric), ...ADD, ...set(zEnd)],
  ...linear,
  ...cubic,
  ...sines,
  ...products,
  ...[...get(xEnd), ...set(x)],
  ...[...get(zEnd), ...set(z)],
  ...advance(out, get(stride)),
  ...countDown(count),
])

export const expandKernel: Kernel = { name: 'expand', parameters: 8, integers: 6, vectors: 6, body }
