// The pieces of Alg.1 (PRIMO) and Alg.2 (Cal) a second time, written from docs/method.md with plain arrays,
// Gaussian elimination and bisection. Everything is in inside units, numbers scaled to [-1, 1] and rewards to [0, 1].

import type { Random } from '@primo/numeric'
import { clip, cross, dot, ones, outer, solve } from '../../../numeric/src/algebra/naive-algebra.fixture.js'

const FLOOR = 0.05

/** method#inverse-gap-weighting */
export function weigh(scores: readonly number[], gamma: number): number[] {
  const K = scores.length
  const best = scores.indexOf(Math.max(...scores))
  const p = scores.map((score) => 1 / (K + gamma * (scores[best]! - score)))
  p[best] = 1 - p.reduce((sum, value, a) => (a === best ? sum : sum + value), 0)
  return p
}

export function choose(p: readonly number[], draw: number): number {
  let below = 0
  for (let a = 0; a < p.length; a++) {
    below += p[a]!
    if (draw < below) return a
  }
  return p.length - 1
}

export interface Row {
  readonly x: readonly number[]
  readonly pretrained: number
  readonly z: number
  readonly observed: boolean
  readonly imputed: number
  readonly action: number
  readonly reward: number
}

/** phi(x, z): 1, x, z and, where asked for, the products of z with every x. */
export function features(x: readonly number[], z: number, products: boolean): number[] {
  return [1, ...x, z, ...(products ? x.map((value) => z * value) : [])]
}

/** method#reward-fit with ridge 0.05 toward the pooled mean. */
export function fitRewards(rows: readonly Row[], K: number, products: boolean): number[][] {
  const mean = rows.reduce((sum, { reward }) => sum + reward, 0) / rows.length
  return Array.from({ length: K }, (_, a) => {
    const own = rows.filter(({ action }) => action === a)
    const phi = own.map(({ x, imputed }) => features(x, imputed, products))
    const p = features(rows[0]!.x, 0, products).length
    const right = cross(
      phi,
      ones(own.length),
      own.map(({ reward }) => reward - mean),
      p,
    )
    const theta = solve(outer(phi, ones(own.length), 0.05, p), right)
    theta[0]! += mean
    return theta
  })
}

export const logistic = (t: number) => 1 / (1 + Math.exp(-t))

/**
 * e-hat on D1: squared loss sum (b - s(w'(1, x)))^2 + 0.05 |w|^2 by Gauss-Newton with step halving from two starts, or
 * likelihood with ridge 0.5 by Newton; a constant when there are fewer than 5 of a kind.
 */
function fitObserved(rows: readonly Row[], model: 'constant' | 'logit', loss: 'squared' | 'likelihood') {
  const b: number[] = rows.map(({ observed }) => Number(observed))
  const count = b.reduce((sum, value) => sum + value, 0)
  const share = (count + 0.5) / (rows.length + 1)
  if (model === 'constant' || Math.min(count, rows.length - count) < 5) return () => clip(share, FLOOR, 1)
  const phi = rows.map(({ x }) => [1, ...x])
  const p = phi[0]!.length
  const ridge = loss === 'squared' ? 0.05 : 0.5
  const objective = (w: readonly number[]) =>
    phi.reduce(
      (sum, v, i) => {
        const e = logistic(dot(w, v))
        return sum + (loss === 'squared' ? (b[i]! - e) ** 2 : -Math.log(b[i] === 1 ? e : 1 - e))
      },
      (loss === 'squared' ? ridge : ridge / 2) * dot(w, w),
    )
  const descend = (start: number[]) => {
    let w = start
    for (let step = 0; step < 400; step++) {
      const e = phi.map((v) => logistic(dot(w, v)))
      const slope = e.map((value) => value * (1 - value))
      const weights = loss === 'squared' ? slope.map((s) => s * s) : slope
      const residual = e.map((value, i) => (b[i]! - value) * (loss === 'squared' ? slope[i]! : 1))
      const gradient = cross(phi, ones(rows.length), residual, p).map((value, i) => value - ridge * w[i]!)
      const direction = solve(outer(phi, weights, ridge, p), gradient)
      const now = objective(w)
      let scale = 1
      const moved = () => w.map((value, i) => value + scale * direction[i]!)
      while (scale > 1e-6 && objective(moved()) > now) scale /= 2
      if (Math.max(...direction.map(Math.abs)) < 1e-9 || scale <= 1e-6) break
      w = moved()
    }
    return w
  }
  const constant = [Math.log(share / (1 - share)), ...ones(p - 1).map(() => 0)]
  const [w] = [descend(ones(p).map(() => 0)), descend(constant)].sort((a, c) => objective(a) - objective(c))
  return (x: readonly number[]) => clip(logistic(dot(w!, [1, ...x])), FLOOR, 1)
}

/** method#ball by bisection on the multiplier: (A + mu S) beta = c with beta'S beta <= radius^2. */
function inBall(A: number[][], c: readonly number[], S: readonly number[][], radius: number | undefined): number[] {
  const at = (mu: number) =>
    solve(
      A.map((row, i) => row.map((value, j) => value + mu * S[i]![j]!)),
      c,
    )
  const size = (beta: readonly number[]) =>
    Math.sqrt(
      dot(
        beta,
        S.map((row) => dot(row, beta)),
      ),
    )
  if (radius === undefined || size(at(0)) <= radius) return at(0)
  let [low, high] = [0, 1]
  while (size(at(high)) > radius) high *= 2
  for (let step = 0; step < 200; step++) {
    const mu = (low + high) / 2
    if (size(at(mu)) > radius) low = mu
    else high = mu
  }
  return at(high)
}

export interface NaiveCalibration {
  readonly basis: (x: readonly number[]) => number[]
  readonly split: 'half' | 'swap'
  readonly weighted: boolean
  readonly model: 'constant' | 'logit'
  readonly loss: 'squared' | 'likelihood'
  readonly minimumRows: number
  /** In inside units. */
  readonly radius: number | undefined
}

/** method#calibration: the correction's coefficients, or null where g~ stays as it is. */
export function calibrate(rows: readonly Row[], settings: NaiveCalibration, random: Random): number[] | null {
  if (rows.filter(({ observed }) => observed).length < settings.minimumRows) return null
  const order = [...random.permutation(rows.length)]
  const half = Math.floor(rows.length / 2)
  const inFirst = new Set(order.slice(0, half))
  const halves = [rows.filter((_, i) => inFirst.has(i)), rows.filter((_, i) => !inFirst.has(i))] as const
  const all = rows.map(({ x }) => settings.basis(x))
  const p = all[0]!.length
  const S = outer(
    all,
    ones(all.length).map((one) => one / all.length),
    0,
    p,
  )
  const pairs = settings.split === 'half' ? [halves] : [halves, [halves[1], halves[0]] as const]
  const fits = pairs.flatMap(([first, second]) => {
    const e = settings.weighted ? fitObserved(first, settings.model, settings.loss) : () => 1
    const known = second.filter(({ observed }) => observed)
    if (known.length === 0) return []
    const B = known.map(({ x }) => settings.basis(x))
    const w = known.map(({ x }) => 1 / e(x))
    const y = known.map(({ z, pretrained: predicted }) => z - predicted)
    return [inBall(outer(B, w, 1, p), cross(B, w, y, p), S, settings.radius)]
  })
  if (fits.length === 0) return null
  return fits[0]!.map((_, k) => fits.reduce((sum, beta) => sum + beta[k]!, 0) / fits.length)
}
