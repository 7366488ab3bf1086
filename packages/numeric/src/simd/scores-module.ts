// Scores and widths of many rows at once, in two lanes over actions, as WebAssembly. The actions of a group of 1 to 10
// have their numbers side by side, two to a vector (`vectors` of them, padded with a zero). For each of `count` rows
// phi (`columns` doubles each, back to back):
//   scores<vectors>(theta, phi, count, columns, out):   out[row][a] = sum_k theta[k][a] phi[k]
//   forms<vectors>(triangle, phi, count, columns, out): out[row][a] = sum_i phi[i] (m_ii phi[i] + 2 sum_{j > i} m_ij
//     phi[j])
// Addresses are in bytes. Each sum runs in column order, so the bits are those of linearScores and quadraticForms.

import {
  ADD,
  ADD_DOUBLES,
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
  SHIFT_LEFT,
  set,
  store,
  wasmModule,
  when,
  ZERO_DOUBLES,
} from './wasm-writer.js'

export const MAX_VECTORS = 5

/** Parameters and whole-number locals. */
const [matrix, phi, count, columns, out] = [0, 1, 2, 3, 4]
const [m, i, j, end] = [5, 6, 7, 8]
const VECTORS = 9

const each = (vectors: number, code: (index: number) => Code): Code =>
  Array.from({ length: vectors }, (_, index) => code(index)).flat()

function overRows(vectors: number, sum: number, body: Code): Code {
  return repeat([
    ...get(matrix),
    ...set(m),
    ...get(phi),
    ...set(i),
    ...[...get(phi), ...get(columns), ...constant(3), ...SHIFT_LEFT, ...ADD, ...set(end)],
    ...each(vectors, (g) => [...ZERO_DOUBLES, ...set(sum + g)]),
    ...body,
    ...each(vectors, (g) => [...get(out), ...get(sum + g), ...store(16 * g)]),
    ...[...get(end), ...set(phi)],
    ...advance(out, constant(16 * vectors)),
    ...countDown(count),
  ])
}

/** sum_g += m[g] * value. */
const multiplyAdd = (sum: number, value: number, g: number): Code => [
  ...get(sum + g),
  ...[...get(m), ...load(16 * g), ...get(value), ...MULTIPLY_DOUBLES],
  ...ADD_DOUBLES,
  ...set(sum + g),
]

function scores(vectors: number): Kernel {
  const sum = VECTORS
  const value = sum + vectors
  const body = repeat([
    ...[...get(i), ...loadSplat(), ...set(value)],
    ...each(vectors, (g) => multiplyAdd(sum, value, g)),
    ...advance(m, constant(16 * vectors)),
    ...advance(i, constant(8)),
    ...[...get(i), ...get(end), ...LESS],
  ])
  return {
    name: `scores${vectors}`,
    parameters: 5,
    integers: 4,
    vectors: vectors + 1,
    body: overRows(vectors, sum, body),
  }
}

function forms(vectors: number): Kernel {
  const sum = VECTORS
  const diagonal = sum + vectors
  const rest = diagonal + vectors
  const value = rest + vectors
  const other = value + 1
  const body = repeat([
    ...[...get(i), ...loadSplat(), ...set(value)],
    ...each(vectors, (g) => [
      ...[...get(m), ...load(16 * g), ...get(value), ...MULTIPLY_DOUBLES, ...set(diagonal + g)],
      ...[...ZERO_DOUBLES, ...set(rest + g)],
    ]),
    ...advance(m, constant(16 * vectors)),
    ...[...get(i), ...constant(8), ...ADD, ...set(j)],
    ...[...get(j), ...get(end), ...LESS],
    ...when(
      repeat([
        ...[...get(j), ...loadSplat(), ...set(other)],
        ...each(vectors, (g) => multiplyAdd(rest, other, g)),
        ...advance(m, constant(16 * vectors)),
        ...advance(j, constant(8)),
        ...[...get(j), ...get(end), ...LESS],
      ]),
    ),
    ...each(vectors, (g) => [
      ...get(sum + g),
      ...get(value),
      // Twice a number is the number added to itself, to the bit.
      ...[...get(diagonal + g), ...get(rest + g), ...get(rest + g), ...ADD_DOUBLES, ...ADD_DOUBLES],
      ...[...MULTIPLY_DOUBLES, ...ADD_DOUBLES, ...set(sum + g)],
    ]),
    ...advance(i, constant(8)),
    ...[...get(i), ...get(end), ...LESS],
  ])
  return {
    name: `forms${vectors}`,
    parameters: 5,
    integers: 4,
    vectors: 3 * vectors + 2,
    body: overRows(vectors, sum, body),
  }
}

/** The module's bytes: scores and forms for 1 to 5 vectors, and the memory. */
export function scoresModule(): Uint8Array {
  const kernels = Array.from({ length: MAX_VECTORS }, (_, index) => [scores(index + 1), forms(index + 1)])
  return wasmModule(kernels.flat())
}
