// Keys name streams of randomness. A key is two 32-bit words; deriving a key from a parent and a label is a hash, so
// streams can be split by name ("epoch", 3, "folds") on any machine without talking to each other.

import { invalidOption } from '../errors.js'
import { threefry } from './threefry.js'

/** The name of a stream of randomness: two 32-bit words. */
export type RandomKey = readonly [number, number]

const words = new Int32Array(2)

// The second counter word of each use. Draws count from 0 and never reach it, so that a key never feeds two purposes
// with equal input.
const FROM_INTEGER = 0x40000001
const FROM_TEXT = 0x40000002

/** The key of a seed. */
export function seedKey(seed: number): RandomKey {
  if (!Number.isSafeInteger(seed) || seed < 0) invalidOption('seed', 'a whole number >= 0', seed)
  return [seed | 0, Math.floor(seed / 4294967296) | 0]
}

/** The key of a child stream. */
export function deriveKey(parent: RandomKey, ...labels: readonly (string | number)[]): RandomKey {
  let [key0, key1] = parent
  for (const label of labels) {
    if (typeof label === 'number') {
      threefry(key0, key1, 0, FROM_INTEGER, words)
      threefry(words[0]!, words[1]!, label | 0, Math.floor(label / 4294967296) | 0, words)
    } else {
      beginText(key0, key1, label.length, words)
      hashText(label, 0, label.length, words)
    }
    key0 = words[0]!
    key1 = words[1]!
  }
  return [key0, key1]
}

/** Where the hash of a text of this length begins. */
export function beginText(key0: number, key1: number, length: number, out: Int32Array): void {
  threefry(key0, key1, length, FROM_TEXT, out)
}

/** Takes the hash from place `from` of the text to place `to`: multiples of four, or the end. */
export function hashText(text: string, from: number, to: number, hash: Int32Array): void {
  for (let at = from; at < to; at += 4) threefry(hash[0]!, hash[1]!, pairAt(text, at), pairAt(text, at + 2), hash)
}

/** Two characters as one word; beyond the end they are 0. */
export function pairAt(text: string, at: number): number {
  if (at + 1 < text.length) return text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16)
  return at < text.length ? text.charCodeAt(at) : 0
}
