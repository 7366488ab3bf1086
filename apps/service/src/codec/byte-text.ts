// Texts written as bytes, one after the other into large buffers: joining many short strings and numbers, and collecting
// them as garbage, costs more than writing them.

const ZERO = 0x30
const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Longer texts are copied in one call, shorter ones letter by letter. */
const SHORT = 40
/** The digits of 00, 01, ... 99, two bytes as one number. */
const PAIRS = Uint16Array.from({ length: 100 }, (_, k) => ((ZERO + (k % 10)) << 8) | (ZERO + Math.floor(k / 10)))
const POINT = 0x2e
const ZERO_POINT = (POINT << 8) | ZERO

/** A text that is written often: its bytes in words of four, the last word padded. */
interface Piece {
  readonly words: Int32Array
  readonly length: number
}

export function asPiece(text: string): Piece {
  const bytes = Buffer.from(text, 'utf8')
  const words = new Int32Array(Math.ceil(bytes.length / 4))
  const view = new DataView(words.buffer)
  bytes.forEach((byte, k) => {
    view.setUint8(k, byte)
  })
  // Little-endian, as `piece` writes, whatever the machine's own order.
  return { words: words.map((_, k) => view.getInt32(4 * k, true)), length: bytes.length }
}

export const OPEN = asPiece('{')
export const CLOSE = asPiece('}')
export const COMMA = asPiece(',')
const MAX_NAMES = 1000
/** Bytes of a buffer, unless one text needs more. */
const BUFFER_SIZE = 1 << 18
/** Buffers kept for later, and the largest of them. */
const MAX_FREE = 64
const MAX_FREE_SIZE = 1 << 20

export class ByteText {
  #bytes: Buffer = Buffer.alloc(0)
  #view: DataView = new DataView(this.#bytes.buffer)
  /** Where the current text begins, and where it ends so far. */
  #start = 0
  #at = 0
  /** Names of fields with their colon. */
  readonly #names = new Map<string, Piece>()
  /** How many texts of a buffer are not released. A buffer whose texts are never released is collected with them. */
  readonly #inUse = new WeakMap<ArrayBufferLike, number>()
  readonly #free: ArrayBufferLike[] = []

  get length(): number {
    return this.#at - this.#start
  }

  /** Begins a text; one that was not taken is dropped. */
  begin(): void {
    this.#at = this.#start
  }

  /** The text written since it began. Nothing overwrites it before it is released. */
  take(): Buffer {
    const text = this.#bytes.subarray(this.#start, this.#at)
    this.#start = this.#at
    this.#inUse.set(text.buffer, (this.#inUse.get(text.buffer) ?? 0) + 1)
    return text
  }

  /** Nobody reads this text any more. A buffer is used again when all its texts are released; texts of others are ignored. */
  release(text: Uint8Array): void {
    const { buffer } = text
    const count = this.#inUse.get(buffer)
    if (count === undefined || count === 0) return
    this.#inUse.set(buffer, count - 1)
    if (count === 1 && buffer !== this.#bytes.buffer) this.#keep(buffer)
  }

  piece({ words, length }: Piece): void {
    this.#reserve(length + 3)
    const view = this.#view
    const at = this.#at
    for (let k = 0; k < words.length; k++) view.setInt32(at + 4 * k, words[k]!, true)
    this.#at = at + length
  }

  copy(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#bytes.set(bytes, this.#at)
    this.#at += bytes.length
  }

  text(text: string): void {
    this.#reserve(3 * text.length)
    if (text.length > SHORT || !this.#letters(text)) this.#at += this.#bytes.write(text, this.#at, 'utf8')
  }

  /** A number to 15 decimals if it lies between -1 and 1, else every digit of it. */
  decimal(value: number): void {
    const size = Math.abs(value)
    // Smaller numbers would lose significant digits; from 1 on there are digits before the point.
    if (!(size >= 1e-4 && size < 1 - 1e-15)) {
      this.text(String(value))
      return
    }
    this.#reserve(20)
    const view = this.#view
    let at = this.#at
    if (value < 0) view.setUint8(at++, 0x2d)
    // Seven decimals and eight more: integers, which divide fast.
    const scaled = size * 1e7
    let high = scaled | 0
    let low = ((scaled - high) * 1e8 + 0.5) | 0
    if (low === 1e8) {
      low = 0
      high++
    }
    view.setUint16(at, ZERO_POINT, true)
    at += 2
    const first = (high / 1e6) | 0
    view.setUint8(at, ZERO + first)
    writePairs(view, at + 1, high - 1e6 * first, 3)
    writePairs(view, at + 7, low, 4)
    at += 15
    while (view.getUint8(at - 1) === ZERO) at--
    this.#at = at
  }

  /** A number with every digit it has. */
  number(value: number): void {
    // Most numbers in requests have at most six decimals.
    const millionths = Math.round(value * 1e6)
    if (millionths / 1e6 === value && Math.abs(value) < 1000 && millionths !== 0) this.#short(millionths)
    else this.text(Number.isFinite(value) ? String(value) : 'null')
  }

  /** The JSON of a value. `rounded`: numbers as `decimal` writes them. */
  json(value: unknown, rounded = false): void {
    if (typeof value === 'number') rounded && Number.isFinite(value) ? this.decimal(value) : this.number(value)
    else if (typeof value === 'string') this.#quoted(value)
    else if (typeof value === 'object' && value !== null && !Array.isArray(value)) this.#fields(value, rounded)
    else this.text(JSON.stringify(value))
  }

  #short(millionths: number): void {
    this.#reserve(12)
    const view = this.#view
    let at = this.#at
    if (millionths < 0) view.setUint8(at++, 0x2d)
    const size = Math.abs(millionths) | 0
    const whole = (size / 1e6) | 0
    if (whole >= 100) view.setUint8(at++, ZERO + ((whole / 100) | 0))
    if (whole >= 10) view.setUint8(at++, ZERO + (((whole / 10) | 0) % 10))
    view.setUint16(at, ZERO_POINT + (whole % 10), true)
    writePairs(view, at + 2, size - 1e6 * whole, 3)
    at += 8
    while (view.getUint8(at - 1) === ZERO) at--
    if (view.getUint8(at - 1) === POINT) at--
    this.#at = at
  }

  #fields(value: object, rounded: boolean): void {
    this.piece(OPEN)
    let first = true
    for (const name in value) {
      const inner = (value as Record<string, unknown>)[name]
      if (inner === undefined) continue
      if (!first) this.piece(COMMA)
      first = false
      this.name(name)
      this.json(inner, rounded)
    }
    this.piece(CLOSE)
  }

  /** The name of a field, with its colon. */
  name(name: string): void {
    const known = this.#names.get(name)
    const piece = known ?? asPiece(`${JSON.stringify(name)}:`)
    if (known === undefined && this.#names.size < MAX_NAMES) this.#names.set(name, piece)
    this.piece(piece)
  }

  #quoted(text: string): void {
    this.#reserve(text.length + 2)
    const start = this.#at++
    if (text.length <= SHORT && this.#letters(text)) {
      this.#bytes[start] = QUOTE
      this.#bytes[this.#at++] = QUOTE
    } else {
      this.#at = start
      this.text(JSON.stringify(text))
    }
  }

  /** Writes a text that is ASCII and needs no escapes; false: it is not, and nothing was written. */
  #letters(text: string): boolean {
    const to = this.#bytes
    const at = this.#at
    for (let k = 0; k < text.length; k++) {
      const code = text.charCodeAt(k)
      if (code > 0x7e || code < 0x20 || code === QUOTE || code === BACKSLASH) return false
      to[at + k] = code
    }
    this.#at = at + text.length
    return true
  }

  /** Makes sure that so many bytes fit, in another buffer if need be. */
  #reserve(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return
    const before = this.#bytes.buffer
    const needed = this.length + bytes
    const free = needed <= BUFFER_SIZE ? this.#free.pop() : undefined
    const next = free === undefined ? Buffer.allocUnsafeSlow(Math.max(BUFFER_SIZE, 2 * needed)) : Buffer.from(free)
    next.set(this.#bytes.subarray(this.#start, this.#at))
    this.#bytes = next
    this.#view = new DataView(next.buffer)
    this.#at -= this.#start
    this.#start = 0
    if (this.#inUse.get(before) === 0) this.#keep(before)
  }

  #keep(buffer: ArrayBufferLike): void {
    const { byteLength } = buffer
    if (byteLength >= BUFFER_SIZE && byteLength <= MAX_FREE_SIZE && this.#free.length < MAX_FREE)
      this.#free.push(buffer)
  }
}

/** The last 2 * count digits of a whole number. */
function writePairs(to: DataView, at: number, value: number, count: number): void {
  let rest = value
  for (let k = at + 2 * count - 2; k >= at; k -= 2) {
    const hundredth = (rest / 100) | 0
    to.setUint16(k, PAIRS[rest - 100 * hundredth]!, true)
    rest = hundredth
  }
}
