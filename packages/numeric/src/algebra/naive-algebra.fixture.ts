// Linear algebra on plain arrays, naive on purpose: for second implementations in tests.

export const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)
export const clip = (value: number, low: number, high: number) => Math.min(high, Math.max(low, value))

export function solve(matrix: readonly (readonly number[])[], right: readonly number[]): number[] {
  const n = right.length
  const rows = matrix.map((row, i) => [...row, right[i]!])
  for (let k = 0; k < n; k++) {
    const pivot = rows
      .slice(k)
      .reduce((best, row, i) => (Math.abs(row[k]!) > Math.abs(rows[best]![k]!) ? k + i : best), k)
    ;[rows[k], rows[pivot]] = [rows[pivot]!, rows[k]!]
    for (let i = k + 1; i < n; i++) {
      const factor = rows[i]![k]! / rows[k]![k]!
      for (let j = k; j <= n; j++) rows[i]![j]! -= factor * rows[k]![j]!
    }
  }
  const solution = new Array<number>(n).fill(0)
  for (let i = n - 1; i >= 0; i--) {
    const known = solution.reduce((sum, value, j) => (j > i ? sum + rows[i]![j]! * value : sum), 0)
    solution[i] = (rows[i]![n]! - known) / rows[i]![i]!
  }
  return solution
}

/** sum w v v' + ridge I. */
export function outer(
  vectors: readonly (readonly number[])[],
  weights: readonly number[],
  ridge: number,
  p: number,
): number[][] {
  return Array.from({ length: p }, (_, i) =>
    Array.from({ length: p }, (_, j) =>
      vectors.reduce((sum, v, k) => sum + weights[k]! * v[i]! * v[j]!, i === j ? ridge : 0),
    ),
  )
}

/** sum w y v. */
export function cross(
  vectors: readonly (readonly number[])[],
  weights: readonly number[],
  targets: readonly number[],
  p: number,
) {
  return Array.from({ length: p }, (_, i) => vectors.reduce((sum, v, k) => sum + weights[k]! * targets[k]! * v[i]!, 0))
}

export const ones = (count: number) => new Array<number>(count).fill(1)
