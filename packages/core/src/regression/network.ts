// A small network trained with Adam (method#function-classes): two hidden layers of hyperbolic tangents, a last layer that
// starts at 0, so that training starts from the offset (for a correction: from h = 0). Batches of rows in seeded order, step
// size falling to 0 along a half cosine, weight decay, and the weights with the smallest held-out loss. Loss: squared, or log
// loss with log odds. Rows are first put in an order of their own, so the result depends on what they say and on the seed, not
// on their order.

import type { Random } from '@primo/numeric'
import {
  emptySums,
  invalidOption,
  requireAtLeast,
  requireInteger,
  requireOptions,
  solveRidge,
  sumRows,
} from '@primo/numeric'
import { compileNetwork, forward, layersOf, type NetworkModel } from './network-model.js'
import type { Regression, RegressionRows } from './regression.js'
import { canonicalRows, checkedRows, rowHashes, targetMean } from './regression-rows.js'

export interface NetworkOptions {
  readonly kind: 'network'
  /** Units of each hidden layer; default 16. */
  readonly hidden?: number
  /** Steps of Adam; default 2000. */
  readonly steps?: number
  /** Rows of a step; default 32. */
  readonly batch?: number
  /** First step size; default 0.01. */
  readonly rate?: number
  /** Weight decay per step, relative to the step size; default 1e-3. */
  readonly decay?: number
  /** Share of rows held out to choose the best weights; default 0.15, none under 40 rows. */
  readonly share?: number
}

type NetworkSettings = Required<Omit<NetworkOptions, 'kind'>>

const FEWEST_TO_HOLD_OUT = 40
const LOOK_EVERY = 100
const LEVERAGE_RIDGE = 1e-3
const MAX_LEVERAGE_ROWS = 4096

export function networkRegression(options: NetworkOptions): Regression<NetworkModel> {
  requireOptions('network', options, ['kind', 'hidden', 'steps', 'batch', 'rate', 'decay', 'share'])
  const { hidden = 16, steps = 2000, batch = 32, rate = 0.01, decay = 1e-3, share = 0.15 } = options
  requireInteger('network.hidden', hidden, 1)
  requireInteger('network.steps', steps, 1)
  requireInteger('network.batch', batch, 1)
  if (!(typeof rate === 'number' && rate > 0 && Number.isFinite(rate))) invalidOption('network.rate', '> 0', rate)
  requireAtLeast('network.decay', decay, 0)
  if (!(typeof share === 'number' && share >= 0 && share < 1)) invalidOption('network.share', 'in [0, 1)', share)
  const settings: NetworkSettings = { hidden, steps, batch, rate, decay, share }
  return {
    kind: 'network',
    takesMissing: false,
    fit: (rows, random) => fitNetwork(rows, settings, false, random),
    fitLogOdds: (rows, random) => fitNetwork(rows, settings, true, random),
    compile: compileNetwork,
    radius: () => null,
  }
}

function fitNetwork(given: RegressionRows, settings: NetworkSettings, logOdds: boolean, random: Random): NetworkModel {
  const rows = canonicalRows(checkedRows(given), random)
  const { columns } = rows
  const { weight, mean } = targetMean(rows)
  const share = Math.min(1 - 1e-6, Math.max(1e-6, mean))
  const offset = rows.start ?? (logOdds ? Math.log(share / (1 - share)) : mean)
  const { centre, scale } = scaling(rows, weight)
  const inputs = rows.inputs.map((value, i) => (value - centre[i % columns]!) / scale[i % columns]!)
  const problem: Training = { ...rows, inputs, offset, logOdds, ...heldOutRows(rows, settings.share, random) }
  const { weights, heldOut } = train(problem, settings, random.split('training'))
  return {
    kind: 'network',
    columns,
    offset,
    centre,
    scale,
    hidden: settings.hidden,
    weights: Array.from(weights),
    heldOut,
    effectiveDimension: lastLayerDimension(problem, weights, settings.hidden),
    weight,
  }
}

function scaling({ columns, count, inputs, weights }: RegressionRows, total: number) {
  const centre = Array.from({ length: columns }, (_, k) => {
    let sum = 0
    for (let i = 0; i < count; i++) sum += (weights === null ? 1 : weights[i]!) * inputs[i * columns + k]!
    return sum / total
  })
  const scale = centre.map((middle, k) => {
    let square = 0
    for (let i = 0; i < count; i++)
      square += (weights === null ? 1 : weights[i]!) * (inputs[i * columns + k]! - middle) ** 2
    return Math.sqrt(square / total)
  })
  return { centre, scale }
}

interface Training extends RegressionRows {
  readonly offset: number
  readonly logOdds: boolean
  readonly training: Uint32Array
  readonly held: Uint32Array
}

function heldOutRows(rows: RegressionRows, share: number, random: Random) {
  const limit = rows.count < FEWEST_TO_HOLD_OUT ? 0 : share * 65536
  const hashes = rowHashes(rows, random.split('held out'))
  const training: number[] = []
  const held: number[] = []
  hashes.forEach((hash, i) => {
    ;(hash % 65536 < limit ? held : training).push(i)
  })
  return training.length < 2
    ? { training: Uint32Array.from(hashes, (_, i) => i), held: new Uint32Array(0) }
    : { training: Uint32Array.from(training), held: Uint32Array.from(held) }
}

function train(problem: Training, settings: NetworkSettings, random: Random) {
  const { columns, training, weights: rowWeights } = problem
  const { hidden, steps, batch, rate, decay } = settings
  const { count, last } = layersOf(columns, hidden)
  const weights = initialWeights(columns, hidden, random.split('start'))
  const gradient = new Float64Array(count)
  const first = new Float64Array(count)
  const second = new Float64Array(count)
  const pass = backPropagation(problem, hidden, weights, gradient)
  const shuffles = random.split('batches')
  let order = shuffles.permutation(training.length)
  let next = 0
  let best = Float64Array.from(weights)
  // Where training gains nothing on held-out rows, the start stays.
  let least = problem.held.length === 0 ? 0 : heldOutLoss(problem, weights, hidden)
  const heldOut: number[] = []
  for (let step = 1; step <= steps; step++) {
    gradient.fill(0)
    let total = 0
    for (let b = 0; b < Math.min(batch, training.length); b++) {
      if (next === order.length) {
        order = shuffles.permutation(training.length)
        next = 0
      }
      const row = training[order[next++]!]!
      const own = rowWeights === null ? 1 : rowWeights[row]!
      total += own
      pass(row, own)
    }
    const size = (rate * (1 + Math.cos((Math.PI * (step - 1)) / steps))) / 2
    const firstScale = 1 - 0.9 ** step
    const secondScale = 1 - 0.999 ** step
    for (let k = 0; k < count; k++) {
      const g = gradient[k]! / total
      first[k] = 0.9 * first[k]! + 0.1 * g
      second[k] = 0.999 * second[k]! + 0.001 * g * g
      const move = first[k]! / firstScale / (Math.sqrt(second[k]! / secondScale) + 1e-8)
      // The last layer's level is not shrunk: it stands for the mean.
      const shrink = k === last ? 0 : decay * weights[k]!
      weights[k] = weights[k]! - size * (move + shrink)
    }
    if (problem.held.length === 0 || (step % LOOK_EVERY !== 0 && step !== steps)) continue
    const loss = heldOutLoss(problem, weights, hidden)
    heldOut.push(loss)
    if (loss < least) {
      least = loss
      best = Float64Array.from(weights)
    }
  }
  return { weights: problem.held.length === 0 ? weights : best, heldOut }
}

/** Uniform with variance 1/inputs; the last layer is 0. */
function initialWeights(columns: number, hidden: number, random: Random): Float64Array {
  const { second, last, count } = layersOf(columns, hidden)
  const weights = new Float64Array(count)
  for (let k = 0; k < last; k++) {
    const inputs = k < second ? columns : hidden
    const bias = k < second ? k % (columns + 1) === 0 : (k - second) % (hidden + 1) === 0
    const draw = Math.sqrt(3 / inputs) * (2 * random.uniform() - 1)
    weights[k] = bias ? 0 : draw
  }
  return weights
}

/** Adds a row's part of the gradient. */
function backPropagation(
  problem: Training,
  hidden: number,
  weights: Float64Array,
  gradient: Float64Array,
): (row: number, rowWeight: number) => void {
  const { columns, inputs, targets, offset, logOdds } = problem
  const { second, last } = layersOf(columns, hidden)
  const one = new Float64Array(hidden)
  const two = new Float64Array(hidden)
  const back = new Float64Array(hidden)
  return (row, rowWeight) => {
    const at = row * columns
    const out = offset + forward(weights, columns, hidden, inputs, at, one, two)
    const error = rowWeight * ((logOdds ? 1 / (1 + Math.exp(-out)) : out) - targets[row]!)
    gradient[last] = gradient[last]! + error
    back.fill(0)
    for (let j = 0; j < hidden; j++) {
      const value = two[j]!
      gradient[last + 1 + j] = gradient[last + 1 + j]! + error * value
      const slope = error * weights[last + 1 + j]! * (1 - value * value)
      let w = second + j * (hidden + 1)
      gradient[w] = gradient[w]! + slope
      for (let k = 0; k < hidden; k++) {
        w++
        gradient[w] = gradient[w]! + slope * one[k]!
        back[k] = back[k]! + slope * weights[w]!
      }
    }
    for (let j = 0, w = 0; j < hidden; j++) {
      const slope = back[j]! * (1 - one[j]! * one[j]!)
      gradient[w] = gradient[w]! + slope
      w++
      for (let k = 0; k < columns; k++, w++) gradient[w] = gradient[w]! + slope * inputs[at + k]!
    }
  }
}

function heldOutLoss(problem: Training, weights: Float64Array, hidden: number): number {
  const { columns, inputs, targets, offset, logOdds, held, weights: rowWeights } = problem
  const one = new Float64Array(hidden)
  const two = new Float64Array(hidden)
  let sum = 0
  let total = 0
  for (const row of held) {
    const out = offset + forward(weights, columns, hidden, inputs, row * columns, one, two)
    const own = rowWeights === null ? 1 : rowWeights[row]!
    const target = targets[row]!
    sum +=
      own * (logOdds ? Math.log1p(Math.exp(-Math.abs(out))) + Math.max(out, 0) - target * out : (target - out) ** 2)
    total += own
  }
  return sum / total
}

/** tr((P'WP + ridge)^-1 P'WP) of the second hidden layer's outputs with a constant, on at most 4,096 rows. */
function lastLayerDimension(problem: Training, weights: Float64Array, hidden: number): number {
  const { columns, inputs, weights: rowWeights } = problem
  const count = Math.min(problem.count, MAX_LEVERAGE_ROWS)
  const width = hidden + 2
  const buffer = new Float64Array(count * width)
  const one = new Float64Array(hidden)
  const two = new Float64Array(hidden)
  for (let i = 0; i < count; i++) {
    forward(weights, columns, hidden, inputs, i * columns, one, two)
    buffer[i * width] = 1
    buffer.set(two, i * width + 1)
  }
  const sums =
    count === 0
      ? emptySums(hidden + 1)
      : sumRows(buffer, 0, count, hidden + 1, rowWeights, 0, new Float64Array(buffer.length))
  return Math.max(1, solveRidge(sums, LEVERAGE_RIDGE).degreesOfFreedom)
}
