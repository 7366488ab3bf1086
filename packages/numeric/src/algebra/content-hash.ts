// A hash of what a row says: of the bits of its numbers and a key. Splits and choices of rows made by it depend neither
// on the order of rows nor on how often a row is repeated, so a doubled weight stays a repeated row.

/** A whole number below 2^53 for the `count` numbers at values[at ...]; -0 counts as 0. */
export class ContentHash {
  readonly #one = new Float64Array(1)
  readonly #words = new Uint32Array(this.#one.buffer)
  readonly #key: number
  #a = 0
  #b = 0

  constructor(key: number) {
    this.#key = key
  }

  begin(): void {
    this.#a = this.#key | 0
    this.#b = ~this.#key
  }

  add(value: number): void {
    this.#one[0] = value + 0
    this.#mix(this.#words[0]!)
    this.#mix(this.#words[1]!)
  }

  /** Of all that was added since `begin`. */
  value(): number {
    const a = finish(this.#a ^ (this.#b >>> 3))
    const b = finish(this.#b ^ (this.#a << 7))
    return (a >>> 0) * 2097152 + (b >>> 11)
  }

  of(values: Float64Array, at: number, count: number): number {
    this.begin()
    for (let k = 0; k < count; k++) this.add(values[at + k]!)
    return this.value()
  }

  #mix(word: number): void {
    let k = Math.imul(word, 0xcc9e2d51)
    k = Math.imul((k << 15) | (k >>> 17), 0x1b873593)
    let a = this.#a ^ k
    a = (a << 13) | (a >>> 19)
    this.#a = (Math.imul(a, 5) + 0xe6546b64) | 0
    let b = this.#b ^ Math.imul(word, 0x85ebca6b)
    b = (b << 11) | (b >>> 21)
    this.#b = (Math.imul(b, 9) + 0x38b34ae5 + this.#a) | 0
  }
}

function finish(word: number): number {
  let h = word
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
