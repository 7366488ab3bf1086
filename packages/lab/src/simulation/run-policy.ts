// One policy on one world: a PolicySpec becomes a row of results, in the user's units.

import type { LinearOptions, Problem } from '@primo/core'
import { createEngine, type EngineOptions } from '@primo/core/engine'
import { BLOCK_ROUNDS, drawKey, drawOfRound, seedKey } from '@primo/numeric'
import type { WorldBlock } from '../environments/environment.js'
import { isOnlinePolicy, type OnlinePolicy } from '../policies/online-policy.js'
import type { PolicySpec, Sees } from '../policies/policy-spec.js'
import type { RunRow } from '../runs/run-row.js'
import { onlineRule } from './run-online.js'
import { type SimulationInput, simulate } from './simulate.js'
import { squareCb } from './squarecb.js'
import { Tally } from './tally.js'

/** One policy, one world, one seed. */
export interface PolicyRun {
  readonly spec: PolicySpec | OnlinePolicy
  readonly problem: Problem
  /** Can be iterated more than once. */
  readonly world: Iterable<WorldBlock>
  readonly seed: number
  readonly every?: number
  readonly onProgress?: (rounds: number) => void
}

/**
 * Runs one policy on one world: its regret and reward, in the reward's units.
 * @example
 * const environment = createEnvironment(scenarioFromName('A'))
 * const world = [...worldOf(environment, 7, 4096)]
 * const spec = policyByName('robust', settingOf(environment))
 * const { regret } = runPolicy({ spec, problem: environment.problem, world, seed: 7 })
 */
export function runPolicy(run: PolicyRun): Omit<RunRow, 'scenario'> {
  const { spec, problem, seed } = run
  const tally = tallyOf(run)
  const { min, max } = problem.reward.mean ?? problem.reward
  const inUnits = (value: number | null) => (value === null ? null : value * (max - min))
  return {
    policy: spec.name,
    seed,
    rounds: tally.rounds,
    regret: inUnits(tally.knownRegret),
    floor: inUnits(tally.knownFloor),
    reward: tally.reward * (max - min) + tally.rounds * min,
    checkpoints: tally.checkpoints.map((mark) => ({
      ...mark,
      regret: mark.regret * (max - min),
      floor: inUnits(mark.floor),
      ...(mark.reward === undefined ? {} : { reward: mark.reward * (max - min) + mark.rounds * min }),
    })),
    epochs: tally.epochs.map((epoch) => ({ ...epoch, regret: inUnits(epoch.regret) })),
  }
}

function tallyOf(run: PolicyRun): Tally {
  const { spec } = run
  if (isOnlinePolicy(spec)) return runOnline(run, spec)
  return spec.kind === 'best-fixed-action' || spec.kind === 'uniform' ? runFixed(run, spec) : runEngine(run, spec)
}

type Of<Kind> = Extract<PolicySpec, { kind: Kind }>

/** The pre-trained model as it is: no epoch ever ends. */
const UNLEARNT: EngineOptions = { profile: 'primo', schedule: { kind: 'list', ends: [] } }

function runOnline(run: PolicyRun, policy: OnlinePolicy): Tally {
  const engine = createEngine(run.problem, policy.imputation ?? UNLEARNT)
  return simulated(run, { engine, sees: 'world', online: onlineRule(engine, policy, run.seed) })
}

function simulated(
  { world, seed, every, onProgress }: PolicyRun,
  how: Pick<SimulationInput, 'engine' | 'sees' | 'online'>,
): Tally {
  return simulate({
    ...how,
    world,
    seed,
    ...(every === undefined ? {} : { every }),
    ...(onProgress === undefined ? {} : { onProgress }),
  }).tally
}

function runEngine(run: PolicyRun, spec: Of<'engine' | 'squarecb'>): Tally {
  const { problem } = run
  const engine = createEngine(problemSeen(problem, spec), spec.options)
  // SquareCB has a linear class of its own.
  const linear = spec.options.oracle as LinearOptions | undefined
  const online =
    spec.kind === 'squarecb'
      ? squareCb(engine, {
          scale: spec.scale,
          ridge: linear?.ridge ?? 1,
          interactions: linear?.interactions,
          indicator: linear?.indicator,
        })
      : undefined
  return simulated(run, { engine, sees: spec.sees, ...(online === undefined ? {} : { online }) })
}

function problemSeen(problem: Problem, { sees, audit }: { readonly sees: Sees; readonly audit?: number }): Problem {
  if (sees === 'none') return { ...problem, covariates: {} }
  if (audit === undefined) return problem
  const audited = Object.entries(problem.covariates).map(([name, covariate]) => [
    name,
    { ...covariate, audit: { share: audit } },
  ])
  return { ...problem, covariates: Object.fromEntries(audited) }
}

/** Policies that learn nothing: uniform play, or the action that is best on average over these rounds. */
function runFixed(
  { problem, world, seed, every, onProgress }: PolicyRun,
  spec: Of<'uniform' | 'best-fixed-action'>,
): Tally {
  const actions = problem.actions.length
  const propensities = new Float64Array(actions).fill(1 / actions)
  if (spec.kind === 'best-fixed-action') {
    const totals = new Float64Array(actions)
    for (const block of world) {
      const values = block.means ?? block.rewards
      for (let i = 0; i < values.length; i++) totals[i % actions] = totals[i % actions]! + values[i]!
    }
    propensities.fill(0)
    propensities[totals.indexOf(Math.max(...totals))] = 1
  }
  const key = drawKey(seedKey(seed))
  const played = Float64Array.from({ length: BLOCK_ROUNDS * actions }, (_, i) => propensities[i % actions]!)
  const drawn = new Uint16Array(BLOCK_ROUNDS).fill(propensities.indexOf(1))
  const tally = new Tally({
    actions,
    covariateWidth: 0,
    covariateCount: 0,
    owner: new Int32Array(0),
    units: [],
    ...(every === undefined ? {} : { every }),
  })
  for (const block of world) {
    for (let row = 0; spec.kind === 'uniform' && row < block.count; row++)
      drawn[row] = Math.floor(drawOfRound(key, tally.rounds + 1 + row) * actions)
    tally.addRows(block, 0, block.count, played, drawn)
    onProgress?.(tally.rounds)
  }
  tally.finish()
  return tally
}
