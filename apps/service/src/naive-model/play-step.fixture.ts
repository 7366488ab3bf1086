// One step of a sequence: the call is sent to a replica, told to the naive model, and both must say the same.

import type { DecisionReply, ProblemDefinition, ProblemDetails, RewardReply } from '@primo/contract'
import { expect } from 'vitest'
import type { Answer, Running } from '../running.fixture.js'
import type { Step } from './drawn-sequences.fixture.js'
import type { NaiveModel, Told } from './naive-model.fixture.js'

const eventOf = (which: number) => `event ${which % 6}`

export async function playStep(
  { call }: Running,
  now: number,
  name: string,
  model: NaiveModel,
  step: Step,
  where: string,
) {
  const base = `/v1/problems/${name}`
  const ref = (which: number, byEvent: boolean) =>
    byEvent ? eventOf(which) : (model.rounds[which % Math.max(1, model.rounds.length)]?.id ?? 'nobody')
  const agree = (answer: Answer<unknown>, told: Told) => {
    const { code, status } = (answer.body ?? {}) as { code?: string; status?: string | number }
    const got = { status: answer.status, code, answer: status }
    const expected = { status: told.status, code: told.code, answer: told.status < 300 ? told.answer : told.status }
    expect(got, `${where}: ${JSON.stringify(step)}`).toEqual(expected)
  }
  switch (step.kind) {
    case 'decide': {
      const shadow = model.definition.mode === 'shadow'
      const request = {
        ...(step.event === undefined ? {} : { eventId: eventOf(step.event) }),
        context: { x: step.x },
        ...(step.z === undefined ? {} : { covariates: { z: step.z } }),
        ...(step.reason === undefined ? {} : { missing: { z: step.reason } }),
        ...(step.only === undefined ? {} : { actions: step.only }),
        ...(step.defer === undefined ? {} : { deferActivation: true }),
        ...(shadow === step.fits ? { served: { action: 'b', propensity: 0.5 } } : {}),
      }
      const { eventId } = request
      const expected = model.beforeDecide(eventId, JSON.stringify(request), 'served' in request)
      // Another order of keys is the same body.
      const sent = Object.fromEntries(Object.entries(request).reverse())
      const answer = await call<DecisionReply>('POST', `${base}/decisions`, sent)
      if (expected !== null && 'status' in expected) return agree(answer, expected)
      expect(answer.status, `${where}: ${answer.text}`).toBe(200)
      if (expected !== null) return expect(answer.text, where).toBe(expected.reply)
      checkReply(answer, model, step.only ?? model.definition.actions, where)
      const { body } = answer
      model.decided(
        {
          id: body.decisionId,
          eventId,
          body: JSON.stringify(request),
          reply: answer.text,
          action: shadow ? 'b' : body.action,
          holdout: body.holdout === true,
          asked: body.covariates.z!.pleaseReveal === true,
          observed: step.z ?? null,
          reason: step.reason,
        },
        step.defer ?? false,
        now,
      )
      return expect(body.rewardDeadline, where).toBe(
        model.rounds.at(-1)!.state === 'open' ? model.rounds.at(-1)!.deadline : null,
      )
    }
    case 'reward': {
      const id = ref(step.which, step.byEvent)
      const report = { value: step.value, ...(step.rewardId === undefined ? {} : { rewardId: step.rewardId }) }
      const told = model.reward(id, step.value, step.rewardId, now)
      if (!step.batch || model.retired)
        return agree(await call('POST', `${base}/decisions/${encodeURIComponent(id)}/reward`, report), told)
      const { body } = await call<{ results: (RewardReply & { error: ProblemDetails })[] }>(
        'POST',
        `${base}/rewards/batch`,
        {
          rewards: [{ id, ...report }],
        },
      )
      const result = body.results[0]!
      if (told.status < 300) return expect(result.status, where).toBe(told.answer)
      return expect(result.error, where).toMatchObject({ status: told.status, code: told.code })
    }
    case 'activate': {
      const id = ref(step.which, step.byEvent)
      return agree(await call('POST', `${base}/decisions/${encodeURIComponent(id)}/activate`), model.activate(id, now))
    }
    case 'void': {
      const id = ref(step.which, step.byEvent)
      const answer = await call('POST', `${base}/decisions/${encodeURIComponent(id)}/void`, { unseen: step.unseen })
      return agree(answer, model.void(id, step.unseen, now))
    }
    case 'reveal': {
      const id = ref(step.which, step.byEvent)
      const body = { covariates: { z: step.value } }
      return agree(
        await call('POST', `${base}/decisions/${encodeURIComponent(id)}/reveal`, body),
        model.reveal(id, step.value),
      )
    }
    case 'freeze':
    case 'unfreeze': {
      const told = model[step.kind]()
      return expect((await call('POST', `${base}/${step.kind}`)).status, where).toBe(told.status)
    }
    case 'rollback': {
      const told = model.rollback(step.version)
      const answer = await call('POST', `${base}/rollback`, { version: step.version })
      return expect([answer.status, answer.body.code], where).toEqual([told.status, told.code])
    }
    case 'define': {
      const { changed, invalidates } = change(model.definition, step.change)
      const told = model.define(changed, invalidates, step.renew, now)
      const answer = await call<{ code?: string; change?: string }>(
        'PUT',
        `${base}${step.renew ? '?version=new' : ''}`,
        changed,
      )
      return expect([answer.status, answer.body.code, answer.body.change], where).toEqual([
        told.status,
        told.code,
        told.change,
      ])
    }
    case 'retire':
      if (step.really > 0) return
      return expect((await call('DELETE', base)).status, where).toBe(model.retire().status)
  }
}

function change(before: ProblemDefinition, what: string): { changed: ProblemDefinition; invalidates: boolean } {
  switch (what) {
    case 'guards':
      return {
        changed: { ...before, guards: { floor: before.guards?.floor === 0.05 ? 0.1 : 0.05 } },
        invalidates: false,
      }
    case 'mode':
      return { changed: { ...before, mode: before.mode === 'shadow' ? 'active' : 'shadow' }, invalidates: false }
    case 'action':
      return { changed: { ...before, actions: [...before.actions, `c${before.actions.length}`] }, invalidates: false }
    case 'default':
      if (before.reward.window === undefined) return { changed: before, invalidates: false }
      return {
        changed: { ...before, reward: { ...before.reward, default: before.reward.default === 0.75 ? 0 : 0.75 } },
        invalidates: false,
      }
    case 'context':
      return {
        changed: {
          ...before,
          context: {
            x: {
              type: 'number',
              min: 0,
              max: JSON.stringify(before.context).includes('"max":1') ? 2 : 1,
            },
          },
        },
        // A range may widen.
        invalidates: !JSON.stringify(before.context).includes('"max":1'),
      }
    case 'learning':
      return {
        changed: { ...before, learning: { ...before.learning, seed: (before.learning?.seed ?? 0) + 1 } },
        invalidates: true,
      }
    default:
      return { changed: before, invalidates: false }
  }
}

function checkReply(
  { body }: Answer<DecisionReply>,
  model: NaiveModel,
  eligible: readonly string[],
  where: string,
): void {
  const { guards = {}, actions } = model.definition
  const of: Record<string, number> = Object.fromEntries(
    body.ranking.map(({ action, propensity }) => [action, propensity]),
  )
  expect(Object.keys(of).sort(), where).toEqual([...eligible].sort())
  expect(
    Object.values(of).reduce((sum, p) => sum + p),
    where,
  ).toBeCloseTo(1, 9)
  expect(body.propensity, where).toBe(of[body.action])
  expect(body.propensity, where).toBeGreaterThan(0)
  expect(body.policy, where).toMatchObject({
    version: model.policy,
    mode: model.frozen ? 'frozen' : (model.definition.mode ?? 'active'),
  })
  for (const p of Object.values(of)) expect(p, where).toBeGreaterThanOrEqual((guards.floor ?? 0) - 1e-12)
  if (guards.kill && eligible.includes('a')) expect(of.a, where).toBe(1)
  if (model.policy > 0 || guards.kill) return
  // Nothing learnt: uniform over what is eligible, the holdout's share on its baseline.
  const share = guards.holdout !== undefined && eligible.includes('b') ? guards.holdout : 0
  for (const [action, p] of Object.entries(of))
    expect(p, where).toBeCloseTo((1 - share) / eligible.length + (action === 'b' ? share : 0), 12)
  expect(actions).toContain(body.action)
}
