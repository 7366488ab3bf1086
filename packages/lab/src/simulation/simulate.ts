// Runs an engine on a stream of rounds, in columns, with the policy kernel of the library: the same actions as a Learner
// that is given the same rounds one by one.

import {
  type AuditDraws,
  auditDraws,
  BLOCK_ROUNDS,
  compilePolicy,
  countedRounds,
  drawKey,
  drawOfRound,
  type Engine,
  type EpochState,
  endEpoch,
  epochQuota,
  initialState,
  membersOf,
  modelSdOf,
  Observed,
  Random,
  type RoundBlock,
  RoundStatus,
  RoundTable,
  seedKey,
} from '@primo/core'
import type { WorldBlock } from '../environments/environment.js'
import type { Sees } from '../policies/policy-spec.js'
import { Arrivals } from './arrivals.js'
import { Tally } from './tally.js'

/** A rule that learns from every reward as it arrives. */
export interface OnlineRule {
  readonly propensities: Float64Array
  /** Writes action and propensity of the row, whose covariates are already filled in, into the block. */
  readonly decide: (block: RoundBlock, row: number, draw: number) => number
  readonly learn: (block: RoundBlock, row: number) => void
}

export interface SimulationInput {
  readonly engine: Engine
  /** Blocks in order, BLOCK_ROUNDS rounds each but the last. */
  readonly world: Iterable<WorldBlock>
  readonly seed: number
  /** 'truth': every covariate is shown; 'none': the engine's problem has no covariates; default 'world'. */
  readonly sees?: Sees
  /** Takes the place of the engine's reward model and exploration rule; the engine still imputes. */
  readonly online?: OnlineRule
  /** Also record a checkpoint every so many rounds; default only at powers of two and at the end. */
  readonly every?: number
  /** Called after every block with the number of rounds done. */
  readonly onProgress?: (rounds: number) => void
}

export interface SimulationResult {
  readonly tally: Tally
  readonly state: EpochState
}

export function simulate(input: SimulationInput): SimulationResult {
  const { engine, seed, sees = 'world', online, onProgress } = input
  const root = seedKey(seed)
  const key = drawKey(root)
  const random = new Random(root)
  const audit = sees === 'world' ? auditDraws(engine, root) : null
  const table = new RoundTable(engine.shape)
  const { covariateWidth } = engine.shape
  const actions = engine.encoding.actions.length
  const tally = tallyFor(engine, input.every)
  const arrivals = new Arrivals()
  let state = initialState(engine.shape.covariateCount)
  let policy = compilePolicy(engine, state)
  let quota = epochQuota(state, engine)
  let closed = 0
  let round = 0
  const close = (block: RoundBlock, row: number) => {
    block.status[row] = RoundStatus.closed
    closed++
    online?.learn(block, row)
  }
  const arrive = (arrived: number) => close(table.block(arrived), arrived % BLOCK_ROUNDS)
  for (const world of input.world) {
    for (let row = 0; row < world.count; row++) {
      if (world.delay !== null) arrivals.receive(round, arrive)
      if (countedRounds(engine, round, closed) >= quota) {
        tally.endEpoch(state.epoch, state.gamma)
        state = endEpoch(state, table, engine, closed, random.split('epoch', state.epoch))
        policy = compilePolicy(engine, state)
        quota = epochQuota(state, engine)
      }
      table.append()
      const block = table.blocks[table.blocks.length - 1]!
      if (row === 0) showBlock(engine, world, block, sees)
      const draw = drawOfRound(key, round + 1)
      let action = policy.decide(block, row, draw)
      if (audit !== null) answerAudit(engine, audit, world, block, row, round + 1)
      if (online !== undefined) action = online.decide(block, row, draw)
      tally.add(world, row, (online ?? policy).propensities, action)
      if (sees === 'world' && covariateWidth > 0)
        tally.addImputation(world, row, block.covariates, row * covariateWidth)
      block.reward[row] = world.rewards[row * actions + action]!
      block.arrivals[row] = 1
      if (world.delay === null) close(block, row)
      else arrivals.send(round, world.delay[row]!)
      round++
    }
    onProgress?.(round)
  }
  tally.endEpoch(state.epoch, state.gamma)
  tally.finish()
  return { tally, state }
}

function tallyFor(engine: Engine, every: number | undefined): Tally {
  const { covariates, covariateWidth } = engine.encoding
  const owner = new Int32Array(covariateWidth)
  covariates.forEach(({ at, width }, which) => {
    owner.fill(which, at, at + width)
  })
  const options = { actions: engine.encoding.actions.length, covariateWidth, owner, covariateCount: covariates.length }
  return new Tally(every === undefined ? options : { ...options, every })
}

/** Copies what a policy may see of a block of the world: a missing value itself never enters the table. */
function showBlock(engine: Engine, world: WorldBlock, block: RoundBlock, sees: Sees): void {
  block.context.set(world.context)
  if (sees === 'none') return
  block.pretrained.set(world.pretrained)
  if (world.members !== undefined && engine.shape.memberWidth !== undefined)
    membersOf(block, engine.shape).set(world.members)
  if (world.modelSd !== undefined) modelSdOf(block, engine.shape).set(world.modelSd)
  const { covariateWidth, covariateCount } = engine.shape
  engine.encoding.covariates.forEach(({ feature, at, width }, which) => {
    // What stands there until a model fills it, and stays where the model has nothing to say.
    const neutral = feature.type === 'number' ? 0 : feature.type === 'boolean' ? 0.5 : 1 / width
    for (let row = 0; row < world.count; row++) {
      const seen = sees === 'truth' || world.observed[row * covariateCount + which] === 1
      block.observed[row * covariateCount + which] = seen ? 1 : 0
      for (let k = at; k < at + width; k++) {
        block.covariates[row * covariateWidth + k] = seen ? world.truth[row * covariateWidth + k]! : neutral
      }
    }
  })
}

/** In the lab whoever is asked for a truth tells it at once. */
function answerAudit(
  engine: Engine,
  audit: AuditDraws,
  world: WorldBlock,
  block: RoundBlock,
  row: number,
  number: number,
): void {
  const { covariateWidth, covariateCount } = engine.shape
  engine.encoding.covariates.forEach(({ at, width }, which) => {
    const flag = row * covariateCount + which
    if (block.observed[flag] !== Observed.missing || !audit.asksRound(which, number)) return
    block.revealed ??= new Float64Array(BLOCK_ROUNDS * covariateWidth)
    for (let k = at; k < at + width; k++) {
      block.revealed[row * covariateWidth + k] = world.truth[row * covariateWidth + k]!
    }
    block.observed[flag] = Observed.audited
  })
}

/** The blocks of an environment's first `rounds` rounds, made as they are asked for. */
export function* worldOf(
  environment: { block: (seed: number, index: number, count: number) => WorldBlock },
  seed: number,
  rounds: number,
): Iterable<WorldBlock> {
  for (let first = 0; first < rounds; first += BLOCK_ROUNDS) {
    yield environment.block(seed, first / BLOCK_ROUNDS, Math.min(BLOCK_ROUNDS, rounds - first))
  }
}
