// Functions of one column as data: straight lines between knots, or a cubic B-spline on equal segments.

export type Curve =
  | {
      readonly kind: 'line'
      /** Knots, increasing, and the values there. */
      readonly x: readonly number[]
      readonly y: readonly number[]
      /** Beyond the knots the curve stays at the last value or goes on straight. */
      readonly beyond: 'constant' | 'linear'
    }
  | {
      readonly kind: 'b-spline'
      readonly low: number
      readonly high: number
      /** Segments + 3 of them. */
      readonly coefficients: readonly number[]
    }

export type CompiledCurve = (x: number) => number

export function compileCurve(curve: Curve): CompiledCurve {
  return curve.kind === 'line' ? compileLine(curve) : compileSpline(curve)
}

function compileLine({ x, y, beyond }: Extract<Curve, { kind: 'line' }>): CompiledCurve {
  const knots = Float64Array.from(x)
  const values = Float64Array.from(y)
  const last = knots.length - 1
  if (last === 0) return () => values[0]!
  const slopes = Float64Array.from(
    { length: last },
    (_, i) => (values[i + 1]! - values[i]!) / (knots[i + 1]! - knots[i]!),
  )
  const straight = beyond === 'linear'
  return (at) => {
    if (at <= knots[0]!) return straight ? values[0]! + slopes[0]! * (at - knots[0]!) : values[0]!
    if (at >= knots[last]!) return straight ? values[last]! + slopes[last - 1]! * (at - knots[last]!) : values[last]!
    let low = 0
    let high = last
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (knots[middle]! <= at) low = middle
      else high = middle
    }
    return values[low]! + slopes[low]! * (at - knots[low]!)
  }
}

/** Writes the four cubic B-splines that are not 0 at place t in [0, 1] of a segment. */
export function cubicWeights(t: number, out: Float64Array): void {
  const s = 1 - t
  out[0] = (s * s * s) / 6
  out[1] = (3 * t * t * t - 6 * t * t + 4) / 6
  out[2] = (3 * s * s * s - 6 * s * s + 4) / 6
  out[3] = (t * t * t) / 6
}

function compileSpline({ low, high, coefficients }: Extract<Curve, { kind: 'b-spline' }>): CompiledCurve {
  const c = Float64Array.from(coefficients)
  const segments = c.length - 3
  const scale = segments / (high - low)
  const weights = new Float64Array(4)
  const inside = (place: number) => {
    const segment = Math.min(segments - 1, Math.floor(place))
    cubicWeights(place - segment, weights)
    return (
      weights[0]! * c[segment]! +
      weights[1]! * c[segment + 1]! +
      weights[2]! * c[segment + 2]! +
      weights[3]! * c[segment + 3]!
    )
  }
  const first = inside(0)
  const last = inside(segments)
  const firstSlope = (c[2]! - c[0]!) / 2
  const lastSlope = (c[segments + 2]! - c[segments]!) / 2
  return (at) => {
    const place = (at - low) * scale
    if (place < 0) return first + firstSlope * place
    return place > segments ? last + lastSlope * (place - segments) : inside(place)
  }
}

/** The same line without knots that lie on the straight between their neighbours. */
export function lineThrough(x: ArrayLike<number>, y: ArrayLike<number>, beyond: 'constant' | 'linear'): Curve {
  const keptX: number[] = []
  const keptY: number[] = []
  const last = x.length - 1
  for (let i = 0; i <= last; i++) {
    if (i > 0 && i < last) {
      const before = keptX.length - 1
      const share = (x[i]! - keptX[before]!) / (x[i + 1]! - keptX[before]!)
      const straight = keptY[before]! + share * (y[i + 1]! - keptY[before]!)
      if (straight === y[i]) continue
    }
    keptX.push(x[i]!)
    keptY.push(y[i]!)
  }
  return { kind: 'line', x: keptX, y: keptY, beyond }
}
