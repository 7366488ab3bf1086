// All problems of the service.

import type { Overview, ProblemInfo, ProblemSummary, Trend } from '@primo/contract'
import { type Resource, useResource } from '../../api/resource.js'
import { get } from '../../api/service.js'

export interface ListedProblem {
  readonly problem: string
  readonly info: ProblemInfo
  readonly summary: ProblemSummary
  readonly trend: Trend
}

const EVERY = 5000

async function load(signal: AbortSignal): Promise<readonly ListedProblem[]> {
  const [{ problems: infos }, { problems }] = await Promise.all([
    get<{ problems: ProblemInfo[] }>('/v1/problems/', signal),
    get<Overview>('/v1/overview', signal),
  ])
  const byName = new Map(infos.map((info) => [info.problem, info]))
  return problems.flatMap(({ problem, retired, summary, trend }) => {
    const info = byName.get(problem)
    return retired !== null || info === undefined ? [] : [{ problem, info, summary, trend }]
  })
}

export function useProblems(): Resource<readonly ListedProblem[]> {
  return useResource('problems', load, EVERY)
}
