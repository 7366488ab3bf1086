// The kill switch is a guard of the definition: it is set on the newest definition, and what was learnt is kept.

import type { ProblemDefined, ProblemInfo } from '@primo/contract'
import { get, problemPath, send } from '../../api/service.js'

export async function playBaseline(problem: string, kill: boolean): Promise<ProblemDefined> {
  const { definition } = await get<ProblemInfo>(problemPath(problem))
  return send('PUT', problemPath(problem), { ...definition, guards: { ...definition.guards, kill } })
}
