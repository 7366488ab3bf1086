// Summary and report say which rounds the live policy was learnt from: all, until the world changes.

import type { DecisionReply, Epochs } from '@primo/contract'
import { expect, test } from 'vitest'
import { dice } from '../dice.fixture.js'
import { running, smallProblem } from '../running.fixture.js'
import type { EpochSummary } from './follower.js'
import type { Decided } from './trained-problems.fixture.js'

test('after a change the rounds before it are no longer learnt from', async () => {
  const own = await running()
  await own.ok('PUT', '/v1/problems/p', smallProblem())
  const d = dice(3)
  const memory = async () => (await own.summary('p')).learning.memory
  expect(await memory()).toBe(null)

  /** Rewards of an action rise along x, those of the other one fall. */
  async function play(batches: number, rising: string): Promise<void> {
    for (let k = 0; k < batches; k++) {
      const decisions = Array.from({ length: 100 }, () => ({ context: { x: d.next() }, covariates: { z: d.next() } }))
      const { results } = await own.ok<Decided>('POST', '/v1/problems/p/decisions/batch', { decisions })
      const rewards = results.map(({ decisionId, action }: DecisionReply, i: number) => ({
        id: decisionId,
        value: 0.5 + (action === rising ? 0.6 : -0.6) * (decisions[i]!.context.x - 0.5) + 0.2 * (d.next() - 0.5),
      }))
      await own.ok('POST', '/v1/problems/p/rewards/batch', { rewards })
      await own.learnt('p')
    }
  }

  await play(10, 'b')
  const before = (await memory())!
  expect(before.since).toBe(0)
  expect(before.rounds).toBeGreaterThan(800)
  await play(10, 'a')
  const after = (await memory())!
  expect(after.since).toBeGreaterThan(800)
  expect(after.since + after.rounds).toBeGreaterThan(before.rounds)
  const { epochs } = await own.ok<Epochs>('GET', '/v1/problems/p/epochs')
  expect((epochs.at(-1)!.report as EpochSummary).memory).toEqual(after)
})
