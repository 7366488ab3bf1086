// Reads the body of a batch in one pass over its bytes: it parses, checks against the schema and cuts out each request's own
// text. It reads what most bodies are: requests with numbers, texts without escapes, true, false and
// null under their names. Any other body, and so every error, is left to the parser and the schema.

import { isUtf8 } from 'node:buffer'
import type { DecisionBody } from '@primo/contract'
import type { Codec, GivenRequest } from './codec.js'

/** Readers of a service share the names they have met: requests mostly have the same ones in the same order. */
export function createBatchReader(): Codec['readBatch'] {
  const expected: ExpectedName[] = []
  return (body) => {
    try {
      return new Reader(body, expected).batch()
    } catch (error) {
      if (error === NOT_PLAIN) return undefined
      throw error
    }
  }
}

const NOT_PLAIN = Symbol('not plain')

/** A name and how it was written, with quotes, colon and spaces. */
interface ExpectedName {
  readonly name: string
  readonly written: Uint8Array
}

type Request = { -readonly [K in keyof DecisionBody]: DecisionBody[K] }
type Values = Record<string, number | string | boolean | null>

// The limits of the schema; a test compares the two.
const MAX_REQUESTS = 1000
const MAX_NAME = 200
const MAX_ID = 200
const MAX_VALUE = 1000
/** Names that would change an object's prototype or constructor. */
const UNUSUAL_NAMES = ['__proto__', 'constructor', 'prototype']
/** Exact powers of ten: a number with at most so many digits is one correctly rounded division. */
const POWERS = Float64Array.from({ length: 16 }, (_, k) => 10 ** k)
const MAX_DIGITS = 15
const MAX_EXPECTED = 2000
const MAX_EXPECTED_BYTES = 250

class Reader {
  readonly #bytes: Buffer
  /** By their place in a request. */
  readonly #expected: ExpectedName[]
  #at = 0
  /** How many names of this request were read. */
  #names = 0

  constructor(bytes: Buffer, expected: ExpectedName[]) {
    this.#bytes = bytes
    this.#expected = expected
  }

  batch(): readonly GivenRequest[] {
    const body = this.#bytes
    if (!isUtf8(body)) throw NOT_PLAIN
    const given: GivenRequest[] = []
    this.#need(OPEN)
    if (this.#text(MAX_NAME) !== 'decisions') throw NOT_PLAIN
    this.#need(COLON)
    this.#need(OPEN_LIST)
    do {
      if (given.push(this.#request()) > MAX_REQUESTS) throw NOT_PLAIN
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
    const request: Partial<Request> = {}
    this.#need(OPEN)
    do {
      const field = this.#name()
      if (field === 'context') request.context = this.#values(false) as Request['context']
      else if (field === 'covariates') request.covariates = this.#values(true)
      else if (field === 'predictions') request.predictions = this.#values(true)
      else if (field === 'eventId') request.eventId = this.#text(MAX_ID, 1)
      else throw NOT_PLAIN
    } while (this.#took(COMMA))
    this.#need(CLOSE)
    if (request.context === undefined) throw NOT_PLAIN
    return { request: request as Request, json: this.#bytes.subarray(start, this.#at) }
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
        return this.#text(MAX_VALUE)
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
    if (digits > MAX_DIGITS) return this.#long(start, at)
    const value = decimals === 0 ? whole : whole / POWERS[decimals]!
    return negative ? -value : value
  }

  /** The schema refuses numbers that are too large, such as 1e999. */
  #long(start: number, end: number): number {
    const value = Number(this.#bytes.toString('latin1', start, end))
    if (!Number.isFinite(value)) throw NOT_PLAIN
    return value
  }

  /** A name, its colon and the spaces before the value. */
  #name(): string {
    if (this.#bytes[this.#at] !== QUOTE) this.#space()
    const bytes = this.#bytes
    const start = this.#at
    const place = this.#names++
    const likely = this.#expected[place]
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
    const name = this.#text(MAX_NAME, 1)
    if (UNUSUAL_NAMES.includes(name)) throw NOT_PLAIN
    this.#need(COLON)
    this.#space()
    if (place < MAX_EXPECTED && this.#at - start <= MAX_EXPECTED_BYTES)
      this.#expected[place] = { name, written: Uint8Array.from(bytes.subarray(start, this.#at)) }
    return name
  }

  /** Limits count letters, which are never more than bytes: a text that may be too long is left to the schema. */
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

/** -1: not a digit. */
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
