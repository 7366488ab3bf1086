// Random sequences of all calls against the naive model. Twenty sequences, each on a problem of its own, run side by side
// in steps and share the clock and the group commits. Every call goes to a replica that the sequence draws; with one replica
// all go there. PRIMO_SEQUENCES says how many sequences, PRIMO_SEED which, PRIMO_PATH repeats the path of a failure.

import type { ProblemDefinition } from '@primo/contract'
import fc from 'fast-check'
import { expect } from 'vitest'
import { replayProblem } from '../dist/index.js'
import { type ModelRound, NaiveModel, type Told } from './naive-model.js'
import type { Answer, Running } from './running.js'

const LANES = 20
const STEPS = 25
const SEED = Number(process.env.PRIMO_SEED ?? 20_261_115)
/** Milliseconds that a policy may take to be live everywhere. */
const PATIENCE = 30_000

const definition: fc.Arbitrary<ProblemDefinition> = fc
  .record({
    window: fc.option(fc.constantFrom(50, 200), { nil: undefined }),
    aggregate: fc.constantFrom('first', 'sum', 'mean', 'last'),
    fallback: fc.option(fc.constantFrom(0, 0.25), { nil: undefined }),
    learnFrom: fc.constantFrom(undefined, 'arrival', 'closing'),
    activation: fc.constantFrom(undefined, undefined, 'implicit', 'explicit'),
    activationWindow: fc.option(fc.constant({ milliseconds: 100 }), { nil: undefined }),
    length: fc.integer({ min: 2, max: 5 }),
    counted: fc.constantFrom('closed', 'decisions'),
    profile: fc.constantFrom('primo', 'primo-cal', 'robust'),
    maxEpochAge: fc.option(fc.constant({ milliseconds: 300 }), { nil: undefined }),
    guards: fc.constantFrom(undefined, { floor: 0.1 }, { holdout: 0.4, baseline: 'b' }, { kill: true, baseline: 'a' }),
    mode: fc.constantFrom(undefined, undefined, 'active', 'shadow'),
    audit: fc.constantFrom(undefined, { share: 0.5 }),
  })
  .map(({ window, aggregate, fallback, learnFrom, length, counted, profile, maxEpochAge, audit, ...rest }) => {
    const reward = {
      min: 0,
      max: 1,
      ...(window === undefined
        ? {}
        : {
            window: { milliseconds: window },
            aggregate: learnFrom === 'arrival' ? 'first' : aggregate,
            default: fallback,
            learnFrom,
          }),
    }
    const learning = { profile, seed: 7, schedule: { kind: 'fixed', length, counted }, maxEpochAge }
    const covariate = { type: 'number', min: 0, max: 1, imputer: { kind: 'constant', value: 0.5 }, audit }
    const whole = {
      context: { x: { type: 'number', min: 0, max: 1 } },
      covariates: { z: covariate },
      actions: ['a', 'b'],
      reward,
      learning,
      ...rest,
    }
    return JSON.parse(JSON.stringify(whole)) as ProblemDefinition
  })

const which = fc.integer({ min: 0, max: 12 })
const value = fc.constantFrom(0, 0.25, 0.5, 1, 1, 2)
const step = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      event: fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined }),
      x: fc.constantFrom<number[]>(0, 0.5, 1),
      z: fc.constantFrom(undefined, null, 0.25, 0.75),
      reason: fc.constantFrom(undefined, 'asleep'),
      only: fc.constantFrom(undefined, undefined, ['b'] as string[]),
      defer: fc.constantFrom(undefined, undefined, true),
      /** Whether `served` is given as the mode asks, or wrongly. */
      fits: fc.constantFrom(true, true, true, true, true, false),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      kind: fc.constant('reward' as const),
      which,
      byEvent: fc.boolean(),
      value,
      rewardId: fc.constantFrom(undefined, undefined, 'r1', 'r2'),
      batch: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('activate' as const), which, byEvent: fc.boolean() }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('void' as const), which, byEvent: fc.boolean(), unseen: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('reveal' as const),
      which,
      byEvent: fc.boolean(),
      value: fc.constantFrom(0.25, 0.75),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('freeze' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('unfreeze' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('rollback' as const), version: fc.integer({ min: 0, max: 3 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('define' as const),
      change: fc.constantFrom('none', 'guards', 'mode', 'action', 'default', 'context', 'learning'),
      renew: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('retire' as const), really: fc.integer({ min: 0, max: 9 }) }) },
)
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

const runs = fc.record({
  lanes: fc.array(
    fc.record({ definition, steps: fc.array(step, { minLength: STEPS, maxLength: STEPS, size: 'max' }) }),
    { minLength: LANES, maxLength: LANES, size: 'max' },
  ),
  times: fc.array(fc.record({ advance: fc.constantFrom(0, 0, 1, 50, 60, 100, 400), tick: fc.boolean() }), {
    minLength: STEPS,
    maxLength: STEPS,
    size: 'max',
  }),
  restartAt: fc.option(fc.integer({ min: 5, max: STEPS - 1 }), { nil: -1, freq: 2 }),
})

/** Drawn after the run, so that all replicas play the same sequences. */
const draws = (replicas: number) => {
  const replica = fc.nat({ max: replicas - 1 })
  const ofSteps = fc.array(replica, { minLength: STEPS, maxLength: STEPS, size: 'max' })
  return fc.record({
    replicaOf: fc.array(ofSteps, { minLength: LANES, maxLength: LANES, size: 'max' }),
    restarted: replica,
  })
}

/** Plays at least `least` sequences; throws with seed and path of the first that is answered otherwise than by the model. */
export async function playSequences(
  replicas: readonly Running[],
  clock: { now: number },
  least: number,
): Promise<number> {
  let run = 0
  const checked = await fc.check(
    fc.asyncProperty(runs, draws(replicas.length), async ({ lanes, times, restartAt }, { replicaOf, restarted }) => {
      run++
      const played = await Promise.all(
        lanes.map(async (lane, k) => {
          const name = `run${run}-${k}`
          await replicas[k % replicas.length]!.ok('PUT', `/v1/problems/${name}`, lane.definition)
          return { name, steps: lane.steps, model: new NaiveModel(lane.definition, clock.now) }
        }),
      )
      for (const [at, { advance, tick }] of times.entries()) {
        clock.now += advance
        if (at === restartAt) await replicas[restarted]!.restart()
        if (tick) {
          await tickOnce(replicas)
          for (const { model } of played) model.tick(clock.now)
          await allLearnt(replicas, played)
        }
        await Promise.all(
          played.map(async ({ name, steps, model }, k) => {
            const to = replicaOf[k]![at]!
            const learnt = model.learnt
            await play(replicas[to]!, clock.now, name, model, steps[at]!, `${name} step ${at}`)
            const other = replicas[(to + 1) % replicas.length]!
            if (replicas.length === 1 || !OPERATIONS.includes(steps[at]!.kind) || model.learnt !== learnt) return
            // Sent before the other replica can have heard of the change.
            await play(other, clock.now, name, model, newlyAllowed(model), `${name} after step ${at}`)
          }),
        )
        await allLearnt(replicas, played)
      }
      for (const { name, model } of played) {
        await compare(replicas, name, model)
        expect((await replayProblem(replicas[0]!.service().store, name)).different, name).toEqual([])
      }
      // Retired problems cost nothing in the runs to come.
      await Promise.all(played.map(({ name }) => replicas[0]!.call('DELETE', `/v1/problems/${name}`)))
    }),
    { numRuns: Math.ceil(least / LANES), seed: SEED, path: process.env.PRIMO_PATH ?? '', endOnFailure: true },
  )
  // The sequences themselves are long: seed and path say which.
  if (checked.failed)
    throw new Error(`seed ${checked.seed}, path ${checked.counterexamplePath}: ${shown(checked.errorInstance)}`)
  return run * LANES
}

/** Steps that change what a replica may answer. */
const OPERATIONS: readonly Step['kind'][] = ['define', 'freeze', 'unfreeze', 'rollback', 'retire']

/** A decision that only the definition as it is now may allow. */
function newlyAllowed({ definition }: NaiveModel): Step {
  const { context, actions, mode } = definition
  const x = (context.x as { max: number }).max
  const nothing = { event: undefined, z: undefined, reason: undefined, defer: undefined }
  return { kind: 'decide', ...nothing, x, only: mode === 'shadow' ? undefined : [actions.at(-1)!], fits: true }
}

/** By the replica that leads, from the beginning to the end of it. */
async function tickOnce(replicas: readonly Running[]): Promise<void> {
  await eventually('a replica leads and ticks', async () => {
    const leader = replicas.map((replica) => replica.service()).find(({ store }) => store.leads())
    if (leader === undefined) return false
    await leader.host.tick()
    return leader.store.leads()
  })
}

/**
 * Until nothing waits to be learnt and its policy is live on every replica. A replica that has not heard of another change
 * (definition, freeze, rollback) is not waited for: it must find out by itself.
 */
async function allLearnt(replicas: readonly Running[], lanes: readonly { name: string }[]): Promise<void> {
  for (const { name } of lanes) {
    await eventually(`problem "${name}" has learnt`, async () => {
      const row = (await replicas[0]!.service().store.problem(name))!
      if (row.book.ending !== null) return false
      for (const replica of replicas) {
        const live = (await replica.service().host.problem(name)).row
        if (live.revision === row.revision && live.book.policy !== row.book.policy) return false
      }
      return true
    })
  }
}

async function eventually(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + PATIENCE; !(await holds()); ) {
    if (Date.now() > end) throw new Error(`in ${PATIENCE / 1000} seconds it did not come about that ${what}`)
    await new Promise((resolve) => setTimeout(resolve, 2))
  }
}

const eventOf = (which: number) => `event ${which % 6}`

async function play({ call }: Running, now: number, name: string, model: NaiveModel, step: Step, where: string) {
  const base = `/v1/problems/${name}`
  const ref = (which: number, byEvent: boolean) =>
    byEvent ? eventOf(which) : (model.rounds[which % Math.max(1, model.rounds.length)]?.id ?? 'nobody')
  const agree = (answer: Answer, told: Told) => {
    const got = { status: answer.status, code: answer.body?.code, answer: answer.body?.status }
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
      const answer = await call('POST', `${base}/decisions`, sent)
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
          asked: body.covariates.z.pleaseReveal === true,
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
      const [result] = (await call('POST', `${base}/rewards/batch`, { rewards: [{ id, ...report }] })).body.results
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
      const answer = await call('PUT', `${base}${step.renew ? '?version=new' : ''}`, changed)
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
        invalidates: true,
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

function checkReply({ body }: Answer, model: NaiveModel, eligible: readonly string[], where: string): void {
  const { guards = {}, actions } = model.definition
  const of = Object.fromEntries(
    body.ranking.map((ranked: { action: string; propensity: number }) => [ranked.action, ranked.propensity]),
  ) as Record<string, number>
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

/** What every replica says of the problem, and of the decisions one replica each. */
async function compare(replicas: readonly Running[], name: string, model: NaiveModel): Promise<void> {
  for (const replica of replicas) await compareProblem(replica, name, model)
  for (const [k, round] of model.rounds.entries()) await compareRound(replicas[k % replicas.length]!, name, round)
}

async function compareProblem({ summary, call }: Running, name: string, model: NaiveModel): Promise<void> {
  const got = await summary(name)
  const { reasons, asked, answered, observed, missing, revealed, policyVersion, learntVersion, epoch, ...told } =
    model.summary()
  expect(rounded(got), name).toMatchObject(
    rounded({
      ...told,
      covariates: { z: { observed, missing, revealed, reasons, audit: { asked, answered } } },
      learning: { policyVersion, learntVersion, epoch, fitting: false, failures: 0, lastFailure: null },
    }),
  )
  const rows = (await call('GET', `/v1/problems/${name}/log`)).text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
  // An absent column is null.
  const expectedRows = model.log()
  const picked = rows.map((row) =>
    Object.fromEntries(Object.keys(expectedRows[0]!).map((key) => [key, row[key] ?? null])),
  )
  expect(picked, name).toEqual(expectedRows)
}

async function compareRound({ call }: Running, name: string, round: ModelRound): Promise<void> {
  const explained = (await call('GET', `/v1/problems/${name}/decisions/${round.id}`)).body
  expect(explained, name).toMatchObject({
    decisionId: round.id,
    round: round.number,
    problemVersion: round.version,
    status: round.state,
    reward: round.final,
    revealed: round.revealed === null ? {} : { z: round.revealed },
    reply: JSON.parse(round.reply),
  })
  expect(explained.rewards.map(({ value, answer }: { value: number; answer: string }) => [value, answer])).toEqual(
    round.arrivals.map(({ value, answer }) => [value, answer]),
  )
}

/** Sums are taken in another order here. */
function rounded<T>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, inner) => (typeof inner === 'number' ? Math.round(inner * 1e6) / 1e6 : inner)),
  )
}

function shown(error: unknown): string {
  const { stack, expected, actual } = error as { stack?: string; expected?: unknown; actual?: unknown }
  return `${stack}\nexpected ${JSON.stringify(expected)}\nactual ${JSON.stringify(actual)}`
}
