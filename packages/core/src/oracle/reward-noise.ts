// What a fit leaves open. With v the variance of all rewards, as five pseudo-rows,
//   sigma^2 = (RSS + 5 v)/(max(n - dof, n/2) + 5);  width_a = sigma sqrt(dof_a / n_a), at most 1.
// By action (method#action-noise): few rounds cannot claim less noise than all actions together (five pseudo-rows) or than one round
// at the far end of the range,
//   sigma_a^2 = (RSS_a + 5 sigma^2 + R_a^2)/(max(n_a - dof_a, n_a/2) + 5),  R_a = min(1, 2^(1 - n_a/256)) while its rewards were all the
//   same, else max(2^(-n'/4), u 2^(-n_a/32)), n' the rounds of all actions whose rewards vary, u the largest residual seen (at least two
//   standard deviations of the noisiest action): the declared range, here 1, counts for less the longer nothing near its ends was seen,
//   and soon for nothing where rewards vary on a scale of their own;
//   tail_a = max(R_a u_a, lean) / (sigma_a sqrt(n_a)),  u_a = R_a^2/(RSS_a + R_a^2) the part of the noise that was not seen;
//   lean = max(2/3 (above - below)^+, 4/3 (above - 2 below)^+) of the largest residuals above and below what was expected, only where its
//   rewards vary: few successes that were seen do not rule out the many of a better action. Of two values at distance r, the upper
//   one with probability p, the noise v = p(1 - p) r^2 grows with the mean p r at the rate (1 - 2p) r = l, about above - below. What a
//   record worse by gap says against that many successes is the integral of t/(v + l t) from 0 to gap, about gap^2/(2 v + 4/3 l gap).

const PSEUDO_ROWS = 5
const SMALLEST_SIGMA = 1e-3
export const LARGEST_WIDTH = 1
/** Rounds that halve what the declared range counts where rewards vary, what the seen range counts, and, after the first so many, while all were the same. */
const DECLARED_ROUNDS = 4
const SEEN_ROUNDS = 32
const CONSTANT_ROUNDS = 256
/** What the growth of the noise with the mean adds to twice the variance, per unit of the gap: where residuals lean, and half of that where they may do so by chance. */
const LEANS = 4 / 3
const MAY_LEAN = 2 / 3

export interface FitResiduals {
  /** Weighted sum of squares. */
  readonly residuals: number
  /** Variance of all rewards. */
  readonly variance: number
  /** Total weight of the rows. */
  readonly weight: number
  readonly degreesOfFreedom: number
}

/** By action. */
export interface ActionNoise {
  readonly sigmas: readonly number[]
  readonly tails: readonly number[]
  /** Total weight of its rows. */
  readonly weights: readonly number[]
  /** Whether its rewards were all the same; absent: not known. */
  readonly constant?: readonly boolean[]
  /** The largest residuals seen of it, less as its rounds since go by (largest-residual.ts); absent: not known. */
  readonly above?: readonly number[]
  readonly below?: readonly number[]
  /** Part of the newest rows in which optimism prefers it to the action with the best score; absent: not known. */
  readonly optimistic?: readonly number[]
}

/** Of one action's rows. */
export interface ActionResiduals extends Omit<FitResiduals, 'variance'> {
  /** Whether its rewards were all the same. */
  readonly constant: boolean
}

/**
 * How many widths of optimism an action gets: beta = sqrt(1 + ln+(n / (K n_a))), `behind` = ln(n / n_a), and more where its rewards are rare:
 * the d with d^2/(2 w^2 + 4/3 w d rarity) = beta^2/2.
 */
export function optimismOf(behind: number, actions: number, rarity: number): number {
  const beta = Math.sqrt(1 + Math.max(0, behind - Math.log(actions)))
  const lean = (beta * rarity) / 3
  return beta * (lean + Math.sqrt(1 + lean * lean))
}

/** (above - 2 below)^+ / (sigma_a sqrt(n_a)): 0 but where residuals go more than twice as far above as below. */
export function rarityOf({ constant, above, below, sigmas, weights }: ActionNoise, action: number): number {
  if (constant?.[action] === true) return 0
  const lean = (above?.[action] ?? 0) - 2 * (below?.[action] ?? 0)
  return lean <= 0 ? 0 : lean / (sigmas[action]! * Math.sqrt(Math.max(1, weights[action]!)))
}

/** `unit`: the range of the rewards seen, where it is known to be smaller than the declared one. */
export function residualSigma(fit: FitResiduals, unit = 1): number {
  return Math.max(SMALLEST_SIGMA * unit, Math.sqrt(pooledVariance(fit)))
}

/** What was seen of an action's residuals; for all actions, or by action. */
export interface SeenResiduals {
  /** Size of the largest. */
  readonly largest: number
  /** What they add to twice the variance, per unit of the gap (leanOf). */
  readonly lean: number
}

/** Of the largest residuals above and below what was expected, each difference at most `unit`. */
export function leanOf(above: number, below: number, unit: number): number {
  const least = (value: number) => Math.min(unit, Math.max(0, value))
  return Math.max(MAY_LEAN * least(above - below), LEANS * least(above - 2 * below))
}

/** Where residuals were not looked at: as far as rewards go, all of it above. */
export function anyResiduals(unit: number): SeenResiduals {
  return { largest: unit, lean: MAY_LEAN * unit }
}

/** Default: anything in the declared range. */
export function actionNoise(
  fit: FitResiduals,
  actions: readonly ActionResiduals[],
  seenOf: (action: number) => SeenResiduals = () => anyResiduals(1),
): ActionNoise {
  const pooled = pooledVariance(fit)
  const varying = actions.reduce((sum, { weight, constant }) => sum + (constant ? 0 : weight), 0)
  const sigmas: number[] = []
  const tails: number[] = []
  actions.forEach(({ residuals, weight, degreesOfFreedom, constant }, a) => {
    const { largest, lean } = seenOf(a)
    const range = constant
      ? Math.min(1, 2 ** (1 - weight / CONSTANT_ROUNDS))
      : Math.max(2 ** (-varying / DECLARED_ROUNDS), largest * 2 ** (-weight / SEEN_ROUNDS))
    const far = range * range
    const sigma = Math.sqrt(
      (residuals + PSEUDO_ROWS * pooled + far) / (freeRows(weight, degreesOfFreedom) + PSEUDO_ROWS),
    )
    sigmas.push(sigma)
    const unseen = Math.max((range * far) / (residuals + far), constant ? 0 : lean)
    tails.push(unseen / (sigma * Math.sqrt(Math.max(1, weight))))
  })
  return {
    sigmas,
    tails,
    weights: actions.map(({ weight }) => weight),
    constant: actions.map(({ constant }) => constant),
  }
}

function pooledVariance({ residuals, variance, weight, degreesOfFreedom }: FitResiduals): number {
  return (residuals + PSEUDO_ROWS * variance) / (freeRows(weight, degreesOfFreedom) + PSEUDO_ROWS)
}

function freeRows(weight: number, degreesOfFreedom: number): number {
  return Math.max(weight - degreesOfFreedom, weight / 2)
}

/** One standard deviation of a prediction, by action. */
export function actionWidths(model: {
  readonly sigma: number
  readonly degreesOfFreedom: readonly number[]
  readonly rows: readonly number[]
  readonly unit?: number
}): Float64Array {
  const { unit = LARGEST_WIDTH } = model
  return Float64Array.from(model.degreesOfFreedom, (dof, a) =>
    Math.min(unit, model.sigma * Math.sqrt(Math.max(1, dof) / Math.max(1, model.rows[a]!))),
  )
}
