// What is to be evaluated, as the address has it: whoever opens the link sees the same question, with its period in fixed times.

import type { EvaluationRequest } from '@primo/contract'
import { addressOf, go, hashOf, useAddress } from '../../address.js'

export interface EvaluationForm {
  readonly policies: readonly string[]
  /** As of a field for date and time; empty: no limit. */
  readonly from: string
  readonly to: string
}

/** A name of an action may hold anything but a line's end. */
const BETWEEN = '\n'

export function formOf(query: Readonly<Record<string, string>>): EvaluationForm {
  const policies = (query.policies ?? '').split(BETWEEN).filter((name) => name !== '')
  return { policies, from: query.from ?? '', to: query.to ?? '' }
}

export function useEvaluationForm(): readonly [EvaluationForm, (change: Partial<EvaluationForm>) => void] {
  const { query } = useAddress()
  const form = formOf(query)
  const change = (next: Partial<EvaluationForm>) => {
    const { path, query: before } = addressOf(location.hash)
    const { policies, from, to } = { ...form, ...next }
    go(hashOf({ path, query: { ...before, policies: policies.join(BETWEEN), from, to } }), { replace: true })
  }
  return [form, change]
}

export function requestOf({ policies, from, to }: EvaluationForm): EvaluationRequest {
  const time = (text: string) => new Date(text).getTime()
  return {
    policies: [...policies],
    ...(Number.isFinite(time(from)) ? { from: time(from) } : {}),
    ...(Number.isFinite(time(to)) ? { to: time(to) } : {}),
  }
}
