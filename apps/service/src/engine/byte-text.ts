// Text written as bytes into one buffer that is used again: for texts made of many short pieces and numbers, where
// joining strings costs more than what they say.

const DECIMALS = 15
const SCALE = 10 ** DECIMALS
const HALF = 10 ** 8
const ZERO = 0x30
/** Longer texts are copied by the machine rather than letter by letter. */
const SHORT = 40

export function asBytes(text: string): Uint8Array {
  return Buffer.from(text, 'utf8')
}

export class ByteText {
  #bytes = Buffer.allocUnsafeSlow(4096)
  #at = 0

  get length(): number {
    return this.#at
  }

  clear(): void {
    this.#at = 0
  }

  piece(bytes: Uint8Array): void {
    this.#room(bytes.length)
    const to = this.#bytes
    let at = this.#at
    for (let k = 0; k < bytes.length; k++) to[at++] = bytes[k]!
    this.#at = at
  }

  text(text: string): void {
    this.#room(3 * text.length)
    if (text.length > SHORT || !this.#letters(text)) this.#at += this.#bytes.write(text, this.#at, 'utf8')
  }

  /** A number to 15 decimals if it lies between -1 and 1, else every digit of it. */
  decimal(value: number): void {
    const size = Math.abs(value)
    // Below, digits would be lost that matter; 1 and more has digits before the point.
    if (!(size >= 1e-4 && size < 1 - 1 / SCALE)) {
      this.text(String(value))
      return
    }
    this.#room(DECIMALS + 3)
    if (value < 0) this.#bytes[this.#at++] = 0x2d
    this.#bytes[this.#at] = ZERO
    this.#bytes[this.#at + 1] = 0x2e
    this.#at += 2
    const whole = Math.round(size * SCALE)
    const high = Math.floor(whole / HALF)
    this.#digits(high, DECIMALS - 8)
    this.#digits(whole - high * HALF, 8)
    while (this.#bytes[this.#at - 1] === ZERO) this.#at--
  }

  /** What was written, or its first bytes. */
  toString(end = this.#at): string {
    return this.#bytes.toString('utf8', 0, end)
  }

  /** Writes a text if it is all ASCII; false: it is not, and nothing is written. */
  #letters(text: string): boolean {
    const to = this.#bytes
    for (let k = 0; k < text.length; k++) {
      const code = text.charCodeAt(k)
      if (code > 0x7f) return false
      to[this.#at + k] = code
    }
    this.#at += text.length
    return true
  }

  #digits(value: number, count: number): void {
    let rest = value | 0
    for (let k = this.#at + count - 1; k >= this.#at; k--) {
      const tenth = (rest / 10) | 0
      this.#bytes[k] = ZERO + rest - 10 * tenth
      rest = tenth
    }
    this.#at += count
  }

  #room(bytes: number): void {
    if (this.#at + bytes <= this.#bytes.length) return
    const larger = Buffer.allocUnsafeSlow(2 * (this.#at + bytes))
    larger.set(this.#bytes.subarray(0, this.#at))
    this.#bytes = larger
  }
}
