// The answers of an evaluation that one can choose among, each as a line per policy against what was played. No line goes beyond what
// rewards can be: an estimate by tiny propensities would.

import type { Evaluation } from '@primo/contract'

/** Limits at all times, the interval for one look, or the name of an estimator. */
export type Answer = string

export const ALWAYS: Answer = 'at-all-times'
const ONE_LOOK: Answer = 'one-look'
/** Doubly robust: it rests on the propensities or on the reward model, whichever is right. */
const FIRST: Answer = 'dr'

const WORDS: Readonly<Record<Answer, string>> = {
  [ALWAYS]: 'however often you look',
  [ONE_LOOK]: 'for one look',
  dr: 'doubly robust',
  ips: 'by propensities',
  snips: 'by propensities, normalized',
  direct: 'by the reward model',
  'clipped-ips': 'by propensities, clipped',
  'clipped-dr': 'doubly robust, clipped',
  switch: 'doubly robust, switching',
  replay: 'by matching decisions',
}

export interface DifferenceLine {
  readonly policy: string
  readonly difference: number
  /** null: not known. */
  readonly interval: { readonly low: number; readonly high: number } | null
  /** The interval holds all, or nothing, of what is possible: the log hardly has what the policy would play. */
  readonly silent: boolean
}

/** Those that this log has, the one to begin with first. */
export function answersOf({ anytime, differences }: Evaluation): readonly (readonly [Answer, string])[] {
  const estimators = [...new Set(differences.map(({ estimator }) => estimator))]
  const learning = anytime !== null && anytime.differences.length > 0 ? [ALWAYS, ONE_LOOK] : []
  const names = [...learning, ...estimators.filter((name) => name === FIRST), ...estimators]
  return [...new Set(names)].map((name) => [name, WORDS[name] ?? name])
}

export function linesOf(
  { anytime, differences }: Evaluation,
  answer: Answer,
  reward: { readonly min: number; readonly max: number },
): readonly DifferenceLine[] {
  const most = reward.max - reward.min
  const within = (value: number) => Math.min(most, Math.max(-most, value))
  const line = (policy: string, value: number, limits: DifferenceLine['interval']): DifferenceLine => {
    const interval = limits === null ? null : { low: within(limits.low), high: within(limits.high) }
    // One that is beyond what is possible knows nothing either.
    const silent =
      limits !== null && (limits.low <= -most ? limits.high >= most || limits.high <= -most : limits.low >= most)
    return { policy, difference: within(value), interval, silent }
  }
  if (answer !== ALWAYS && answer !== ONE_LOOK)
    return differences
      .filter(({ estimator }) => estimator === answer)
      .map(({ policy, difference, asymptotic }) => line(policy, difference, asymptotic))
  return (anytime?.differences ?? []).map(({ policy, anytime: always, atEnd }) =>
    answer === ONE_LOOK
      ? line(policy, atEnd.value, atEnd.asymptotic)
      : line(policy, Math.min(always.high, Math.max(always.low, atEnd.value)), always),
  )
}
