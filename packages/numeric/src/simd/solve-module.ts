// Solves with a Cholesky factor for eight right sides at once, in two lanes, as WebAssembly:
//   solve(lower, upper, row, x, first):  L L' x = b in place
// with L and U = L' row by row (`row` bytes each), entry i of the eight right sides side by side at x + 64 i, and all
// entries before the one at byte `first` of a row zero; `lower` is where that entry's row of L begins, `upper` where
// the last row of U does. Each right side is worked on as in cholesky.ts, forward in column order and backward from the
// last entry on, so the bits are the same.

import {
  ADD,
  advance,
  type Code,
  constant,
  DIVIDE_DOUBLES,
  get,
  LESS,
  load,
  loadSplat,
  MULTIPLY_DOUBLES,
  repeat,
  SHIFT_LEFT,
  SUBTRACT,
  SUBTRACT_DOUBLES,
  set,
  store,
  wasmModule,
  when,
} from './wasm-writer.js'

export const RIGHT_SIDES = 8

/** Parameters, then locals: whole numbers, then vectors. */
const [lower, upper, row, x, first] = [0, 1, 2, 3, 4]
/**
 * Where entry i stands in a row; the row; the entry of the matrix and the right sides it multiplies; the right sides of
 * entry i.
 */
const [place, own, at, from, to] = [5, 6, 7, 8, 9]
const value = 10
const SUMS = 11

const each = (code: (g: number) => Code): Code => [0, 1, 2, 3].flatMap(code)

const begin: Code = each((g) => [...get(to), ...load(16 * g), ...set(SUMS + g)])
/** sums -= matrix entry * right sides. */
const multiply: Code = [
  ...[...get(at), ...loadSplat(), ...set(value)],
  ...each((g) => [
    ...get(SUMS + g),
    ...[...get(value), ...get(from), ...load(16 * g), ...MULTIPLY_DOUBLES],
    ...[...SUBTRACT_DOUBLES, ...set(SUMS + g)],
  ]),
]
const divide: Code = [
  ...[...get(own), ...get(place), ...ADD, ...loadSplat(), ...set(value)],
  ...each((g) => [...get(to), ...get(SUMS + g), ...get(value), ...DIVIDE_DOUBLES, ...store(16 * g)]),
]
const sidesOf = (entry: Code): Code => [...get(x), ...entry, ...constant(3), ...SHIFT_LEFT, ...ADD]

const forward: Code = [
  ...[...get(first), ...set(place)],
  ...repeat([
    ...[...sidesOf(get(place)), ...set(to)],
    ...[...get(own), ...get(first), ...ADD, ...set(at)],
    ...[...sidesOf(get(first)), ...set(from)],
    ...begin,
    ...[...get(from), ...get(to), ...LESS],
    ...when(
      repeat([
        ...multiply,
        ...advance(at, constant(8)),
        ...advance(from, constant(64)),
        ...[...get(from), ...get(to), ...LESS],
      ]),
    ),
    ...divide,
    ...advance(own, get(row)),
    ...advance(place, constant(8)),
    ...[...get(place), ...get(row), ...LESS],
  ]),
]

const backward: Code = [
  ...[...get(row), ...constant(8), ...SUBTRACT, ...set(place)],
  ...repeat([
    ...[...sidesOf(get(place)), ...set(to)],
    ...[...get(own), ...get(row), ...ADD, ...constant(8), ...SUBTRACT, ...set(at)],
    ...[...sidesOf([...get(row), ...constant(8), ...SUBTRACT]), ...set(from)],
    ...begin,
    ...[...get(to), ...get(from), ...LESS],
    ...when(
      repeat([
        ...multiply,
        ...advance(at, constant(-8)),
        ...advance(from, constant(-64)),
        ...[...get(to), ...get(from), ...LESS],
      ]),
    ),
    ...divide,
    ...[...get(own), ...get(row), ...SUBTRACT, ...set(own)],
    ...advance(place, constant(-8)),
    // Until the place before the first one, which as an unsigned number is beyond the row.
    ...[...get(place), ...get(row), ...LESS],
  ]),
]

const body: Code = [...get(lower), ...set(own), ...forward, ...get(upper), ...set(own), ...backward]

/** The module's bytes; it exports `solve` and `memory`. */
export function solveModule(): Uint8Array {
  return wasmModule([{ name: 'solve', parameters: 5, integers: 5, vectors: 5, body }])
}
