// Random sequences of all calls against the naive model. Twenty sequences, each on a problem of its own, run side by side
// in steps and share the clock and the group commits. Every call goes to a replica that the sequence draws; with one replica
// all go there. PRIMO_SEQUENCES says how many sequences, PRIMO_SEED which, PRIMO_PATH repeats the path of a failure.

import fc from 'fast-check'
import { expect } from 'vitest'
import { replayProblem } from '../../dist/index.js'
import type { Running } from '../running.fixture.js'
import { compare } from './compare-with-model.fixture.js'
import { draws, LANES, runs, type Step } from './drawn-sequences.fixture.js'
import { NaiveModel } from './naive-model.fixture.js'
import { playStep } from './play-step.fixture.js'

const SEED = Number(process.env.PRIMO_SEED ?? 20_261_115)
/** Milliseconds that a policy may take to be live everywhere. */
const PATIENCE = 30_000

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
            await playStep(replicas[to]!, clock.now, name, model, steps[at]!, `${name} step ${at}`)
            const other = replicas[(to + 1) % replicas.length]!
            if (replicas.length === 1 || !OPERATIONS.includes(steps[at]!.kind) || model.learnt !== learnt) return
            // Sent before the other replica can have heard of the change.
            await playStep(other, clock.now, name, model, newlyAllowed(model), `${name} after step ${at}`)
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

function shown(error: unknown): string {
  const { stack, expected, actual } = error as { stack?: string; expected?: unknown; actual?: unknown }
  return `${stack}\nexpected ${JSON.stringify(expected)}\nactual ${JSON.stringify(actual)}`
}
