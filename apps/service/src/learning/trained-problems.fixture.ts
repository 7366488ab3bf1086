// Problems whose best action depends on the context, and a service that learns them.

import type { DecisionReply, ProblemDefinition } from '@primo/contract'
import type { EpochState } from '@primo/core/engine'
import { dice } from '../dice.fixture.js'
import { type Running, running, smallProblem } from '../running.fixture.js'

export const learning = {
  profile: 'robust',
  seed: 5,
  schedule: { kind: 'growth', first: 20, factor: 1.5, counted: 'closed' },
}
export const problem = (changes: Partial<ProblemDefinition> = {}) =>
  smallProblem({ learning: learning as object, ...changes })

/** Action b pays 0.8 where x > 1/2, a pays 0.8 elsewhere; the other 0.2. */
const pays = (action: string, x: number) => (x > 0.5 === (action === 'b') ? 0.8 : 0.2)

/** What a batch that is taken whole answers. */
export interface Decided {
  readonly results: DecisionReply[]
}

export async function rounds(
  running_: Running,
  name: string,
  count: number,
  seed: number,
  more: object = {},
): Promise<DecisionReply[]> {
  const d = dice(seed)
  const decisions = Array.from({ length: count }, () => ({
    context: { x: d.next() },
    covariates: { z: d.chance(0.5) ? d.next() : null },
    ...more,
  }))
  const { results } = await running_.ok<Decided>('POST', `/v1/problems/${name}/decisions/batch`, { decisions })
  const rewards = results.map(({ decisionId, action }, k) => ({
    id: decisionId,
    value: pays('served' in more ? 'b' : action, decisions[k]!.context.x),
  }))
  await running_.ok('POST', `/v1/problems/${name}/rewards/batch`, { rewards })
  return results
}

export const propensityOf = ({ ranking }: DecisionReply, action: string) =>
  ranking.find((ranked) => ranked.action === action)?.propensity ?? 0

/** Rounds that the newest fit learnt from. */
export async function newestLearnt({ service: get }: Running, name: string): Promise<number> {
  const row = (await get().store.problem(name))!
  const { state } = (await get().store.snapshot(row.id, row.version, row.book.learnt))!
  return (JSON.parse(state) as EpochState).reports.at(-1)!.learnt
}

/** A service of its own, and how its problems are defined, trained and asked. */
export async function training() {
  const service = await running()
  const { ok, call, learnt } = service
  const define = (name: string, changes: Partial<ProblemDefinition> = {}, query = '') =>
    call<{ change: string }>('PUT', `/v1/problems/${name}${query}`, problem(changes))

  async function train(name: string, turns = 12, seed = 1, more: object = {}): Promise<void> {
    for (let k = 0; k < turns; k++) {
      await rounds(service, name, 20, seed + k, more)
      await learnt(name)
    }
  }

  const decide = (name: string, x: number, more: object = {}): Promise<DecisionReply> =>
    ok('POST', `/v1/problems/${name}/decisions`, { context: { x }, ...more })

  return { service, define, train, decide }
}
