// A function class's correction inside the ball ||h|| <= delta0 over all contexts (method#class-ball): where the free fit is
// larger, every context enters once more with target 0 and weight mu, and mu is found by bisection (exact for convex classes, a
// heuristic for others); at the end h is scaled into the ball, so that it holds whatever the class.

import type { Random } from '@primo/numeric'
import type { Predictor, Regression, RegressionRows } from '../regression/regression.js'
import { fitUsable, type UsableFit } from '../regression/usable-fit.js'
import type { FoldReport } from './calibrate.js'
import type { CorrectionTable } from './correction-table.js'

const BISECTIONS = 8
/** A correction this near to the ball's boundary is on it. */
const CLOSE = 0.02

export interface BallFit {
  readonly table: CorrectionTable
  readonly column: number
  /** Known rows of the fold, and their weights. */
  readonly chosen: readonly number[]
  readonly weights: Float64Array
  readonly input: 'context' | 'pretrained'
  readonly direct: boolean
  readonly regression: Regression
  readonly radius: number | undefined
}

/** A correction inside the ball. */
export interface BallFitted {
  readonly usable: UsableFit
  readonly scale: number
  /** h of every row of the table, scaled. */
  readonly values: Float64Array
  readonly report: FoldReport['columns'][number]
}

/** h of one column by the class, scaled into the ball where there is one. */
export function fitInBall(problem: BallFit, random: Random): BallFitted {
  const { table, column, chosen, weights, radius } = problem
  const attempt = (multiplier: number) => {
    const usable = fitUsable(
      problem.regression,
      rowsOf(problem, multiplier),
      random,
      problem.direct ? {} : { otherwise: 0 },
    )
    const values = corrections(problem, usable.predictor)
    return { multiplier, usable, values, size: rootMeanSquare(values) }
  }
  let best = attempt(0)
  if (radius !== undefined && best.size > radius * (1 + CLOSE)) {
    // From a multiplier far too small to one far too large.
    let low = Math.log(1e-3)
    let high = Math.log(1e3)
    for (let step = 0; step < BISECTIONS; step++) {
      const one = attempt(Math.exp((low + high) / 2))
      if (one.size > radius) low = Math.log(one.multiplier)
      else high = Math.log(one.multiplier)
      // The nearest to the boundary: what is left outside is scaled away.
      if (Math.abs(one.size - radius) < Math.abs(best.size - radius)) best = one
      if (Math.abs(one.size - radius) <= CLOSE * radius) break
    }
  }
  const scale = radius === undefined || best.size <= radius ? 1 : radius / best.size
  const values = scale === 1 ? best.values : best.values.map((value) => scale * value)
  let before = 0
  let after = 0
  let total = 0
  chosen.forEach((i, k) => {
    const at = i * table.width + column
    const residual = table.truth[at]! - table.pretrained[at]!
    before += weights[k]! * residual ** 2
    after += weights[k]! * (residual - values[i]!) ** 2
    total += weights[k]!
  })
  return {
    usable: best.usable,
    scale,
    values,
    report: {
      multiplier: best.multiplier,
      size: scale * best.size,
      lossBefore: before / total,
      lossAfter: after / total,
    },
  }
}

/** The known rows; with a multiplier also every context with target h = 0, in all `multiplier` times their weight. */
function rowsOf(problem: BallFit, multiplier: number): RegressionRows {
  const { table, column, chosen, weights, input, direct } = problem
  const { contextWidth: p, width } = table
  const columns = input === 'context' ? p : 1
  const pseudo = multiplier > 0 ? table.count : 0
  const count = chosen.length + pseudo
  const inputs = new Float64Array(count * columns)
  const targets = new Float64Array(count)
  const all = new Float64Array(count)
  const write = (to: number, i: number) => {
    if (input === 'pretrained') inputs[to] = table.pretrained[i * width + column]!
    else for (let k = 0; k < p; k++) inputs[to * p + k] = table.context[i * p + k]!
  }
  let total = 0
  chosen.forEach((i, to) => {
    const at = i * width + column
    write(to, i)
    targets[to] = direct ? table.truth[at]! : table.truth[at]! - table.pretrained[at]!
    all[to] = weights[to]!
    total += weights[to]!
  })
  for (let i = 0; i < pseudo; i++) {
    const to = chosen.length + i
    write(to, i)
    targets[to] = direct ? table.pretrained[i * width + column]! : 0
    all[to] = (multiplier * total) / pseudo
  }
  return { columns, count, inputs, targets, weights: all, ...(direct ? {} : { start: 0 }) }
}

/** h of every row of the table. */
function corrections({ table, column, input, direct }: BallFit, predictor: Predictor): Float64Array {
  const { count, width, pretrained } = table
  const own = Float64Array.from({ length: count }, (_, i) => pretrained[i * width + column]!)
  const out = new Float64Array(count)
  predictor.table(input === 'context' ? table.context : own, count, out)
  if (direct) for (let i = 0; i < count; i++) out[i] = out[i]! - own[i]!
  return out
}

function rootMeanSquare(values: Float64Array): number {
  let sum = 0
  for (const value of values) sum += value * value
  return Math.sqrt(sum / Math.max(1, values.length))
}
