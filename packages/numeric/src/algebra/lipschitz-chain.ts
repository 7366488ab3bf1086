// Weighted least squares over a chain with bounded steps: min sum w_i (y_i - h_i)^2 subject to |h_i - h_{i-1}| <=
// reach_i. Exact dynamic programme: V_i(h) = least cost of the points up to i given h_i = h. V' increases and is
// piecewise linear; passing a constraint of width c moves what lies left of the zero by -c and what lies right of it by
// +c, with 0 between; a new point adds w (h - y), a slope everywhere. Breakpoints lie in two stacks, nearest to the
// zero on top, with one shift per side. Going back, h_i is the minimiser of V_i moved into reach of h_{i+1}.

/** reach[i] >= 0 bounds the step from i - 1 to i; reach[0] is not used. Weights > 0. */
export function solveChain(y: Float64Array, w: Float64Array, reach: Float64Array): Float64Array {
  const n = y.length
  const h = new Float64Array(n)
  if (n === 0) return h
  const left = new Breakpoints(n)
  const right = new Breakpoints(n)
  // Slopes of V' on either side of its zero, less `added`, what every point since has added to all slopes.
  let added = w[0]!
  let leftSlope = 0
  let rightSlope = 0
  let zero = y[0]!
  h[0] = zero
  for (let i = 1; i < n; i++) {
    const c = reach[i]!
    const target = y[i]!
    left.shift -= c
    right.shift += c
    left.push(zero - c, leftSlope + added)
    right.push(zero + c, rightSlope + added)
    added += w[i]!
    // Between the two breakpoints V' is w (h - y): slope w, which is added - what was added before.
    const flat = w[i]! - added
    const low = zero - c
    const high = zero + c
    if (target >= low && target <= high) {
      zero = target
      leftSlope = flat
      rightSlope = flat
    } else {
      const forward = target > high
      const ahead = forward ? right : left
      const behind = forward ? left : right
      let at = forward ? high : low
      let value = w[i]! * (at - target)
      let slope = flat
      for (;;) {
        const end = ahead.empty ? at : ahead.position()
        const next = at - value / (slope + added)
        if (ahead.empty || (forward ? next <= end : next >= end)) {
          zero = next
          break
        }
        value += (slope + added) * (end - at)
        at = end
        const change = ahead.change()
        ahead.pop()
        slope += change
        behind.push(at, -change)
      }
      leftSlope = slope
      rightSlope = slope
    }
    h[i] = zero
  }
  for (let i = n - 2; i >= 0; i--) {
    const next = h[i + 1]!
    const c = reach[i + 1]!
    h[i] = Math.min(next + c, Math.max(next - c, h[i]!))
  }
  return h
}

/**
 * Breakpoints of a slope on one side of the zero: where, and by how much the slope changes when it is crossed outward.
 */
class Breakpoints {
  shift = 0
  #top = -1
  #positions: Float64Array
  #changes: Float64Array

  constructor(points: number) {
    this.#positions = new Float64Array(2 * points)
    this.#changes = new Float64Array(2 * points)
  }

  get empty(): boolean {
    return this.#top < 0
  }

  push(position: number, change: number): void {
    this.#top++
    this.#positions[this.#top] = position - this.shift
    this.#changes[this.#top] = change
  }

  pop(): void {
    this.#top--
  }

  position(): number {
    return this.#positions[this.#top]! + this.shift
  }

  change(): number {
    return this.#changes[this.#top]!
  }
}
