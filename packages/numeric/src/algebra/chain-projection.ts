// The nearest h to y with |h_0| <= reach_0 and |h_i - h_{i-1}| <= reach_i: least squares over Lipschitz functions on a
// line. Exact dynamic programme. V_i(h) = least cost up to i given h_i = h; V_i' is increasing and piecewise linear.
// Passing a constraint of width c moves the part left of the minimum by -c, the part right of it by +c, and leaves 0
// between; adding (h - y)^2/2 raises all slopes by 1. Going back, h_i is the minimiser of V_i moved into reach of
// h_{i+1}.

import { requireLength } from '../checks.js'

/** The nearest h to y whose steps are within reach: least squares over Lipschitz functions on a line. */
export function projectChain(y: Float64Array, reach: Float64Array): Float64Array {
  const n = y.length
  requireLength('reach', reach.length, n)
  const minimisers = new Float64Array(n)
  // Pieces of V' on either side of the minimum, nearest on top; slopes share `raised`, ends share a shift per side.
  const left = new PieceStack(-1, n)
  const right = new PieceStack(1, n)
  let raised = 0
  let minimum = 0
  for (let i = 0; i < n; i++) {
    const c = reach[i]!
    left.shift -= c
    right.shift += c
    raised += 1
    const target = y[i]!
    const low = minimum - c
    const high = minimum + c
    if (target < low) {
      right.push(high, 1 - raised, 0)
      minimum = walk(left, right, low, low - target, raised)
    } else if (target > high) {
      left.push(low, 1 - raised, 0)
      minimum = walk(right, left, high, high - target, raised)
    } else {
      left.push(low, 1 - raised, 0)
      right.push(high, 1 - raised, 0)
      minimum = target
    }
    minimisers[i] = minimum
  }
  const h = new Float64Array(n)
  h[n - 1] = minimisers[n - 1]!
  for (let i = n - 2; i >= 0; i--) {
    const next = h[i + 1]!
    const c = reach[i + 1]!
    h[i] = Math.min(next + c, Math.max(next - c, minimisers[i]!))
  }
  return h
}

/** Follows the derivative from `value` at `from` along `ahead` to its zero; passed pieces go to `behind`. */
function walk(ahead: PieceStack, behind: PieceStack, from: number, value: number, raised: number): number {
  let at = from
  let v = value
  for (;;) {
    const jump = ahead.jump()
    if (jump > 0) {
      const crossed = Math.min(jump, Math.abs(v))
      behind.push(at, 0, crossed)
      if (crossed < jump) {
        ahead.shorten(jump - crossed)
        return at
      }
      v -= Math.sign(v) * crossed
      ahead.pop()
      continue
    }
    const end = ahead.end()
    const stored = ahead.slope()
    const slope = stored + raised
    const zero = at - v / slope
    behind.push(at, stored, 0)
    if (ahead.outward > 0 ? zero <= end : zero >= end) return zero
    ahead.pop()
    v += slope * (end - at)
    at = end
  }
}

/** Pieces of a derivative away from its zero: a slope up to a far end, or a jump of some height at one point. */
class PieceStack {
  shift = 0
  readonly outward: number
  #top = 0
  #ends: Float64Array
  #slopes: Float64Array
  #jumps: Float64Array

  /** The outermost piece is a jump without end: nothing beyond the anchor is allowed. */
  constructor(outward: number, points: number) {
    this.outward = outward
    this.#ends = new Float64Array(points + 2)
    this.#slopes = new Float64Array(points + 2)
    this.#jumps = new Float64Array(points + 2)
    this.#jumps[0] = Number.POSITIVE_INFINITY
  }

  push(end: number, slope: number, jump: number): void {
    const at = ++this.#top
    if (at === this.#ends.length) this.#grow()
    this.#ends[at] = end - this.shift
    this.#slopes[at] = slope
    this.#jumps[at] = jump
  }

  pop(): void {
    this.#top--
  }

  shorten(jump: number): void {
    this.#jumps[this.#top] = jump
  }

  /** Far end of the nearest piece. */
  end(): number {
    return this.#ends[this.#top]! + this.shift
  }

  slope(): number {
    return this.#slopes[this.#top]!
  }

  /** Height of the nearest piece's jump; 0 for a sloped one. */
  jump(): number {
    return this.#jumps[this.#top]!
  }

  #grow(): void {
    const larger = (old: Float64Array): Float64Array => {
      const out = new Float64Array(2 * old.length)
      out.set(old)
      return out
    }
    this.#ends = larger(this.#ends)
    this.#slopes = larger(this.#slopes)
    this.#jumps = larger(this.#jumps)
  }
}
