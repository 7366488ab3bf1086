// Raw mean rewards of the parametric family: f(x, z, a) = sum_j c_aj(z) x_j + m wave_a(x) with x_0 = 1 and
//   c_aj(z) = t_aj + s_aj z              linear (s only for 1, x1 and x2)
//           + 1.5 q_aj z^2               quadratic (q only for 1 and x1)
//   or      t_aj + s_aj sin(2 z)         nonlinear.
// wave_a(x) is a cosine of high frequency of one feature, outside the linear class. A rare action is steep in x1 and is
// lowered until it is the best one in the asked share of rounds.

import type { Random } from '@primo/numeric'

export type FamilyReward = 'linear' | 'quadratic' | 'nonlinear'

export interface RewardShape {
  readonly dimension: number
  readonly actions: number
  readonly reward: FamilyReward
  /** Size of the part outside the linear class. */
  readonly misspecified: number
  /** |z| is at most this. */
  readonly half: number
}

/** Writes the raw mean rewards; `bounds` gives, per action, the exact extremes over x given z. */
export interface RawRewards {
  (x: Float64Array, z: number, out: Float64Array): void
  readonly bounds: (z: number, action: number) => { readonly min: number; readonly max: number }
}

const COVARIATE_WEIGHT = 3
const RARE_SLOPE = 6

export function drawParameters(
  shape: RewardShape,
  random: Random,
  rareShare: number | undefined,
  sample: (visit: (x: Float64Array, z: number) => void) => void,
): RawRewards {
  const { dimension, actions } = shape
  const width = 1 + dimension
  const t = new Float64Array(actions * width)
  const s = new Float64Array(actions * width)
  const q = new Float64Array(actions * width)
  const waves = new Int32Array(actions)
  // With many features their sum should not drown the covariate.
  const weight = Math.sqrt(5 / Math.max(5, dimension))
  for (let a = 0; a < actions; a++) {
    const at = a * width
    for (let k = 0; k < width; k++) {
      t[at + k] = (k === 0 ? 0.3 : weight) * random.normal()
      s[at + k] = k < 3 ? COVARIATE_WEIGHT * random.normal() : 0
      q[at + k] = k < 2 && shape.reward === 'quadratic' ? (COVARIATE_WEIGHT / 2) * random.normal() : 0
    }
    waves[a] = random.integer(dimension)
  }
  const raw = compile(shape, t, s, q, waves)
  if (rareShare === undefined || actions < 2) return raw
  const last = (actions - 1) * width
  t[last + 1] = RARE_SLOPE
  t[last]! += rareOffset(raw, actions, rareShare, sample)
  return raw
}

/** How far the last action must be moved to be the best one in this share of the sample. */
function rareOffset(
  raw: RawRewards,
  actions: number,
  share: number,
  sample: (visit: (x: Float64Array, z: number) => void) => void,
): number {
  const needed: number[] = []
  const out = new Float64Array(actions)
  sample((x, z) => {
    raw(x, z, out)
    needed.push(Math.max(...out.subarray(0, actions - 1)) - out[actions - 1]!)
  })
  needed.sort((one, two) => one - two)
  return needed[Math.min(needed.length - 1, Math.round(share * needed.length))]!
}

function compile(shape: RewardShape, t: Float64Array, s: Float64Array, q: Float64Array, waves: Int32Array): RawRewards {
  const { dimension, actions, reward, misspecified } = shape
  const width = 1 + dimension
  const bent = (z: number) => (reward === 'nonlinear' ? Math.sin(2 * z) : z)
  const rewards = (x: Float64Array, z: number, out: Float64Array) => {
    const h = bent(z)
    const h2 = 1.5 * z * z
    for (let a = 0, at = 0; a < actions; a++) {
      let sum = t[at]! + s[at]! * h + q[at]! * h2
      at++
      for (let k = 0; k < dimension; k++, at++) sum += (t[at]! + s[at]! * h + q[at]! * h2) * x[k]!
      out[a] = misspecified === 0 ? sum : sum + misspecified * Math.cos(4 * Math.PI * x[waves[a]!]!)
    }
  }
  const bounds = (z: number, action: number) => {
    const h = bent(z)
    const h2 = 1.5 * z * z
    const at = action * width
    const middle = t[at]! + s[at]! * h + q[at]! * h2
    let reach = misspecified
    for (let k = at + 1; k < at + width; k++) reach += Math.abs(t[k]! + s[k]! * h + q[k]! * h2)
    return { min: middle - reach, max: middle + reach }
  }
  return Object.assign(rewards, { bounds })
}

const GRID = 400
// Between two points of the grid the range can be a little larger; more than enough for what is summed above.
const MARGIN = 1e-3

export function rewardRange(shape: RewardShape, raw: RawRewards): { readonly min: number; readonly max: number } {
  let min = Number.POSITIVE_INFINITY
  let max = Number.NEGATIVE_INFINITY
  for (let i = 0; i <= GRID; i++) {
    const z = shape.half * ((2 * i) / GRID - 1)
    for (let a = 0; a < shape.actions; a++) {
      const bounds = raw.bounds(z, a)
      min = Math.min(min, bounds.min)
      max = Math.max(max, bounds.max)
    }
  }
  const margin = MARGIN * (max - min)
  return { min: min - margin, max: max + margin }
}
