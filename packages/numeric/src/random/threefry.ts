// Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror, Shaw 2011): a counter-based generator.
//   (key0, key1, counter0, counter1) -> two 32-bit words, a bijection of the counter for each key.
// All randomness of Primo comes from this one function, so a draw is a function of its key and counter,
// never of how many draws were made before it or on which machine. Known answers are in the tests.

const PARITY = 0x1bd11bda

/** Writes the two output words, as signed 32-bit integers, to out[0] and out[1]. */
export function threefry(key0: number, key1: number, counter0: number, counter1: number, out: Int32Array): void {
  const key2 = PARITY ^ key0 ^ key1
  let a = (counter0 + key0) | 0
  let b = (counter1 + key1) | 0

  a = (a + b) | 0; b = ((b << 13) | (b >>> 19)) ^ a
  a = (a + b) | 0; b = ((b << 15) | (b >>> 17)) ^ a
  a = (a + b) | 0; b = ((b << 26) | (b >>> 6)) ^ a
  a = (a + b) | 0; b = ((b << 6) | (b >>> 26)) ^ a
  a = (a + key1) | 0; b = (b + key2 + 1) | 0

  a = (a + b) | 0; b = ((b << 17) | (b >>> 15)) ^ a
  a = (a + b) | 0; b = ((b << 29) | (b >>> 3)) ^ a
  a = (a + b) | 0; b = ((b << 16) | (b >>> 16)) ^ a
  a = (a + b) | 0; b = ((b << 24) | (b >>> 8)) ^ a
  a = (a + key2) | 0; b = (b + key0 + 2) | 0

  a = (a + b) | 0; b = ((b << 13) | (b >>> 19)) ^ a
  a = (a + b) | 0; b = ((b << 15) | (b >>> 17)) ^ a
  a = (a + b) | 0; b = ((b << 26) | (b >>> 6)) ^ a
  a = (a + b) | 0; b = ((b << 6) | (b >>> 26)) ^ a
  a = (a + key0) | 0; b = (b + key1 + 3) | 0

  a = (a + b) | 0; b = ((b << 17) | (b >>> 15)) ^ a
  a = (a + b) | 0; b = ((b << 29) | (b >>> 3)) ^ a
  a = (a + b) | 0; b = ((b << 16) | (b >>> 16)) ^ a
  a = (a + b) | 0; b = ((b << 24) | (b >>> 8)) ^ a
  a = (a + key1) | 0; b = (b + key2 + 4) | 0

  a = (a + b) | 0; b = ((b << 13) | (b >>> 19)) ^ a
  a = (a + b) | 0; b = ((b << 15) | (b >>> 17)) ^ a
  a = (a + b) | 0; b = ((b << 26) | (b >>> 6)) ^ a
  a = (a + b) | 0; b = ((b << 6) | (b >>> 26)) ^ a
  out[0] = (a + key2) | 0
  out[1] = (b + key0 + 5) | 0
}

/** A number in [0, 1) with 53 random bits from two words. */
export function unitInterval(word0: number, word1: number): number {
  return ((word0 >>> 5) * 67108864 + (word1 >>> 6)) / 9007199254740992
}
