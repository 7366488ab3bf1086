// A number of 53 bits that stands for a row: equal rows have equal ones, and among a million different rows two agree with
// probability 6e-5.

const one = new Float64Array(1)
const words = new Int32Array(one.buffer)

export class Fingerprint {
  #a = 0
  #b = 0

  begin(): this {
    this.#a = 0x2c1b3c6d
    this.#b = 0x297a2d39
    return this
  }

  cell(cell: unknown): this {
    if (typeof cell === 'string') {
      this.#mix(cell.length + 1)
      for (let k = 0; k < cell.length; k++) this.#mix(cell.charCodeAt(k))
    } else if (typeof cell === 'number') {
      one[0] = cell
      this.#mix(words[0]!)
      this.#mix(words[1]!)
    } else this.#mix(cell === true ? -1 : cell === false ? -2 : -3)
    return this
  }

  value(): number {
    const a = scramble(this.#a ^ (this.#b >>> 16))
    const b = scramble(this.#b ^ this.#a)
    return (a >>> 0) * 2097152 + (b >>> 11)
  }

  #mix(word: number): void {
    this.#a = Math.imul(this.#a ^ word, 0x85ebca6b)
    this.#a ^= this.#a >>> 15
    this.#b = Math.imul(this.#b ^ word, 0xc2b2ae35)
    this.#b ^= this.#b >>> 13
  }
}

function scramble(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x7feb352d)
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x846ca68b)
  return mixed ^ (mixed >>> 16)
}
