// An evaluation as its tables show it: the doubly robust estimate first, cut at what rewards allow. On the log of a
// learning policy a value is what was played plus the difference from it, so that the two tables agree.

import type { LogEvaluation } from './evaluate-log.js'
import type { EvaluationInterval } from './intervals.js'

/** Stands in place of a number. */
export const TOO_FEW = 'too few decisions like it'

export interface ReadableEvaluation extends LogEvaluation {
  /** Policies that too few decisions of the log are like. They have no estimates and no differences. */
  readonly few: ReadonlySet<string>
}

export function readableEvaluation(evaluation: LogEvaluation): ReadableEvaluation {
  const { policies, differences, anytime, against, logged, rewardRange } = evaluation
  const { min, max } = rewardRange
  const [most, least] = against === 'logged' ? [logged.value, logged.value] : [max, min]
  const few = new Set(policies.filter(({ warnings }) => warnings.some(isFew)).map(({ policy }) => policy))
  const values = policies.map(({ estimates, ...rest }) => ({
    ...rest,
    estimates: few.has(rest.policy)
      ? []
      : firstFirst(estimates).map((one) =>
          isFirst(one)
            ? { ...one, value: within(one.value, min, max), asymptotic: cut(one.asymptotic, min, max) }
            : one,
        ),
  }))
  const compared = firstFirst(differences.filter(({ policy }) => !few.has(policy))).map((one) =>
    isFirst(one)
      ? {
          ...one,
          difference: within(one.difference, min - most, max - least),
          asymptotic: cut(one.asymptotic, min - most, max - least),
        }
      : one,
  )
  const paired = new Map(anytime?.differences.map(({ policy, atEnd }) => [policy, atEnd.value]))
  return {
    ...evaluation,
    few,
    policies: values,
    differences: compared,
    anytime: anytime && {
      ...anytime,
      policies: anytime.policies.map((one) => {
        const gain = against === 'logged' ? paired.get(one.policy) : undefined
        const value = gain === undefined ? one.atEnd.value : logged.value + gain
        return { ...one, atEnd: { ...one.atEnd, value: within(value, min, max) } }
      }),
      differences: anytime.differences.map((one) => ({
        ...one,
        atEnd: { ...one.atEnd, value: within(one.atEnd.value, min - most, max - least) },
      })),
    },
  }
}

const isFew = ({ code }: { readonly code: string }) => code === 'few-effective-rows'
const isFirst = ({ estimator }: { readonly estimator: string }) => estimator === 'dr'

function firstFirst<T extends { readonly estimator: string }>(all: readonly T[]): readonly T[] {
  return [...all.filter(isFirst), ...all.filter((one) => !isFirst(one))]
}

function within(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value))
}

function cut(found: EvaluationInterval | null, least: number, most: number): EvaluationInterval | null {
  return found && { low: within(found.low, least, most), high: within(found.high, least, most) }
}
