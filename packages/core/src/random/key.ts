// Keys name streams of randomness. A key is two 32-bit words; deriving a key from a parent and a label is a hash, so
// streams can be split by name ("epoch", 3, "folds") on any machine without talking to each other.

import { invalidOption } from '../errors.js'
import { threefry } from './threefry.js'

export type RandomKey = readonly [number, number]

const words = new Int32Array(2)

// The second counter word of each use. Draws count from 0 and never reach it, so that a key never feeds two purposes with
// equal input.
const FROM_INTEGER = 0x40000001
const FROM_TEXT = 0x40000002

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
      threefry(key0, key1, label.length, FROM_TEXT, words)
      for (let at = 0; at < label.length; at += 4) {
        const low = label.charCodeAt(at) | ((label.charCodeAt(at + 1) || 0) << 16)
        const high = (label.charCodeAt(at + 2) || 0) | ((label.charCodeAt(at + 3) || 0) << 16)
        threefry(words[0]!, words[1]!, low, high, words)
      }
    }
    key0 = words[0]!
    key1 = words[1]!
  }
  return [key0, key1]
}
