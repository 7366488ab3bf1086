// A few words of WebAssembly, enough to write kernels in two lanes of doubles: a kernel is a list of bytes made by
// these functions, and `wasmModule` puts kernels and a memory into a module. Nothing needs to be built or loaded.

export type Code = readonly number[]

export const get = (local: number): Code => [0x20, local]
export const set = (local: number): Code => [0x21, local]
/** Signed LEB128; one byte is enough for -64 to 63. */
export const constant = (value: number): Code => {
  if (value >= -64 && value < 64) return [0x41, value & 127]
  return [0x41, (value & 127) | 128, (value >> 7) & 127]
}
export const ADD: Code = [0x6a]
export const SUBTRACT: Code = [0x6b]
export const LESS: Code = [0x49]
export const SHIFT_LEFT: Code = [0x74]
export const ZERO_DOUBLES: Code = [0xfd, 0x0c, ...new Array<number>(16).fill(0)]
export const ADD_DOUBLES: Code = [0xfd, 0xf0, 0x01]
export const SUBTRACT_DOUBLES: Code = [0xfd, 0xf1, 0x01]
export const MULTIPLY_DOUBLES: Code = [0xfd, 0xf2, 0x01]
export const DIVIDE_DOUBLES: Code = [0xfd, 0xf3, 0x01]

/** The same number in both lanes. */
export const doubles = (value: number): Code => {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setFloat64(0, value, true)
  return [0xfd, 0x0c, ...bytes, ...bytes]
}
const lanes = (first: number): Code => Array.from({ length: 8 }, (_, k) => first + k)
/** Of two vectors the first lanes, side by side, or the second ones. */
export const FIRST_DOUBLES: Code = [0xfd, 0x0d, ...lanes(0), ...lanes(16)]
export const SECOND_DOUBLES: Code = [0xfd, 0x0d, ...lanes(8), ...lanes(24)]

/** The address is on the stack; `offset` is in bytes, below 128. */
export const load = (offset = 0): Code => [0xfd, 0x00, 3, offset]
export const loadSplat = (offset = 0): Code => [0xfd, 0x0a, 3, offset]
export const store = (offset = 0): Code => [0xfd, 0x0b, 3, offset]
/** A whole number of 32 bits. */
export const loadInteger = (offset = 0): Code => [0x28, 2, offset]
/** One double. */
export const loadDouble = (offset = 0): Code => [0x2b, 3, offset]
export const storeDouble = (offset = 0): Code => [0x39, 3, offset]

/** Repeats `body` while the value it leaves on the stack is not zero. */
export const repeat = (body: Code): Code => [0x03, 0x40, ...body, 0x0d, 0, 0x0b]
/** Runs `body` when the value on the stack is not zero. */
export const when = (body: Code): Code => [0x04, 0x40, ...body, 0x0b]
export const advance = (local: number, by: Code): Code => [...get(local), ...by, ...ADD, ...set(local)]
/** Takes one from the local and leaves it on the stack. */
export const countDown = (local: number): Code => [...get(local), ...constant(1), ...SUBTRACT, 0x22, local]

/** A kernel: its parameters are whole numbers (addresses and sizes), then come its locals. */
export interface Kernel {
  readonly name: string
  readonly parameters: number
  readonly integers: number
  readonly vectors: number
  readonly body: Code
}

const I32 = 0x7f
const V128 = 0x7b

/** Unsigned LEB128. */
function length(value: number): Code {
  return value < 128 ? [value] : [(value & 127) | 128, ...length(value >> 7)]
}

function section(id: number, entries: readonly Code[]): Code {
  const content = [...length(entries.length), ...entries.flat()]
  return [id, ...length(content.length), ...content]
}

const text = (name: string): Code => [name.length, ...Array.from(name, (letter) => letter.charCodeAt(0))]

/** The bytes of a module that exports its kernels by name, and `memory`, one page of 65,536 bytes at first. */
export function wasmModule(kernels: readonly Kernel[]): Uint8Array {
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(
      1,
      kernels.map(({ parameters }) => [0x60, parameters, ...new Array<number>(parameters).fill(I32), 0]),
    ),
    ...section(
      3,
      kernels.map((_, index) => [index]),
    ),
    ...section(5, [[0x00, 1]]),
    ...section(7, [...kernels.map(({ name }, index) => [...text(name), 0x00, index]), [...text('memory'), 0x02, 0]]),
    ...section(
      10,
      kernels.map(({ integers, vectors, body }) => {
        const code = [2, integers, I32, vectors, V128, ...body, 0x0b]
        return [...length(code.length), ...code]
      }),
    ),
  ])
}
