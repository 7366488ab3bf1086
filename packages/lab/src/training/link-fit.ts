// How held-out scores become calibrated log odds: t_k = slope score_k + offset_k with the smallest log loss, by Newton's method
// (steps halved until they help) with a ridge of one row toward slope 1 and offsets 0. With more levels than MAX_OFFSETS the slope alone.

import type { TrainedModel, TrainedTarget } from '@primo/core'
import { cholesky, solveCholesky } from '@primo/numeric'

const STEPS = 12
const MAX_OFFSETS = 20
const STARTS = [1, 0.3, 0.1, 0.03, 0.01, 0.003]

/** scores[k][i]: score k of held-out row i. */
export function fitLink(
  target: TrainedTarget,
  scores: readonly Float64Array[],
  truths: Float64Array,
  weights: Float64Array | null,
): TrainedModel['link'] {
  const count = scores.length
  if (target.type === 'number') return { slope: 1, offsets: [0] }
  const free = count > MAX_OFFSETS ? 0 : count
  const size = 1 + free
  const theta = new Float64Array(size)
  const p = new Float64Array(count)
  // Where scores are far too sure, the loss is flat at slope 1 and Newton's steps lead nowhere.
  let least = Number.POSITIVE_INFINITY
  for (const slope of STARTS) {
    const loss = penalisedLoss(scores, truths, weights, Float64Array.of(slope, ...new Float64Array(free)), free, p)
    if (!(loss < least)) continue
    least = loss
    theta[0] = slope
  }
  const gradient = new Float64Array(size)
  const hessian = new Float64Array(size * size)
  for (let step = 0; step < STEPS; step++) {
    gradient.fill(0)
    hessian.fill(0)
    for (let i = 0; i < truths.length; i++) {
      const weight = weights === null ? 1 : weights[i]!
      probabilities(scores, i, theta, free, p)
      const truth = truths[i]!
      // Derivatives of the log loss by t_k are p_k - y_k, and p_k (1[k = l] - p_l).
      let [mean, square, slope] = [0, 0, 0]
      for (let k = 0; k < count; k++) {
        const s = scores[k]![i]!
        const y = count === 1 ? truth : truth === k ? 1 : 0
        mean += p[k]! * s
        square += p[k]! * s * s
        slope += (p[k]! - y) * s
      }
      gradient[0] = gradient[0]! + weight * slope
      hessian[0] = hessian[0]! + weight * (square - mean * mean)
      for (let k = 0; k < free; k++) {
        const y = count === 1 ? truth : truth === k ? 1 : 0
        const at = k + 1
        gradient[at] = gradient[at]! + weight * (p[k]! - y)
        hessian[at] = hessian[at]! + weight * p[k]! * (scores[k]![i]! - mean)
        for (let l = 0; l <= k; l++)
          hessian[at * size + l + 1] = hessian[at * size + l + 1]! + weight * p[k]! * ((k === l ? 1 : 0) - p[l]!)
      }
    }
    for (let a = 0; a < size; a++) {
      for (let b = 0; b < a; b++) {
        const value = b === 0 ? hessian[a]! : hessian[a * size + b]!
        hessian[a * size + b] = value
        hessian[b * size + a] = value
      }
      gradient[a] = gradient[a]! + (theta[a]! - (a === 0 ? 1 : 0))
      hessian[a * size + a] = hessian[a * size + a]! + 1
    }
    const move = solveCholesky(cholesky(hessian, size), size, gradient)
    const now = penalisedLoss(scores, truths, weights, theta, free, p)
    // Scores that are far too sure make a full step overshoot.
    let share = 1
    let next = theta.map((value, a) => value - move[a]!)
    while (share > 1e-3 && !(penalisedLoss(scores, truths, weights, next, free, p) <= now)) {
      share /= 2
      next = theta.map((value, a) => value - share * move[a]!)
    }
    if (share <= 1e-3) break
    theta.set(next)
    if (move.every((value) => Math.abs(value) < 1e-7)) break
  }
  const offsets = Array.from({ length: count }, (_, k) => (free === 0 ? 0 : theta[k + 1]!))
  // A slope that is not positive says that the scores say nothing.
  return { slope: Math.max(0, theta[0]!), offsets }
}

function penalisedLoss(
  scores: readonly Float64Array[],
  truths: Float64Array,
  weights: Float64Array | null,
  theta: Float64Array,
  free: number,
  p: Float64Array,
): number {
  let sum = 0
  for (let i = 0; i < truths.length; i++) {
    probabilities(scores, i, theta, free, p)
    const own = scores.length === 1 ? (truths[i] === 1 ? p[0]! : 1 - p[0]!) : p[truths[i]!]!
    sum -= (weights === null ? 1 : weights[i]!) * Math.log(Math.max(1e-300, own))
  }
  return theta.reduce((total, value, a) => total + (value - (a === 0 ? 1 : 0)) ** 2 / 2, sum)
}

function probabilities(
  scores: readonly Float64Array[],
  i: number,
  theta: Float64Array,
  free: number,
  p: Float64Array,
): void {
  const offset = (k: number) => (free === 0 ? 0 : theta[k + 1]!)
  if (scores.length === 1) {
    p[0] = 1 / (1 + Math.exp(-(theta[0]! * scores[0]![i]! + offset(0))))
    return
  }
  let largest = Number.NEGATIVE_INFINITY
  for (let k = 0; k < p.length; k++) {
    p[k] = theta[0]! * scores[k]![i]! + offset(k)
    largest = Math.max(largest, p[k]!)
  }
  let sum = 0
  for (let k = 0; k < p.length; k++) {
    p[k] = Math.exp(p[k]! - largest)
    sum += p[k]!
  }
  for (let k = 0; k < p.length; k++) p[k] = p[k]! / sum
}
