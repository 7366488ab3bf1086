// Runs an engine on a stream of rounds, in columns, with the policy kernel of the library: the same actions as a Learner
// that is given the same rounds one by one.

import {
  type Asker,
  type AuditDraws,
  auditDraws,
  compileAsker,
  compilePolicy,
  countedRounds,
  type Engine,
  type EpochState,
  endEpoch,
  epochQuota,
  initialState,
  membersOf,
  modelSdOf,
  Observed,
  type RoundBlock,
  RoundTable,
} from '@primo/core/engine'
import { BLOCK_ROUNDS, drawKey, drawsOfRounds, Random, seedKey } from '@primo/numeric'
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

/** An engine and the rounds that it decides. */
export interface SimulationInput {
  readonly engine: Engine
  /** Blocks in order, BLOCK_ROUNDS rounds each but the last. */
  readonly world: Iterable<WorldBlock>
  readonly seed: number
  /** 'truth': every covariate is shown; 'none': the engine's problem has no covariates; default 'world'. */
  readonly sees?: Sees
  /** Takes the place of the engine's reward model and exploration rule; the engine still imputes. */
  readonly online?: OnlineRule
  /** The policy that decides a round, by the ends of epochs before it, given how many there were: callers may keep an older one. Default: the newest. */
  readonly keeps?: (round: number, newest: number) => number
  /** Also record a checkpoint every so many rounds; default only at powers of two and at the end. */
  readonly every?: number
  /** Called after every block with the number of rounds done. */
  readonly onProgress?: (rounds: number) => void
}

/** What came of a simulation: totals, the last state, the log. */
export interface SimulationResult {
  readonly tally: Tally
  readonly state: EpochState
  /** The log of the run. */
  readonly rounds: RoundTable
}

/** Runs an engine on a stream of rounds, with the actions of a learner that is given the same rounds. */
export function simulate(input: SimulationInput): SimulationResult {
  const { engine, seed, sees = 'world', online, keeps, onProgress } = input
  const root = seedKey(seed)
  const key = drawKey(root)
  const random = new Random(root)
  const audit = auditDraws(engine, root)
  const table = new RoundTable(engine.shape)
  const tally = tallyFor(engine, input.every)
  const arrivals = new Arrivals()
  const draws = new Float64Array(BLOCK_ROUNDS)
  const propensities = new Float64Array(BLOCK_ROUNDS * engine.encoding.actions.length)
  let state = initialState(engine.shape.covariateCount)
  let policy = compilePolicy(engine, state)
  const askerOf = () => (sees === 'world' ? compileAsker(engine, state) : null)
  let asker = askerOf()
  const policies = [{ policy, asker }]
  let quota = epochQuota(state, engine)
  let closed = 0
  let round = 0
  const arrive = (arrived: number) => {
    table.close(arrived)
    closed++
    online?.learn(table.block(arrived), arrived % BLOCK_ROUNDS)
  }
  for (const world of input.world) {
    for (let start = 0, end = 0; start < world.count; start = end) {
      if (world.delay !== null) arrivals.receive(round, arrive)
      if (countedRounds(engine, round, closed) >= quota) {
        tally.endEpoch(state.epoch, state.gamma)
        state = endEpoch(state, table, engine, closed, random.split('epoch', state.epoch))
        policy = compilePolicy(engine, state)
        asker = askerOf()
        if (keeps !== undefined) policies.push({ policy, asker })
        quota = epochQuota(state, engine)
      }
      // Until the epoch can end nothing changes, so that rounds are decided together; where rewards come later, or a rule learns
      // from each, or callers keep older policies, one by one.
      const together = world.delay === null && online === undefined && keeps === undefined
      const left = quota - countedRounds(engine, round, closed)
      end = together ? Math.min(world.count, start + left) : start + 1
      table.appendRows(end - start, world.context)
      const block = table.blocks[table.blocks.length - 1]!
      if (start === 0) showBlock(engine, world, block, sees)
      drawsOfRounds(key, round + 1, end - start, draws)
      const own = keeps === undefined ? { policy, asker } : policies[keeps(round, policies.length - 1)]!
      own.policy.decideRows(block, start, end, draws, propensities)
      if (own.asker !== null)
        for (let row = start; row < end; row++)
          answerAudit(engine, own.asker, audit, world, block, row, round + 1 + row - start)
      if (online !== undefined) {
        online.decide(block, start, draws[0]!)
        propensities.set(online.propensities)
      }
      tally.addRows(world, start, end, propensities, block.action)
      if (sees === 'world') tally.addImputations(world, start, end, block.covariates)
      reward(world, block, start, end)
      if (together) {
        closed += end - start
        for (; round < table.count; round++) table.close(round)
        continue
      }
      round++
      if (world.delay === null) arrive(round - 1)
      else arrivals.send(round - 1, world.delay[start]!)
    }
    onProgress?.(round)
  }
  tally.endEpoch(state.epoch, state.gamma)
  tally.finish()
  return { tally, state, rounds: table }
}

/** The reward of each row's action, told once. */
function reward(world: WorldBlock, block: RoundBlock, start: number, end: number): void {
  const actions = world.rewards.length / world.count
  for (let row = start; row < end; row++) block.reward[row] = world.rewards[row * actions + block.action[row]!]!
  block.arrivals.fill(1, start, end)
}

function tallyFor(engine: Engine, every: number | undefined): Tally {
  const { covariates, covariateWidth } = engine.encoding
  const owner = new Int32Array(covariateWidth)
  covariates.forEach(({ at, width }, which) => {
    owner.fill(which, at, at + width)
  })
  const options = {
    actions: engine.encoding.actions.length,
    covariateWidth,
    owner,
    covariateCount: covariates.length,
    units: covariates.map(({ feature }) => (feature.type === 'number' ? (feature.max - feature.min) / 2 : 1)),
  }
  return new Tally(every === undefined ? options : { ...options, every })
}

/** Copies what a policy may see of a block of the world besides the context: a missing value itself never enters the table. */
function showBlock(engine: Engine, world: WorldBlock, block: RoundBlock, sees: Sees): void {
  if (sees === 'none') return
  block.pretrained.set(world.pretrained)
  if (world.members !== undefined && engine.shape.memberWidth !== undefined)
    membersOf(block, engine.shape).set(world.members)
  if (world.modelSd !== undefined) modelSdOf(block, engine.shape).set(world.modelSd)
  for (let which = 0; which < engine.shape.covariateCount; which++) showCovariate(engine, world, block, sees, which)
}

function showCovariate({ encoding, shape }: Engine, world: WorldBlock, block: RoundBlock, sees: Sees, which: number) {
  const { covariateWidth, covariateCount } = shape
  const { feature, at, width } = encoding.covariates[which]!
  // What stands there until a model fills it, and stays where the model has nothing to say.
  const neutral = feature.type === 'number' ? 0 : feature.type === 'boolean' ? 0.5 : 1 / width
  for (let row = 0; row < world.count; row++) {
    const seen = sees === 'truth' || world.observed[row * covariateCount + which] === 1
    block.observed[row * covariateCount + which] = seen ? 1 : 0
    for (let k = at; k < at + width; k++) {
      block.covariates[row * covariateWidth + k] = seen ? world.truth[row * covariateWidth + k]! : neutral
    }
  }
}

/** In the lab whoever is asked for a truth tells it at once. */
function answerAudit(
  engine: Engine,
  asks: Asker,
  draws: AuditDraws,
  world: WorldBlock,
  block: RoundBlock,
  row: number,
  number: number,
): void {
  const { covariateWidth, covariateCount } = engine.shape
  engine.encoding.covariates.forEach(({ at, width }, which) => {
    const flag = row * covariateCount + which
    if (asks(which, draws.ofRound(which, number), block, row) === 0) return
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
