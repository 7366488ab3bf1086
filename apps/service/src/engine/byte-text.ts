// Texts written as bytes, one behind the other in memory that is used again: for texts made of many short parts and
// numbers, where joining strings, and collecting them, costs more than what they say.

const ZERO = 0x30
const QUOTE = 0x22
const BACKSLASH = 0x5c
/** Longer texts are copied by the machine rather than letter by letter. */
const SHORT = 40
/** The digits of 00, 01, ... 99, two bytes as one number. */
const PAIRS = Uint16Array.from({ length: 100 }, (_, k) => ((ZERO + (k % 10)) << 8) | (ZERO + Math.floor(k / 10)))
const POINT = 0x2e
const ZERO_POINT = (POINT << 8) | ZERO

/** A text that is written often: its bytes by fours, the last ones filled up. */
export interface Piece {
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
  // In the order of bytes that `piece` writes, whatever the machine's own is.
  return { words: words.map((_, k) => view.getInt32(4 * k, true)), length: bytes.length }
}

const OPEN = asPiece('{')
const CLOSE = asPiece('}')
const COMMA = asPiece(',')
/** Names of fields with their colon. */
const names = new Map<string, Piece>()
const MOST_NAMES = 1000

export class ByteText {
  #bytes: Buffer
  #view: DataView
  /** Where the text begins, and where it ends so far. */
  #start = 0
  #at = 0

  /** With room for so many bytes at first. */
  constructor(size = 4096) {
    this.#bytes = Buffer.allocUnsafeSlow(size)
    this.#view = new DataView(this.#bytes.buffer)
  }

  get length(): number {
    return this.#at - this.#start
  }

  get room(): number {
    return this.#bytes.length
  }

  /** Begins a text; one that was not taken is forgotten. */
  begin(): void {
    this.#at = this.#start
  }

  /** The text written since it began, which stays what it is until all are forgotten. */
  take(): Buffer {
    const text = this.#bytes.subarray(this.#start, this.#at)
    this.#start = this.#at
    return text
  }

  /** Forgets all texts: their memory is written anew. */
  forget(): void {
    this.#start = 0
    this.#at = 0
  }

  piece({ words, length }: Piece): void {
    this.#room(length + 3)
    const view = this.#view
    const at = this.#at
    for (let k = 0; k < words.length; k++) view.setInt32(at + 4 * k, words[k]!, true)
    this.#at = at + length
  }

  /** Bytes of another text, many at once. */
  copy(bytes: Uint8Array, start = 0, end = bytes.length): void {
    this.#room(end - start)
    this.#bytes.set(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end), this.#at)
    this.#at += end - start
  }

  text(text: string): void {
    this.#room(3 * text.length)
    if (text.length > SHORT || !this.#letters(text)) this.#at += this.#bytes.write(text, this.#at, 'utf8')
  }

  /** A number to 15 decimals if it lies between -1 and 1, else every digit of it. */
  decimal(value: number): void {
    const size = Math.abs(value)
    // Below, digits would be lost that matter; 1 and more has digits before the point.
    if (!(size >= 1e-4 && size < 1 - 1e-15)) {
      this.text(String(value))
      return
    }
    this.#room(20)
    const view = this.#view
    let at = this.#at
    if (value < 0) view.setUint8(at++, 0x2d)
    // Seven decimals and eight: whole numbers that the machine divides quickly.
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
    // Most numbers that people give have six decimals at most.
    const millionths = Math.round(value * 1e6)
    if (millionths / 1e6 === value && Math.abs(value) < 1000 && millionths !== 0) this.#short(millionths)
    else this.text(Number.isFinite(value) ? String(value) : 'null')
  }

  /**
   * The JSON of a value; of the small objects that most of it is, without making their texts. `rounded`: numbers as `decimal`
   * writes them.
   */
  json(value: unknown, rounded = false): void {
    if (typeof value === 'number') rounded && Number.isFinite(value) ? this.decimal(value) : this.number(value)
    else if (typeof value === 'string') this.#quoted(value)
    else if (typeof value === 'object' && value !== null && !Array.isArray(value)) this.#fields(value, rounded)
    else this.text(JSON.stringify(value))
  }

  #short(millionths: number): void {
    this.#room(12)
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
    this.piece(this.#named(name))
  }

  #named(name: string): Piece {
    const known = names.get(name)
    if (known !== undefined) return known
    const made = asPiece(`${JSON.stringify(name)}:`)
    if (names.size < MOST_NAMES) names.set(name, made)
    return made
  }

  #quoted(text: string): void {
    this.#room(text.length + 2)
    const start = this.#at++
    if (text.length <= SHORT && this.#letters(text)) {
      this.#bytes[start] = QUOTE
      this.#bytes[this.#at++] = QUOTE
    } else {
      this.#at = start
      this.text(JSON.stringify(text))
    }
  }

  /** Writes a text if JSON has it as it is, in ASCII; false: it does not, and nothing is written. */
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

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return
    const next = Buffer.allocUnsafeSlow(2 * Math.max(this.#bytes.length, this.length + bytes))
    next.set(this.#bytes.subarray(this.#start, this.#at))
    this.#bytes = next
    this.#view = new DataView(next.buffer)
    this.#at -= this.#start
    this.#start = 0
  }
}

const free: ByteText[] = []
/** Room for texts that nobody writes is kept for so many calls at once, */
const MOST_FREE = 128
/** and no more than so many bytes each. */
const MOST_ROOM = 1 << 20

/** Room for the texts of a call, to be given back when nobody looks at them any more. */
export function borrowRoom(): ByteText {
  return free.pop() ?? new ByteText()
}

export function giveBack(texts: ByteText): void {
  texts.forget()
  if (free.length < MOST_FREE && texts.room <= MOST_ROOM) free.push(texts)
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
