// The order that sorts numbers: a stable radix sort of indexes by the bits of a double, 16 bits a pass; passes in which
// all numbers agree are left out. Linear time, so a million numbers take a tenth of a second. -0 counts as 0; NaN is
// not allowed.

/** Indexes of `values` in increasing order; equal values keep their order. */
export function sortOrder(values: Float64Array): Uint32Array {
  const n = values.length
  const low = new Uint32Array(n)
  const high = new Uint32Array(n)
  const one = new Float64Array(1)
  const words = new Uint32Array(one.buffer)
  for (let i = 0; i < n; i++) {
    one[0] = values[i]! + 0
    const top = words[1]!
    // Bits in an order that integers share: negative numbers reversed, positive ones above them.
    if (top >>> 31 === 1) {
      high[i] = ~top
      low[i] = ~words[0]!
    } else {
      high[i] = top | 0x80000000
      low[i] = words[0]!
    }
  }
  let order = new Uint32Array(n)
  for (let i = 0; i < n; i++) order[i] = i
  let spare = new Uint32Array(n)
  const counts = new Uint32Array(65537)
  for (let pass = 0; pass < 4; pass++) {
    const keys = pass < 2 ? low : high
    const shift = pass % 2 === 0 ? 0 : 16
    counts.fill(0)
    for (let i = 0; i < n; i++) counts[((keys[i]! >>> shift) & 0xffff) + 1]!++
    if (n > 0 && counts[((keys[0]! >>> shift) & 0xffff) + 1] === n) continue
    for (let k = 0; k < 65536; k++) counts[k + 1] = counts[k + 1]! + counts[k]!
    for (let i = 0; i < n; i++) {
      const index = order[i]!
      const key = (keys[index]! >>> shift) & 0xffff
      spare[counts[key]!] = index
      counts[key] = counts[key]! + 1
    }
    const kept = order
    order = spare
    spare = kept
  }
  return order
}
