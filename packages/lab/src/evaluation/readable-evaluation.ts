// An evaluation as its tables show it: the doubly robust estimate first, cut at what rewards allow, and the same one in every table.

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
  const estimateOf = (name: string) => values.find(({ policy }) => policy === name)!.estimates.find(isFirst)
  const differenceOf = (name: string) => compared.find((one) => one.policy === name && isFirst(one))
  return {
    ...evaluation,
    few,
    policies: values,
    differences: compared,
    anytime: anytime && {
      ...anytime,
      policies: anytime.policies.map((one) => {
        const { value, standardError } = estimateOf(one.policy) ?? one.atEnd
        return { ...one, atEnd: { ...one.atEnd, value, standardError } }
      }),
      differences: anytime.differences.map((one) => {
        const { difference: value, standardError } = differenceOf(one.policy) ?? {
          ...one.atEnd,
          difference: one.atEnd.value,
        }
        return { ...one, atEnd: { ...one.atEnd, value, standardError } }
      }),
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
