// Quadratic forms of one vector in the symmetric matrices of every action.

/** Upper triangles, row by row, with the entries of four actions side by side; places without an action hold zeros. */
export function interleaved(matrices: readonly (readonly number[])[]): readonly Float64Array[] {
  const n = Math.sqrt(matrices[0]!.length)
  return Array.from({ length: Math.ceil(matrices.length / 4) }, (_, group) => {
    const out = new Float64Array(2 * n * (n + 1))
    let to = 0
    for (let i = 0; i < n; i++) {
      for (let j = i; j < n; j++) {
        for (let a = 4 * group; a < 4 * group + 4; a++) out[to++] = matrices[a]?.[i * n + j] ?? 0
      }
    }
    return out
  })
}

/** out[a] = v'M_a v, never below 0, four actions at a time; the bits of each do not depend on its neighbours. */
export function quadraticForms(
  groups: readonly Float64Array[],
  vector: Float64Array,
  n: number,
  out: Float64Array,
): void {
  for (let group = 0; group < groups.length; group++) {
    const m = groups[group]!
    let sum0 = 0,
      sum1 = 0,
      sum2 = 0,
      sum3 = 0
    for (let i = 0, at = 0; i < n; i++) {
      const value = vector[i]!
      const d0 = m[at]! * value,
        d1 = m[at + 1]! * value,
        d2 = m[at + 2]! * value,
        d3 = m[at + 3]! * value
      at += 4
      let row0 = 0,
        row1 = 0,
        row2 = 0,
        row3 = 0
      for (let j = i + 1; j < n; j++, at += 4) {
        const other = vector[j]!
        row0 += m[at]! * other
        row1 += m[at + 1]! * other
        row2 += m[at + 2]! * other
        row3 += m[at + 3]! * other
      }
      sum0 += value * (d0 + 2 * row0)
      sum1 += value * (d1 + 2 * row1)
      sum2 += value * (d2 + 2 * row2)
      sum3 += value * (d3 + 2 * row3)
    }
    const to = 4 * group
    out[to] = Math.max(0, sum0)
    out[to + 1] = Math.max(0, sum1)
    out[to + 2] = Math.max(0, sum2)
    out[to + 3] = Math.max(0, sum3)
  }
}
