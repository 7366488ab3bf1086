// The few messages of an ONNX file (protobuf): a field is its number and wire type, then a varint (0), or a length and bytes (2).

const encoder = new TextEncoder()
/** Parts that are joined at the end. */
export type Message = readonly Uint8Array[]

/** Of a whole number >= 0. */
function varint(value: number): Uint8Array {
  if (value < 128) return Uint8Array.of(value)
  const bytes: number[] = []
  let left = value
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) | 128)
  bytes.push(left)
  return Uint8Array.from(bytes)
}

export const integer = (field: number, value: number): Message => [varint(field * 8), varint(value)]

export function bytes(field: number, value: Uint8Array): Message {
  return [varint(field * 8 + 2), varint(value.length), value]
}

export const text = (field: number, value: string): Message => bytes(field, encoder.encode(value))
export const message = (field: number, parts: Message): Message => bytes(field, joined(parts))

export function joined(parts: Message): Uint8Array {
  const out = new Uint8Array(parts.reduce((size, part) => size + part.length, 0))
  let at = 0
  for (const part of parts) {
    out.set(part, at)
    at += part.length
  }
  return out
}

/** Element types of tensors. */
export const ELEMENT = { float: 1, int64: 7, string: 8, double: 11 } as const
type Element = keyof typeof ELEMENT

/** A tensor of numbers, little-endian as ONNX has them. */
export function tensor(
  name: string,
  kind: 'double' | 'int64',
  shape: readonly number[],
  values: readonly number[],
): Message {
  const view = new DataView(new ArrayBuffer(8 * values.length))
  values.forEach((value, k) => {
    if (kind === 'double') view.setFloat64(8 * k, value, true)
    else view.setBigInt64(8 * k, BigInt(value), true)
  })
  return [
    ...shape.flatMap((size) => integer(1, size)),
    ...integer(2, ELEMENT[kind]),
    ...text(8, name),
    ...bytes(9, new Uint8Array(view.buffer)),
  ]
}

/** Attributes of a node: a whole number, a text, a list of either, floats, or a tensor. */
export type Attribute =
  | { readonly int: number }
  | { readonly ints: readonly number[] }
  | { readonly string: string }
  | { readonly strings: readonly string[] }
  | { readonly float: number }
  | { readonly floats: readonly number[] }
  | { readonly tensor: Message }

function float32(value: number): Uint8Array {
  const view = new DataView(new ArrayBuffer(4))
  view.setFloat32(0, value, true)
  return new Uint8Array(view.buffer)
}

function attribute(name: string, given: Attribute): Message {
  const parts: Message[] = [text(1, name)]
  if ('int' in given) parts.push(integer(3, given.int), integer(20, 2))
  else if ('ints' in given) parts.push(bytes(8, joined(given.ints.map(varint))), integer(20, 7))
  else if ('string' in given) parts.push(text(4, given.string), integer(20, 3))
  else if ('strings' in given)
    parts.push(
      given.strings.flatMap((one) => text(9, one)),
      integer(20, 8),
    )
  else if ('float' in given) parts.push([varint(2 * 8 + 5), float32(given.float)], integer(20, 1))
  else if ('floats' in given) parts.push(bytes(7, joined(given.floats.map(float32))), integer(20, 6))
  else parts.push(message(5, given.tensor), integer(20, 4))
  return parts.flat()
}

/** A node of the graph; `domain` is '' for the standard operators. */
export function node(
  operator: string,
  inputs: readonly string[],
  output: string,
  attributes: Readonly<Record<string, Attribute>> = {},
  domain: '' | 'ai.onnx.ml' = '',
): Message {
  return [
    ...inputs.flatMap((name) => text(1, name)),
    ...text(2, output),
    ...text(3, output),
    ...text(4, operator),
    ...Object.entries(attributes).flatMap(([name, given]) => message(5, attribute(name, given))),
    ...(domain === '' ? [] : text(7, domain)),
  ]
}

/** An input or output: rows x width. */
export function value(name: string, element: Element, width: number): Message {
  const shape = [...message(1, text(2, 'rows')), ...message(1, integer(1, width))]
  const type = message(1, [...integer(1, ELEMENT[element]), ...message(2, shape)])
  return [...text(1, name), ...message(2, type)]
}

export interface Graph {
  readonly nodes: readonly Message[]
  readonly constants: readonly Message[]
  readonly inputs: readonly Message[]
  readonly outputs: readonly Message[]
}

/** The file: IR version 8, standard operators 15, ai.onnx.ml 3. */
export function modelBytes(name: string, { nodes, constants, inputs, outputs }: Graph): Uint8Array {
  const graph = [
    ...nodes.flatMap((one) => message(1, one)),
    ...text(2, name),
    ...constants.flatMap((one) => message(5, one)),
    ...inputs.flatMap((one) => message(11, one)),
    ...outputs.flatMap((one) => message(12, one)),
  ]
  const operators = (domain: string, version: number) => message(8, [...text(1, domain), ...integer(2, version)])
  return joined([
    ...integer(1, 8),
    ...text(2, 'primo'),
    ...message(7, graph),
    ...operators('', 15),
    ...operators('ai.onnx.ml', 3),
  ])
}
