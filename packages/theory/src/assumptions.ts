// The assumptions of each theorem (method#constants, method#assumptions), as a list to print before using a bound.
//   known: chosen or declared by the user.   estimated: the library has an estimator for it (see the file named).
//   not checkable from data: no amount of (x, b, z, a, r) settles it.

import type { Formulas } from './formulas.js'

/** Whether an assumption is known, estimated, or beyond what data can settle. */
export type AssumptionStatus = 'known' | 'estimated' | 'not checkable from data'

/** Something that a theorem takes for granted. */
export interface Assumption {
  readonly assumption: string
  readonly status: AssumptionStatus
  readonly note?: string
}

const known = (assumption: string, note?: string): Assumption => make(assumption, 'known', note)
const estimated = (assumption: string, note?: string): Assumption => make(assumption, 'estimated', note)
const unverifiable = (assumption: string, note?: string): Assumption =>
  make(assumption, 'not checkable from data', note)

function make(assumption: string, status: AssumptionStatus, note?: string): Assumption {
  return Object.freeze(note === undefined ? { assumption, status } : { assumption, status, note })
}

const REWARD: readonly Assumption[] = [
  known('the rows of one fit come from one policy and one imputer, frozen before them'),
  known('mean rewards and the functions of the reward class lie in [0, 1]', 'by the declared mean range'),
  known('the reward class is convex, or star-shaped about the true mean reward'),
  unverifiable('the true mean reward is in the reward class', 'residual plots can refute it, not confirm it'),
  known('reward noise is bounded by lambda', 'by the declared range of rewards'),
  unverifiable('the noise has mean 0 given context, covariate, observation and action'),
  known('the critical radius bounds the local complexity at the unknown true reward'),
]

const PRINTED_REWARD: readonly Assumption[] = [
  estimated('upsilon > 0 at the true reward', 'fails for a reward that ignores the covariate (E33)'),
]

const SEQUENCE: readonly Assumption[] = [
  unverifiable('contexts are independent draws of one law over time'),
  unverifiable(
    'the inverse-gap-weighting lemma holds when the reward model is misspecified',
    'not rederived here (E8)',
  ),
  estimated('elasticity', 'elasticity-estimate.ts, under MAR'),
]

const CALIBRATION: readonly Assumption[] = [
  unverifiable('missing at random: observation is independent of the covariate given the context'),
  known('the observation probability is at least floor everywhere', 'overlap is diagnosed, never fitted (overlap.ts)'),
  unverifiable('the observation probability is in the fitted class', 'logit and probit sets are not convex (E22)'),
  unverifiable('the true covariate mean and the pretrained model are in the covariate class, which is convex'),
  estimated('the pretrained model is within delta0 of the true covariate mean', 'covariate-constants.ts'),
  estimated('covariate noise is bounded by etaBound with root mean square omega0', 'covariate-constants.ts'),
  unverifiable('covariate noise has mean 0 given the context'),
  known('entropy exponent of the covariate class', 'by class, never estimated'),
]

const LIPSCHITZ: readonly Assumption[] = [
  known('every reward function is lipschitz in the covariate with the given constant', 'by the class'),
]

/** The list for Theorem 1, 2, 3 or 4. */
export function assumptionsOf(theorem: 1 | 2 | 3 | 4, formulas: Formulas): readonly Assumption[] {
  const reward = formulas === 'printed' ? [...REWARD, ...PRINTED_REWARD] : REWARD
  if (theorem === 1) return Object.freeze([...reward, estimated('elasticity', 'elasticity-estimate.ts, under MAR')])
  if (theorem === 2) return Object.freeze([...reward, ...SEQUENCE])
  if (theorem === 3) return Object.freeze([...CALIBRATION])
  return Object.freeze([...reward, ...SEQUENCE.slice(0, 2), ...CALIBRATION, ...LIPSCHITZ])
}

/** For estimates from data where the covariate is sometimes missing. */
export const MAR_ASSUMPTIONS: readonly Assumption[] = Object.freeze([
  CALIBRATION[0]!,
  CALIBRATION[1]!,
  estimated('the observation probability, or the regression of the value on the context, is right', 'cross-fit.ts'),
  known('rows are independent draws of one law', 'contexts of one stationary stream'),
  known('the reward model and the imputer are fixed before these rows, or fitted on others'),
])

const STAR_SHAPED = known('the class is star-shaped about the unknown truth, so that R(t)/t does not increase')
const ENTROPY_ONE = known('the absolute constant of the entropy bound is taken as 1')
const SAMPLE_NORM = estimated('the norm of the sample stands for that of the population, and centre 0 for the truth')

/** For critical radii. */
export function radiusAssumptions(formula: string): readonly Assumption[] {
  if (formula === 'linear' || formula === 'ellipsoid') return Object.freeze([STAR_SHAPED])
  return Object.freeze([STAR_SHAPED, formula === 'monte-carlo' ? SAMPLE_NORM : ENTROPY_ONE])
}
