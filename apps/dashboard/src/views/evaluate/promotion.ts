// What it takes that a policy which was evaluated decides from now on: a change of the definition.

import type { DefinitionPlan, ProblemDefined, ProblemDefinition, ProblemInfo } from '@primo/contract'
import { get, problemPath, send } from '../../api/service.js'

const PROFILES = ['robust', 'primo', 'primo-cal']

/** The definition in which it decides; null: there is none (choosing at random, say). */
export function promoted(definition: ProblemDefinition, policy: string): ProblemDefinition | null {
  const { guards = {}, learning = {} } = definition
  if (policy.startsWith('fixed:')) {
    const baseline = policy.slice('fixed:'.length)
    return definition.actions.includes(baseline) ? { ...definition, guards: { ...guards, baseline, kill: true } } : null
  }
  if (!PROFILES.includes(policy)) return null
  return { ...definition, learning: { ...learning, profile: policy }, guards: { ...guards, kill: false } }
}

export interface PromotionPlan {
  readonly definition: ProblemDefinition
  /** Whether learning must begin anew for it. */
  readonly renews: boolean
  readonly plan: DefinitionPlan
}

/** What the service says that would be kept and what would begin anew; nothing is changed. */
export async function planPromotion(problem: string, policy: string): Promise<PromotionPlan> {
  const { definition: now } = await get<ProblemInfo>(problemPath(problem))
  const definition = promoted(now, policy)
  if (definition === null) throw new Error(`"${policy}" cannot be set up as the one that decides.`)
  const ask = (more: string) => send<DefinitionPlan>('PUT', problemPath(problem, `?dryRun=true${more}`), definition)
  const plan = await ask('')
  return plan.change === 'refused'
    ? { definition, renews: true, plan: await ask('&version=new') }
    : { definition, renews: false, plan }
}

export function promote(problem: string, { definition, renews }: PromotionPlan): Promise<ProblemDefined> {
  return send('PUT', problemPath(problem, renews ? '?version=new' : ''), definition)
}
