// Critical radii (method#theory-checks; errata E18, E32). Linear class by Monte Carlo against t sqrt(p/N); kernel
// exponents in N; slopes of least squares beyond d = 2; the Lipschitz and convex Lipschitz classes by Monte Carlo,
// exponents in N and in L.

import { slope, summarise } from '@primo/lab'
import { Random } from '@primo/numeric'
import {
  complexityAt,
  convexLipschitzComplexity,
  ellipsoidRadius,
  entropyRadius,
  linearComplexity,
  lipschitzComplexity,
  monteCarloRadius,
  sobolevEigenvalues,
} from '@primo/theory'
import { between, type Check, type CheckLine, near } from './check.js'

export const radiusCheck: Check = {
  title: 'E18, E32: critical radii',
  // Linear class: 5 normal features; kernels: (pi j)^-2m over N = 10^8..10^12; d > 2: over N = 10^8..10^14.
  lines: ({ seed, quick }) => {
    const random = Random.fromSeed(seed).split('radius')
    return [
      ...linearLines(random.split('linear'), quick),
      ...kernelLines(),
      ...entropyLines(),
      ...lineClassLines(random.split('line'), quick),
    ]
  },
}

function linearLines(random: Random, quick: boolean): CheckLine[] {
  const samples = quick ? 20 : 100
  return [50, 500].flatMap((rows) => {
    const ratios = Array.from({ length: samples }, (_, k) => {
      const stream = random.split(rows, k)
      const features = Float64Array.from({ length: rows * 5 }, () => stream.normal())
      const complexity = linearComplexity({ features, columns: 5, random: stream, draws: 200 })
      return complexityAt(complexity, 0.3).value / (0.3 * Math.sqrt(5 / rows))
    })
    const { mean, standardError } = summarise(ratios)
    const quoted = rows === 50 ? 0.953 : 0.965
    const radius = (() => {
      const stream = random.split('radius', rows)
      const features = Float64Array.from({ length: rows * 5 }, () => stream.normal())
      return monteCarloRadius(linearComplexity({ features, columns: 5, random: stream, draws: 200 }))
    })()
    return [
      between({
        what: `linear, N = ${rows}: R(t) / (t sqrt(p/N))`,
        measured: mean,
        standardError,
        low: 0.94,
        high: 1,
        quoted: `${quoted} (0.95..1)`,
      }),
      near({
        what: `linear, N = ${rows}: radius / (16 sqrt(p/N))`,
        measured: radius.radius / (16 * Math.sqrt(5 / rows)),
        standardError: radius.standardError / (16 * Math.sqrt(5 / rows)),
        quoted: 0.975,
        tolerance: 0.025,
        as: '0.95..1',
      }),
    ]
  })
}

/** Slope of log radius on log N over a grid of decades. */
function rowSlope(from: number, to: number, radius: (rows: number) => number): number {
  const decades = Array.from({ length: 9 }, (_, k) => from + ((to - from) * k) / 8)
  return slope(
    decades.map((decade) => decade * Math.LN10),
    decades.map((decade) => Math.log(radius(10 ** decade))),
  )
}

function kernelLines(): CheckLine[] {
  const quoted = { 1: -0.3326, 2: -0.397 } as const
  return ([1, 2] as const).map((smoothness) => {
    const eigenvalues = sobolevEigenvalues(smoothness, 20_000)
    const measured = rowSlope(8, 12, (rows) => ellipsoidRadius({ eigenvalues, rows }).radius)
    const d = 1 / smoothness
    return near({
      what: `kernel, d = ${d}: exponent in N (theory -1/(d+2) = ${(-1 / (d + 2)).toFixed(3)})`,
      measured,
      quoted: quoted[smoothness],
      tolerance: 0.005,
    })
  })
}

function entropyLines(): CheckLine[] {
  const quoted = { 3: -0.163, 4: -0.124, 6: -0.083 } as const
  return ([3, 4, 6] as const).map((entropyExponent) =>
    near({
      what: `entropy d = ${entropyExponent}: slope in N (theory -1/(2d) = ${(-1 / (2 * entropyExponent)).toFixed(4)}, printed ${(-1 / (entropyExponent + 2)).toFixed(4)})`,
      measured: rowSlope(8, 14, (rows) => entropyRadius({ entropyExponent, rows }).radius),
      quoted: quoted[entropyExponent],
      tolerance: 0.005,
    }),
  )
}

type LineClass = 'lipschitz' | 'convex'

/** Exponents of the Monte-Carlo radius (root of R(t) = t^2) in N and L, each from a step by a factor 4. */
function lineClassLines(random: Random, quick: boolean): CheckLine[] {
  const draws = quick ? 10 : 20
  const samples = quick ? 2 : 6
  const rows = quick ? 160 : 250
  const radius = (name: LineClass, n: number, lipschitz: number, k: number): number => {
    const stream = random.split(name, n, k)
    const points = Float64Array.from({ length: n }, () => stream.uniform())
    const options = { points, lipschitz, random: stream, draws }
    // Around a strictly convex function: around a straight line the convex class is locally much smaller.
    const centre = points.map((x) => lipschitz * (x * x - x))
    const complexity =
      name === 'convex' ? convexLipschitzComplexity({ ...options, knots: 48, centre }) : lipschitzComplexity(options)
    return monteCarloRadius(complexity, false).radius
  }
  return (['lipschitz', 'convex'] as const).flatMap((name) => {
    const inRows: number[] = []
    const inSlope: number[] = []
    for (let k = 0; k < samples; k++) {
      const many = radius(name, 4 * rows, 1, k)
      inRows.push(Math.log(many / radius(name, rows, 1, k)) / Math.log(4))
      inSlope.push(Math.log(radius(name, 4 * rows, 4, k) / many) / Math.log(4))
    }
    const n = summarise(inRows)
    const l = summarise(inSlope)
    const theory = name === 'lipschitz' ? [-1 / 3, 1 / 3] : [-0.4, 0.2]
    const quoted = name === 'lipschitz' ? 'theory 1/3' : '0.200 (printed 0.4)'
    return [
      near({
        what: `${name}: Monte-Carlo exponent in N`,
        measured: n.mean,
        standardError: n.standardError,
        quoted: theory[0]!,
        tolerance: quick ? 0.12 : 0.05,
      }),
      near({
        what: `${name}: Monte-Carlo exponent in L`,
        measured: l.mean,
        standardError: l.standardError,
        quoted: theory[1]!,
        tolerance: quick ? 0.12 : 0.05,
        as: quoted,
      }),
    ]
  })
}
