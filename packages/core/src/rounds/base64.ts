// Typed arrays as text and back, without relying on Node or the browser. Byte order is little-endian, as on every
// platform that runs JavaScript engines today.

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const INVALID = 255
const CODES = new Uint8Array(128).fill(INVALID)
for (let i = 0; i < ALPHABET.length; i++) CODES[ALPHABET.charCodeAt(i)] = i

type TypedArray = Float64Array | Uint8Array | Uint16Array

export function toBase64(array: TypedArray): string {
  const bytes = new Uint8Array(array.buffer, array.byteOffset, array.byteLength)
  const parts: string[] = []
  for (let start = 0; start < bytes.length; start += 24_576) {
    let part = ''
    const end = Math.min(start + 24_576, bytes.length)
    for (let i = start; i < end; i += 3) {
      const word = (bytes[i]! << 16) | ((bytes[i + 1] ?? 0) << 8) | (bytes[i + 2] ?? 0)
      part += ALPHABET[word >> 18]! + ALPHABET[(word >> 12) & 63]!
      part += i + 1 < end ? ALPHABET[(word >> 6) & 63]! : '='
      part += i + 2 < end ? ALPHABET[word & 63]! : '='
    }
    parts.push(part)
  }
  return parts.join('')
}

/** null: the text is not base64. */
export function fromBase64(text: string): Uint8Array | null {
  if (text.length % 4 !== 0) return null
  const padding = text.endsWith('==') ? 2 : text.endsWith('=') ? 1 : 0
  const digits = text.length - padding
  const bytes = new Uint8Array((text.length / 4) * 3 - padding)
  for (let i = 0, to = 0; i < text.length; i += 4) {
    let word = 0
    for (let k = i; k < i + 4; k++) {
      const code = k < digits ? (CODES[text.charCodeAt(k)] ?? INVALID) : 0
      if (code === INVALID) return null
      word = (word << 6) | code
    }
    bytes[to++] = word >> 16
    if (to < bytes.length) bytes[to++] = (word >> 8) & 255
    if (to < bytes.length) bytes[to++] = word & 255
  }
  return bytes
}
