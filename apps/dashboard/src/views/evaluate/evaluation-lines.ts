// The answers of an evaluation, each as a line per policy against what was played. The default answer is doubly
// robust. No line exceeds the range of rewards.

import type { Evaluation } from '@primo/contract'

/** Limits at all times, or the name of an estimator. */
export type Answer = string

export const ALWAYS: Answer = 'at-all-times'
/** Doubly robust: it rests on the propensities or on the reward model, whichever is right. */
const FIRST: Answer = 'dr'

const WORDS: Readonly<Record<Answer, string>> = {
  [ALWAYS]: 'however often you look',
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
  /** A sentence in place of the number; null: the number means something. */
  readonly silent: string | null
  /** Whether it is shown to earn less than what was played. */
  readonly worse: boolean
}

/** Those that this log has, the one to begin with first. */
export function answersOf({ anytime, differences }: Evaluation): readonly (readonly [Answer, string])[] {
  const estimators = [...new Set(differences.map(({ estimator }) => estimator))]
  const learning = anytime !== null && anytime.differences.length > 0 ? [ALWAYS] : []
  const names = [...learning, ...estimators.filter((name) => name === FIRST), ...estimators]
  return [...new Set(names)].map((name) => [name, WORDS[name] ?? name])
}

export function linesOf(
  { anytime, differences, logged, policies }: Evaluation,
  answer: Answer,
  reward: { readonly min: number; readonly max: number },
): readonly DifferenceLine[] {
  const least = reward.min - logged.value
  const most = reward.max - logged.value
  const found =
    answer === ALWAYS
      ? anytime!.differences.map(({ policy, atEnd, anytime: limits }) => ({ policy, estimate: atEnd.value, limits }))
      : differences
          .filter(({ estimator }) => estimator === answer)
          .map(({ policy, difference, asymptotic }) => ({ policy, estimate: difference, limits: asymptotic }))
  return found.map(({ policy, estimate, limits }) => {
    const difference = Math.min(most, Math.max(least, estimate))
    const low = Math.max(least, limits?.low ?? least)
    const high = Math.min(most, limits?.high ?? most)
    const few = policies
      .find((one) => one.policy === policy)!
      .warnings.find(({ code }) => code === 'few-effective-rows')
    const beyond = difference < low || difference > high || (limits !== null && low === least && high === most)
    const silent = few?.sentence ?? (beyond ? 'nothing can be said: the log hardly has what it would play' : null)
    const interval = limits === null ? null : { low, high }
    return { policy, difference, interval, silent, worse: silent === null && limits !== null && high < 0 }
  })
}
