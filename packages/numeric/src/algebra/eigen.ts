// Eigen-decomposition of a real symmetric matrix: A = V diag(values) V', values increasing. Householder reflections
// bring A to tridiagonal form T = Q' A Q; implicit QL steps with Wilkinson's shift make T diagonal, the rotations being
// collected in Q. Cost about 9 n^3 operations. The matrix is first scaled by a power of two to a largest entry near 1
// (exact, and no square can overflow); what is then below 1e-100 counts as zero.

import { PrimoError } from '../errors.js'

export interface Eigen {
  /** Increasing. */
  readonly values: Float64Array
  /** Row-major; column k belongs to values[k]. */
  readonly vectors: Float64Array
}

const NEGLIGIBLE = 1e-100

/** Reads the upper triangle of `matrix` (n x n, row-major). */
export function symmetricEigen(matrix: Float64Array, n: number): Eigen {
  const a = new Float64Array(n * n)
  let largest = 0
  for (let i = 0; i < n; i++) {
    for (let j = i; j < n; j++) {
      const value = matrix[i * n + j]!
      if (!Number.isFinite(value)) {
        throw new PrimoError('not-finite', `matrix must be finite, got ${value} at (${i}, ${j})`, { row: i, column: j })
      }
      a[i * n + j] = value
      a[j * n + i] = value
      largest = Math.max(largest, Math.abs(value))
    }
  }
  const scale = largest === 0 ? 1 : 2 ** Math.max(-1000, Math.min(1000, Math.floor(Math.log2(largest))))
  for (let i = 0; i < a.length; i++) a[i] = a[i]! / scale
  const diagonal = new Float64Array(n)
  const offDiagonal = new Float64Array(n)
  const q = tridiagonalise(a, n, diagonal, offDiagonal)
  diagonalise(diagonal, offDiagonal, q, n)
  for (let i = 0; i < n; i++) diagonal[i] = diagonal[i]! * scale
  return sortIncreasing(diagonal, q, n)
}

/**
 * Overwrites `a`; fills the tridiagonal matrix (offDiagonal[i] couples i and i + 1) and returns Q transposed, by rows.
 */
function tridiagonalise(a: Float64Array, n: number, diagonal: Float64Array, offDiagonal: Float64Array): Float64Array {
  const q = new Float64Array(n * n)
  for (let i = 0; i < n; i++) q[i * n + i] = 1
  const v = new Float64Array(n)
  const product = new Float64Array(n)
  for (let k = 0; k < n - 2; k++) {
    let norm = 0
    for (let i = k + 1; i < n; i++) norm += a[i * n + k]! * a[i * n + k]!
    norm = Math.sqrt(norm)
    if (norm <= NEGLIGIBLE) {
      a[(k + 1) * n + k] = 0
      continue
    }
    const head = a[(k + 1) * n + k]!
    const alpha = head > 0 ? -norm : norm
    let square = 0
    for (let i = k + 1; i < n; i++) {
      const value = i === k + 1 ? head - alpha : a[i * n + k]!
      v[i] = value
      square += value * value
    }
    const beta = 2 / square
    // A <- H A H with H = I - beta v v':  p = beta A v, w = p - (beta/2)(p'v) v, A <- A - v w' - w v'.
    let pv = 0
    for (let i = k; i < n; i++) {
      let sum = 0
      for (let j = k + 1; j < n; j++) sum += a[i * n + j]! * v[j]!
      product[i] = beta * sum
      if (i > k) pv += product[i]! * v[i]!
    }
    const half = (beta / 2) * pv
    for (let i = k + 1; i < n; i++) product[i] = product[i]! - half * v[i]!
    for (let i = k + 1; i < n; i++) {
      for (let j = k + 1; j < n; j++) a[i * n + j] = a[i * n + j]! - v[i]! * product[j]! - product[i]! * v[j]!
    }
    a[(k + 1) * n + k] = alpha
    a[k * n + k + 1] = alpha
    // Rows of q are the columns of Q: Q <- Q H.
    for (let column = 0; column < n; column++) {
      let sum = 0
      for (let i = k + 1; i < n; i++) sum += v[i]! * q[i * n + column]!
      sum *= beta
      for (let i = k + 1; i < n; i++) q[i * n + column] = q[i * n + column]! - sum * v[i]!
    }
  }
  for (let i = 0; i < n; i++) {
    diagonal[i] = a[i * n + i]!
    offDiagonal[i] = i + 1 < n ? a[(i + 1) * n + i]! : 0
  }
  return q
}

function diagonalise(d: Float64Array, e: Float64Array, q: Float64Array, n: number): void {
  // Couplings below `dropped` are zero: rounding of the size already met. Against the neighbours alone, the noise that
  // a matrix of low rank leaves below its few large rows does not converge.
  let dropped = NEGLIGIBLE
  for (let low = 0; low < n; low++) {
    dropped = Math.max(dropped, Number.EPSILON * (Math.abs(d[low]!) + Math.abs(e[low]!)))
    for (let iteration = 0; ; iteration++) {
      let high = low
      while (high + 1 < n && Math.abs(e[high]!) > dropped) high++
      if (high === low) break
      if (iteration === 60) {
        throw new PrimoError('not-finite', `eigenvalues must converge in 60 steps, got no convergence at ${low}`, {
          low,
        })
      }
      // Wilkinson's shift, then one implicit QL sweep from `high` down to `low`.
      let g = (d[low + 1]! - d[low]!) / (2 * e[low]!)
      let r = Math.sqrt(g * g + 1)
      g = d[high]! - d[low]! + e[low]! / (g + (g >= 0 ? r : -r))
      let s = 1
      let c = 1
      let p = 0
      let i = high - 1
      for (; i >= low; i--) {
        const f = s * e[i]!
        const b = c * e[i]!
        r = length(f, g)
        e[i + 1] = r
        if (r === 0) {
          d[i + 1] = d[i + 1]! - p
          e[high] = 0
          break
        }
        s = f / r
        c = g / r
        g = d[i + 1]! - p
        r = (d[i]! - g) * s + 2 * c * b
        p = s * r
        d[i + 1] = g + p
        g = c * r - b
        rotateRows(q, n, i, s, c)
      }
      if (r === 0 && i >= low) continue
      d[low] = d[low]! - p
      e[low] = g
      e[high] = 0
    }
  }
}

/** sqrt(f^2 + g^2), also where the squares would underflow: a rotation must stay orthogonal. */
function length(f: number, g: number): number {
  const direct = Math.sqrt(f * f + g * g)
  return direct > NEGLIGIBLE ? direct : Math.sqrt((f * 2 ** 500) ** 2 + (g * 2 ** 500) ** 2) / 2 ** 500
}

function rotateRows(q: Float64Array, n: number, i: number, s: number, c: number): void {
  const at = i * n
  const next = at + n
  for (let k = 0; k < n; k++) {
    const upper = q[next + k]!
    const lower = q[at + k]!
    q[next + k] = s * lower + c * upper
    q[at + k] = c * lower - s * upper
  }
}

function sortIncreasing(values: Float64Array, q: Float64Array, n: number): Eigen {
  const order = Array.from({ length: n }, (_, i) => i).sort((i, j) => values[i]! - values[j]! || i - j)
  const sorted = new Float64Array(n)
  const vectors = new Float64Array(n * n)
  order.forEach((from, to) => {
    sorted[to] = values[from]!
    for (let row = 0; row < n; row++) vectors[row * n + to] = q[from * n + row]!
  })
  return { values: sorted, vectors }
}
