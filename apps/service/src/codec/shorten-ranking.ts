// A reply with fewer of its ranked actions. The log keeps all of them, and a repeated event may ask for another number.

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d
const CLOSE_LIST = 0x5d
/** Text inside a value has its quotes escaped, so that this is the name. */
const RANKING = Buffer.from(',"ranking":[')

/** The JSON of a reply with the first `most` of its ranking. */
export function shortenRanking(reply: Uint8Array, most: number): Uint8Array {
  const bytes = Buffer.from(reply.buffer, reply.byteOffset, reply.byteLength)
  const start = bytes.indexOf(RANKING) + RANKING.length
  let kept = start
  let at = start
  let depth = 0
  for (let count = 0; depth > 0 || bytes[at] !== CLOSE_LIST; at++) {
    const sign = bytes[at]
    if (sign === QUOTE) at = endOfText(bytes, at)
    else if (sign === OPEN) depth++
    else if (sign === CLOSE && --depth === 0 && ++count <= most) kept = at + 1
  }
  return Buffer.concat([bytes.subarray(0, kept), bytes.subarray(at)])
}

/** The place of the quote that ends the text that begins here. */
function endOfText(bytes: Buffer, start: number): number {
  let at = start + 1
  while (bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1
  return at
}
