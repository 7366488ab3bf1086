// The Gram kernel as a WebAssembly module with two lanes over columns, assembled here byte by byte so that nothing needs to be
// built or loaded. Its one function is
//   add(left, right, count, stride, out):  out[i][j] += sum over rows of left[row][i] * right[row][j]  for 4 x 4 tiles with j >= i
// where addresses and `stride` are in bytes, and a row has stride / 8 columns, a multiple of 4. A tile's sixteen sums stay in
// registers while `count` rows pass; each entry is multiplied and added in row order as doubles, so the bits are those of gram.ts.

const I32 = 0x7f
const V128 = 0x7b

/** Parameters, then locals: whole numbers, then vectors. */
const [left, right, count, stride, out] = [0, 1, 2, 3, 4]
const [i, j, l, r, n, row, o0, o1, o2, o3] = [5, 6, 7, 8, 9, 10, 11, 12, 13, 14]
const SUMS = 15
const [right0, right1, splat] = [23, 24, 25]

const get = (local: number) => [0x20, local]
const set = (local: number) => [0x21, local]
/** Signed LEB128; one byte is enough for -64 to 63. */
const constant = (value: number) => [0x41, value]
const ADD = [0x6a]
const SUBTRACT = [0x6b]
const LESS = [0x49]
const SHIFT_LEFT = [0x74]
/** The address is on the stack; `offset` is in bytes. */
const load = (offset: number) => [0xfd, 0x00, 3, offset]
const loadSplat = (offset: number) => [0xfd, 0x0a, 3, offset]
const store = (offset: number) => [0xfd, 0x0b, 3, offset]
const ADD_DOUBLES = [0xfd, 0xf0, 0x01]
const MULTIPLY_DOUBLES = [0xfd, 0xf2, 0x01]
/** Repeats `body` while the value it leaves on the stack is not zero. */
const repeat = (body: readonly number[]) => [0x03, 0x40, ...body, 0x0d, 0, 0x0b]
const advance = (local: number, by: readonly number[]) => [...get(local), ...by, ...ADD, ...set(local)]

const outRows = [o0, o1, o2, o3]
const sumOf = (a: number, half: number) => SUMS + 2 * a + half

function bodyOf(): readonly number[] {
  const takeUp = outRows.flatMap((o, a) =>
    [0, 1].flatMap((half) => [...get(o), ...load(16 * half), ...set(sumOf(a, half))]),
  )
  const putDown = outRows.flatMap((o, a) =>
    [0, 1].flatMap((half) => [...get(o), ...get(sumOf(a, half)), ...store(16 * half)]),
  )
  const multiply = [0, 1, 2, 3].flatMap((a) => [
    ...get(l),
    ...loadSplat(8 * a),
    ...set(splat),
    ...[right0, right1].flatMap((value, half) => [
      ...get(sumOf(a, half)),
      ...get(splat),
      ...get(value),
      ...MULTIPLY_DOUBLES,
      ...ADD_DOUBLES,
      ...set(sumOf(a, half)),
    ]),
  ])
  const overRows = repeat([
    ...get(r),
    ...load(0),
    ...set(right0),
    ...get(r),
    ...load(16),
    ...set(right1),
    ...multiply,
    ...advance(l, get(stride)),
    ...advance(r, get(stride)),
    ...get(n),
    ...constant(1),
    ...SUBTRACT,
    ...set(n),
    ...get(n),
  ])
  const overColumns = repeat([
    ...get(row),
    ...get(j),
    ...ADD,
    ...set(o0),
    ...[o1, o2, o3].flatMap((o) => [...get(o - 1), ...get(stride), ...ADD, ...set(o)]),
    ...takeUp,
    ...get(left),
    ...get(i),
    ...ADD,
    ...set(l),
    ...get(right),
    ...get(j),
    ...ADD,
    ...set(r),
    ...get(count),
    ...set(n),
    ...overRows,
    ...putDown,
    ...advance(j, constant(32)),
    ...get(j),
    ...get(stride),
    ...LESS,
  ])
  return [
    ...get(out),
    ...set(row),
    ...repeat([
      ...get(i),
      ...set(j),
      ...overColumns,
      ...advance(row, [...get(stride), ...constant(2), ...SHIFT_LEFT]),
      ...advance(i, constant(32)),
      ...get(i),
      ...get(stride),
      ...LESS,
    ]),
  ]
}

/** Unsigned LEB128. */
function length(value: number): readonly number[] {
  return value < 128 ? [value] : [(value & 127) | 128, ...length(value >> 7)]
}

function section(id: number, content: readonly number[]): readonly number[] {
  return [id, ...length(content.length), ...content]
}

const text = (name: string) => [name.length, ...Array.from(name, (letter) => letter.charCodeAt(0))]

/** The module's bytes; it exports `add` and `memory`. */
export function gramModule(): Uint8Array {
  // Two groups of locals: ten whole numbers, eleven vectors.
  const code = [2, 10, I32, 11, V128, ...bodyOf(), 0x0b]
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(1, [1, 0x60, 5, I32, I32, I32, I32, I32, 0]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0x00, 1]),
    ...section(7, [2, ...text('add'), 0x00, 0, ...text('memory'), 0x02, 0]),
    ...section(10, [1, ...length(code.length), ...code]),
  ])
}
