// A caller can leave decisions out before it uploads. Their counters are missing then, and that is counted and said.

import type { PolicyDocument, UploadReply } from '@primo/contract'
import { expect, test } from 'vitest'
import { localDecisions } from '../../../../bench/local-decisions.mjs'
import { examineStore, openRawStore } from '../../dist/index.js'
import { dice } from '../dice.fixture.js'
import { training } from '../learning/trained-problems.fixture.js'
import { START } from '../running.fixture.js'

const { service, define } = await training()
const { ok, learnt, summary } = service

/** Decides turn by turn, a new run each; action a pays 1 with probability .5, b with .4. Uploads what `keeps` keeps. */
async function play(
  name: string,
  turns: number,
  keeps: (action: string, reward: number, k: number) => boolean,
): Promise<number> {
  const d = dice(11)
  let left = 0
  for (let turn = 0; turn < turns; turn++) {
    const document = await ok<PolicyDocument>('GET', `/v1/problems/${name}/policy?caller=web`)
    const { decide } = localDecisions(document, `run${turn}`)
    const items = Array.from({ length: 100 }, (_, k) => {
      const decision = decide({ context: { x: d.next() }, covariates: { z: null } }, START)
      const value = d.chance(decision.action === 'b' ? 0.4 : 0.5) ? 1 : 0
      const kept = k === 99 || keeps(decision.action, value, k)
      if (!kept) left++
      return kept ? [{ decision }, { reward: { id: decision.id, value } }] : []
    }).flat()
    const upload = { caller: 'web', policy: document.policy, items }
    expect((await ok<UploadReply>('POST', `/v1/problems/${name}/uploads`, upload)).refused).toEqual([])
    await learnt(name)
  }
  return left
}

test('a caller that leaves out half the failures of one action is warned of, with how far each mean can be off', async () => {
  await define('withheld')
  const d = dice(12)
  const left = await play('withheld', 12, (action, reward) => action !== 'b' || reward === 1 || d.chance(0.5))
  const { actions, decisions, uploads, warnings } = await summary('withheld')
  // The attack works: in the log the worse action looks better.
  expect(actions.b!.reward.mean).toBeGreaterThan(actions.a!.reward.mean!)
  expect(uploads).toMatchObject({ decisions, missing: left, callers: { web: { decisions, missing: left } } })
  const { closed, mean } = actions.b!.reward
  // Here all that is missing was b and failed: the lower limit is the mean over all that was played.
  const low = (mean! * closed) / (closed + left)
  expect(uploads.limits.b!.low).toBeCloseTo(low, 12)
  expect(uploads.limits.b!.high).toBeCloseTo(low + left / (closed + left), 12)
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain(`${left} of ${decisions + left} decisions`)
  expect(warnings[0]).toContain(`web (${left})`)
  await service.restart()
  expect((await summary('withheld')).uploads).toEqual(uploads)
  const raw = await openRawStore(`sqlite:${service.folder}/primo.db`)
  const found = await examineStore(raw, START).finally(raw.close)
  expect(found.filter(({ check }) => check === 'uploads')).toMatchObject([{ state: 'warning' }])
})

test('one lost decision is counted but is no reason to warn; nothing is missing of a caller that uploads all', async () => {
  await define('honest')
  expect(await play('honest', 2, () => true)).toBe(0)
  expect((await summary('honest')).uploads).toMatchObject({ decisions: 200, missing: 0, limits: {} })
  await define('lost')
  expect(await play('lost', 2, (_, __, k) => k !== 42)).toBe(2)
  const { uploads, warnings } = await summary('lost')
  expect(uploads).toMatchObject({ decisions: 198, missing: 2 })
  expect(warnings).toEqual([])
})

test('a run goes on when learning begins anew, and a late batch fills its gap', async () => {
  await define('anew')
  const document = await ok<PolicyDocument>('GET', '/v1/problems/anew/policy?caller=web')
  const { decide } = localDecisions(document)
  const made = Array.from({ length: 6 }, () => decide({ context: { x: 0.5 } }, START))
  const send = async (policy: string, decisions: readonly object[]) => {
    const items = decisions.map((decision) => ({ decision }))
    await ok('POST', '/v1/problems/anew/uploads', { caller: 'web', policy, items })
    return (await summary('anew')).uploads
  }
  expect(await send(document.policy, made.slice(3))).toMatchObject({ decisions: 3, missing: 3 })
  expect(await send(document.policy, made.slice(0, 3))).toMatchObject({ decisions: 6, missing: 0 })
  expect(await send(document.policy, made)).toMatchObject({ decisions: 6, missing: 0 })
  await define('anew', { reward: { min: 0, max: 2 } }, '?version=new')
  const again = await ok<PolicyDocument>('GET', '/v1/problems/anew/policy?caller=web')
  const later = localDecisions(again)
  const next = Array.from({ length: 7 }, () => later.decide({ context: { x: 0.5 } }, START)).slice(6)
  expect(await send(again.policy, next)).toMatchObject({ decisions: 7, missing: 0 })
})
