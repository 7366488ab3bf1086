// Asks what the policy would answer, as the form changes; the last answer stays until the next one is there.

import type { DecisionBatchReply, DecisionReply, FeatureValueType, ProblemDefinition } from '@primo/contract'
import { useEffect, useState } from 'react'
import { answer, headers, problemPath, ServiceFailure } from '../../api/service.js'
import { requestOf, type TryValues, valuesAlong } from './try-values.js'

export interface TriedPoint {
  readonly value: FeatureValueType
  readonly reply: DecisionReply
}

export interface Tried {
  /** What was asked. */
  readonly values: TryValues
  readonly reply: DecisionReply
  /** By covariate that is missing: what would be answered if it were known, along its range. */
  readonly known: Readonly<Record<string, readonly TriedPoint[]>>
}

export interface TryState {
  readonly tried: Tried | null
  readonly failure: string | null
}

const RESTED = 150
const RENEWED = 1000

/** `version`: of the policy that decides now; an answer of another one is asked for again. */
export function useTry(problem: string, definition: ProblemDefinition, values: TryValues, version: number): TryState {
  const [state, setState] = useState<TryState>({ tried: null, failure: null })
  const [turn, setTurn] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a turn is a wish to ask again
  useEffect(() => {
    const stop = new AbortController()
    const timer = setTimeout(async () => {
      try {
        const tried = await ask(problem, definition, values, stop.signal)
        if (!stop.signal.aborted) setState({ tried, failure: null })
      } catch (error) {
        if (stop.signal.aborted) return
        const failure = error instanceof ServiceFailure ? error.message : String(error)
        setState((before) => ({ ...before, failure }))
      }
    }, RESTED)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [problem, definition, values, turn])
  const { tried } = state
  const old = tried !== null && tried.reply.policy.version !== version
  // biome-ignore lint/correctness/useExhaustiveDependencies: each answer is looked at anew
  useEffect(() => {
    if (!old) return
    const timer = setTimeout(() => setTurn((count) => count + 1), RENEWED)
    return () => clearTimeout(timer)
  }, [old, tried])
  return state
}

async function ask(
  problem: string,
  { covariates }: ProblemDefinition,
  values: TryValues,
  signal: AbortSignal,
): Promise<Tried> {
  const along = Object.entries(covariates)
    .filter(([name]) => values.covariates[name]?.missing === true)
    .map(([name, feature]) => ({ name, points: valuesAlong(feature) }))
  const requests = along.flatMap(({ name, points }) => points.map((value) => requestOf(values, { name, value })))
  const reply = await answer(problemPath(problem, '/tries'), {
    method: 'POST',
    headers: { ...headers(), 'content-type': 'application/json' },
    body: JSON.stringify({ decisions: [requestOf(values), ...requests] }),
    signal,
  })
  const { results } = (await reply.json()) as DecisionBatchReply
  const replies = results.map((result) => {
    if ('error' in result) throw new ServiceFailure(result.error.detail, result.error.code)
    return result
  })
  let at = 1
  const known = along.map(
    ({ name, points }) => [name, points.map((value) => ({ value, reply: replies[at++]! }))] as const,
  )
  return { values, reply: replies[0]!, known: Object.fromEntries(known) }
}
