// Reads the body of a batch that is as plain as most are: a list of requests with numbers, texts without escapes, true,
// false and null under their names. One walk over the bytes does what parsing, checking against the schema and cutting out
// each request's own text would do one after the other. Whatever is less plain is left to those, errors included.

import { isUtf8 } from 'node:buffer'
import type { DecisionRequest } from '@primo/contract'
import type { GivenRequest } from '../engine/given-request.js'

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

type Given = { -readonly [K in keyof DecisionRequest]: DecisionRequest[K] }

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
const expected: { readonly name: string; readonly quoted: Uint8Array }[] = []
const MOST_EXPECTED = 2000

class Reader {
  readonly #bytes: Buffer
  #at = 0
  /** Names of this request that were read. */
  #names = 0

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
      this.#space()
      const start = this.#at
      const request = this.#request()
      if (given.push({ request, body, start, end: this.#at }) > MOST_REQUESTS) throw NOT_PLAIN
    } while (this.#took(COMMA))
    this.#need(CLOSE_LIST)
    this.#need(CLOSE)
    this.#space()
    if (this.#at !== body.length) throw NOT_PLAIN
    return given
  }

  #request(): DecisionRequest {
    this.#names = 0
    const request: Partial<Given> = {}
    this.#need(OPEN)
    do {
      const field = this.#name()
      this.#need(COLON)
      if (field === 'context') request.context = this.#values(false) as DecisionRequest['context']
      else if (field === 'covariates') request.covariates = this.#values(true)
      else if (field === 'predictions') request.predictions = this.#values(true)
      else if (field === 'eventId') request.eventId = this.#text(LONGEST_ID, 1)
      else throw NOT_PLAIN
    } while (this.#took(COMMA))
    this.#need(CLOSE)
    if (request.context === undefined) throw NOT_PLAIN
    return request as DecisionRequest
  }

  #values(nullable: boolean): Record<string, number | string | boolean | null> {
    const values: Record<string, number | string | boolean | null> = {}
    this.#need(OPEN)
    if (this.#took(CLOSE)) return values
    do {
      const name = this.#name()
      this.#need(COLON)
      values[name] = this.#value(nullable)
    } while (this.#took(COMMA))
    this.#need(CLOSE)
    return values
  }

  #value(nullable: boolean): number | string | boolean | null {
    this.#space()
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
    let digit = digitAt(bytes, at)
    while (digit >= 0) {
      whole = 10 * whole + digit
      digit = digitAt(bytes, ++at)
    }
    let digits = at - first
    if (digits === 0 || (digits > 1 && bytes[first] === ZERO)) throw NOT_PLAIN
    let decimals = 0
    if (bytes[at] === POINT) {
      const point = at++
      digit = digitAt(bytes, at)
      while (digit >= 0) {
        whole = 10 * whole + digit
        digit = digitAt(bytes, ++at)
      }
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
    if (digits > MOST_DIGITS) return Number(bytes.toString('latin1', start, at))
    const value = decimals === 0 ? whole : whole / POWERS[decimals]!
    return negative ? -value : value
  }

  #name(): string {
    this.#space()
    const bytes = this.#bytes
    const start = this.#at
    const place = this.#names++
    const likely = expected[place]
    if (likely !== undefined) {
      const { quoted } = likely
      let k = 0
      while (k < quoted.length && bytes[start + k] === quoted[k]) k++
      if (k === quoted.length) {
        this.#at = start + k
        return likely.name
      }
    }
    const name = this.#text(LONGEST_NAME, 1)
    if (UNUSUAL_NAMES.includes(name)) throw NOT_PLAIN
    if (place < MOST_EXPECTED) expected[place] = { name, quoted: Uint8Array.from(bytes.subarray(start, this.#at)) }
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
    let at = this.#at
    for (let code = bytes[at]; code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09; code = bytes[at]) at++
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
