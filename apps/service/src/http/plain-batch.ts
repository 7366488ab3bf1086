// Reads the body of a batch that is as plain as most are: a list of requests with numbers, texts without escapes, true,
// false and null under their names. One walk over the bytes does what parsing, checking against the schema and cutting out
// each request's own text would do one after the other. Whatever is less plain is left to those, errors included.

import { isUtf8 } from 'node:buffer'
import { NumberRow } from '@primo/core/engine'
import type { GivenRequest, RequestFields } from '../engine/given-request.js'

/** undefined: the body is not plain, or not a batch at all. */
export function readPlainBatch(body: Buffer): readonly GivenRequest[] | undefined {
  const reader = new Reader(body)
  try {
    return reader.batch()
  } catch (error) {
    if (error === NOT_PLAIN) return undefined
    throw error
  }
}

const NOT_PLAIN = Symbol('not plain')

type Fields = { -readonly [K in keyof RequestFields]: RequestFields[K] }
type Values = Record<string, number | string | boolean | null>

// What the schema allows; a test holds the two together.
const MOST_REQUESTS = 1000
const LONGEST_NAME = 200
const LONGEST_ID = 200
const LONGEST_VALUE = 1000
/** Names that would change what an object is made of. */
const UNUSUAL_NAMES = ['__proto__', 'constructor', 'prototype']
/** Powers of ten that are exact: a number with so many digits at most is one correctly rounded division. */
const POWERS = Float64Array.from({ length: 16 }, (_, k) => 10 ** k)
const MOST_DIGITS = 15

/** The names of a request in their order, as the last requests had them: the next one most often has the same. */
const expected: { readonly name: string; readonly written: Uint8Array }[] = []
const MOST_EXPECTED = 2000
const LONGEST_EXPECTED = 250
/** The names of the last row, which the next one shares if it has the same. */
let rowNames: readonly string[] = []

class Reader {
  readonly #bytes: Buffer
  #at = 0
  /** How many names of this request were read. */
  #names = 0
  /** The numbers of all contexts. It begins with one that is not whole: so the list is of doubles. */
  readonly #numbers = [0.5]

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  batch(): readonly GivenRequest[] {
    const body = this.#bytes
    if (!isUtf8(body)) throw NOT_PLAIN
    const given: GivenRequest[] = []
    this.#need(OPEN)
    if (this.#text(LONGEST_NAME) !== 'decisions') throw NOT_PLAIN
    this.#need(COLON)
    this.#need(OPEN_LIST)
    do {
      if (given.push(this.#request()) > MOST_REQUESTS) throw NOT_PLAIN
    } while (this.#took(COMMA))
    this.#need(CLOSE_LIST)
    this.#need(CLOSE)
    this.#space()
    if (this.#at !== body.length) throw NOT_PLAIN
    return given
  }

  #request(): GivenRequest {
    this.#names = 0
    this.#space()
    const start = this.#at
    const fields: Fields = {}
    let context: GivenRequest['context'] | undefined
    this.#need(OPEN)
    do {
      const field = this.#name()
      if (field === 'context') context = this.#context()
      else if (field === 'covariates') fields.covariates = this.#values(true)
      else if (field === 'predictions') fields.predictions = this.#values(true)
      else if (field === 'eventId') fields.eventId = this.#text(LONGEST_ID, 1)
      else throw NOT_PLAIN
    } while (this.#took(COMMA))
    this.#need(CLOSE)
    if (context === undefined) throw NOT_PLAIN
    return { context, fields, body: this.#bytes, start, end: this.#at }
  }

  /** A row where it is numbers alone. */
  #context(): GivenRequest['context'] {
    const start = this.#at
    const names = this.#names
    const row = this.#row()
    if (row !== null) return row
    this.#at = start
    this.#names = names
    return this.#values(false) as Exclude<GivenRequest['context'], NumberRow>
  }

  /** null: something in it is not a number. */
  #row(): NumberRow | null {
    const values = this.#numbers
    const at = values.length
    const likely = rowNames
    let others: string[] | null = null
    this.#need(OPEN)
    if (this.#took(CLOSE)) return null
    do {
      const name = this.#name()
      const place = values.length - at
      if (others === null && likely[place] !== name) others = likely.slice(0, place)
      others?.push(name)
      if (this.#bytes[this.#at] !== MINUS && digitAt(this.#bytes, this.#at) < 0) return null
      values.push(this.#number())
    } while (this.#took(COMMA))
    this.#need(CLOSE)
    const count = values.length - at
    const names = others ?? (likely.length === count ? likely : likely.slice(0, count))
    if (count <= MOST_EXPECTED) rowNames = names
    return new NumberRow(names, values, at)
  }

  #values(nullable: boolean): Values {
    const values: Values = {}
    this.#need(OPEN)
    if (this.#took(CLOSE)) return values
    do {
      const name = this.#name()
      values[name] = this.#value(nullable)
    } while (this.#took(COMMA))
    this.#need(CLOSE)
    return values
  }

  #value(nullable: boolean): Values[string] {
    switch (this.#bytes[this.#at]) {
      case QUOTE:
        return this.#text(LONGEST_VALUE)
      case 0x74:
        return this.#word('true', true)
      case 0x66:
        return this.#word('false', false)
      case 0x6e:
        if (!nullable) throw NOT_PLAIN
        return this.#word('null', null)
      default:
        return this.#number()
    }
  }

  #number(): number {
    const bytes = this.#bytes
    const start = this.#at
    let at = start
    const negative = bytes[at] === MINUS
    if (negative) at++
    const first = at
    let whole = 0
    for (let digit = bytes[at]! - ZERO; digit >= 0 && digit <= 9; digit = bytes[++at]! - ZERO)
      whole = 10 * whole + digit
    let digits = at - first
    if (digits === 0 || (digits > 1 && bytes[first] === ZERO)) throw NOT_PLAIN
    let decimals = 0
    if (bytes[at] === POINT) {
      const point = at++
      for (let digit = bytes[at]! - ZERO; digit >= 0 && digit <= 9; digit = bytes[++at]! - ZERO)
        whole = 10 * whole + digit
      decimals = at - point - 1
      if (decimals === 0) throw NOT_PLAIN
      digits += decimals
    }
    const sign = bytes[at]
    if (sign === 0x65 || sign === 0x45) {
      at = endOfExponent(bytes, at + 1)
      digits = Number.POSITIVE_INFINITY
    }
    this.#at = at
    if (digits > MOST_DIGITS) return this.#long(start, at)
    const value = decimals === 0 ? whole : whole / POWERS[decimals]!
    return negative ? -value : value
  }

  /** The schema refuses what is too large for a number, such as 1e999. */
  #long(start: number, end: number): number {
    const value = Number(this.#bytes.toString('latin1', start, end))
    if (!Number.isFinite(value)) throw NOT_PLAIN
    return value
  }

  /** A name with its colon; what follows is a value. */
  #name(): string {
    if (this.#bytes[this.#at] !== QUOTE) this.#space()
    const bytes = this.#bytes
    const start = this.#at
    const place = this.#names++
    const likely = expected[place]
    if (likely !== undefined) {
      const { written } = likely
      let k = 0
      while (k < written.length && bytes[start + k] === written[k]) k++
      if (k === written.length) {
        this.#at = start + k
        this.#space()
        return likely.name
      }
    }
    const name = this.#text(LONGEST_NAME, 1)
    if (UNUSUAL_NAMES.includes(name)) throw NOT_PLAIN
    this.#need(COLON)
    this.#space()
    // With its colon, and the spaces before the value.
    if (place < MOST_EXPECTED && this.#at - start <= LONGEST_EXPECTED)
      expected[place] = { name, written: Uint8Array.from(bytes.subarray(start, this.#at)) }
    return name
  }

  /** Limits are in letters, which are never more than bytes: a text that may be too long is left to the schema. */
  #text(longest: number, shortest = 0): string {
    this.#need(QUOTE)
    const bytes = this.#bytes
    const start = this.#at
    let at = start
    for (let code = bytes[at]; code !== QUOTE; code = bytes[++at])
      if (code === undefined || code < 0x20 || code === BACKSLASH) throw NOT_PLAIN
    if (at - start > longest || at - start < shortest) throw NOT_PLAIN
    this.#at = at + 1
    return bytes.toString('utf8', start, at)
  }

  #word<T>(word: string, value: T): T {
    for (let k = 0; k < word.length; k++) if (this.#bytes[this.#at + k] !== word.charCodeAt(k)) throw NOT_PLAIN
    this.#at += word.length
    return value
  }

  #took(sign: number): boolean {
    if (this.#bytes[this.#at] !== sign) this.#space()
    if (this.#bytes[this.#at] !== sign) return false
    this.#at++
    return true
  }

  #need(sign: number): void {
    if (!this.#took(sign)) throw NOT_PLAIN
  }

  #space(): void {
    const bytes = this.#bytes
    if (bytes[this.#at]! > 0x20) return
    let at = this.#at
    for (let code = bytes[at]; code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09; code = bytes[++at]);
    this.#at = at
  }
}

const QUOTE = 0x22
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const COLON = 0x3a
const OPEN_LIST = 0x5b
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN = 0x7b
const CLOSE = 0x7d

/** -1: it is none. */
function digitAt(bytes: Buffer, at: number): number {
  const code = bytes[at]
  return code !== undefined && code >= ZERO && code <= ZERO + 9 ? code - ZERO : -1
}

function endOfExponent(bytes: Buffer, start: number): number {
  let at = start
  if (bytes[at] === 0x2b || bytes[at] === MINUS) at++
  const first = at
  while (digitAt(bytes, at) >= 0) at++
  if (at === first) throw NOT_PLAIN
  return at
}
