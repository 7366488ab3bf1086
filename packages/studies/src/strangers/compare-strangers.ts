// Results of the study of strangers, of one judged policy in one world, over its repeats:
//   rival       the peer with the least mean regret there, a stricter rival than any fixed one;
//   ratio       the policy's mean regret over the rival's, standard error from the paired runs;
//   loses       a ratio above 1.05 that is also more than two standard errors above 1;
//   locked in   a run that in its last tenth has more regret than twice the rival's mean and a tenth of uniform play's
//               together, where the rival has learnt (less than a fifth of uniform's);
//   learnable   the rival has less than half of uniform's regret; elsewhere chance alone makes runs with more than
//               uniform;
//   early       after the first rounds: the policy's mean regret over that of the peer with the least by then.

import { pairedRatio } from '@primo/lab'
import type { Found } from '../runner/found.js'
import type { Size } from '../runner/study-spec.js'
import { isPeer } from './peers.js'
import type { Stranger } from './world.js'

export const ALLOWED = 1.05
/** Rounds after which the beginning of a run is looked at. */
export const EARLY = [100, 300, 1000]
export const UNIFORM = 'uniform'

export interface Ratio {
  readonly ratio: number
  readonly standardError: number
}

export interface StrangerResult extends Ratio {
  readonly family: string
  readonly name: string
  readonly rival: string
  readonly own: readonly number[]
  readonly other: readonly number[]
  /** Mean regret of uniform play; null where only declared ranges are compared. */
  readonly uniform: number | null
  readonly learnable: boolean
  readonly worseThanUniform: number
  readonly rivalWorse: number
  readonly lockedIn: number
  readonly early: readonly (Ratio & { readonly rounds: number })[]
}

export function loses({ ratio, standardError }: Ratio): boolean {
  return ratio > ALLOWED && ratio - 2 * standardError > 1
}

export function judgedArms<S extends Size>(found: Found<Stranger, S>): readonly string[] {
  return found.arms().filter((arm) => arm !== UNIFORM && !isPeer(arm))
}

export function strangerResult<S extends Size>(
  found: Found<Stranger, S>,
  { family, name, against }: Stranger,
  judged: string,
): StrangerResult {
  const own = found.values(name, judged, 'regret')
  const shared = { family, name, own }
  if (against !== undefined) {
    const other = found.values(against, judged, 'regret')
    const nothing = { uniform: null, learnable: true, worseThanUniform: 0, rivalWorse: 0, lockedIn: 0, early: [] }
    return { ...shared, ...nothing, rival: against, other, ...pairedRatio(own, other) }
  }
  const { values, mean } = found.place(name, judged)
  const peers = found.arms(name).filter(isPeer)
  const best = (figure: string) =>
    peers.reduce((one, peer) => (mean(figure, peer).mean < mean(figure, one).mean ? peer : one))
  const rival = best('regret')
  const other = values('regret', rival)
  const uniform = values('regret', UNIFORM)
  const late = { peer: mean('late', rival).mean, uniform: mean('late', UNIFORM).mean }
  const learnt = late.peer < late.uniform / 5
  const above = (list: readonly number[]) => list.filter((value, i) => value > uniform[i]!).length
  return {
    ...shared,
    rival,
    other,
    ...pairedRatio(own, other),
    uniform: mean('regret', UNIFORM).mean,
    learnable: mean('regret', rival).mean < mean('regret', UNIFORM).mean / 2,
    worseThanUniform: above(own),
    rivalWorse: above(other),
    lockedIn: values('late').filter((value) => learnt && value > 2 * late.peer + late.uniform / 10).length,
    early: EARLY.flatMap((rounds) => {
      const figure = `regret ${rounds}`
      const first = values(figure)
      return first.length === 0 ? [] : [{ rounds, ...pairedRatio(first, values(figure, best(figure))) }]
    }),
  }
}
