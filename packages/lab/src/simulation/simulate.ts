// Runs one policy on one stream of rounds, in columns, with the engine and the policy kernel of the library: the same
// actions as a Learner that is given the same rounds one by one. Pseudo-regret: max_a mean - sum_a p_a mean_a.

import {
  BLOCK_ROUNDS,
  compilePolicy,
  drawKey,
  drawOfRound,
  type Engine,
  type EpochReport,
  type EpochState,
  endEpoch,
  epochQuota,
  initialState,
  Random,
  RoundStatus,
  RoundTable,
  seedKey,
} from '@primo/core'
import type { WorldBlock } from '../environments/environment.js'

export interface SimulationInput {
  readonly engine: Engine
  /** Blocks in order, BLOCK_ROUNDS rounds each but the last. */
  readonly world: Iterable<WorldBlock>
  readonly seed: number
  /** Show z* in every round: the oracle that sees z. */
  readonly seesCovariate?: boolean
  /** Also record the cumulative regret every so many rounds; default: only at powers of two and at the end. */
  readonly every?: number
  /** Called now and then with the number of rounds done. */
  readonly onProgress?: (rounds: number) => void
}

export interface Checkpoint {
  readonly rounds: number
  readonly regret: number
}

export interface SimulationResult {
  readonly rounds: number
  readonly regret: number
  readonly reward: number
  /** Cumulative regret after 1, 2, 4, ... rounds, as often as asked for, and at the end. */
  readonly checkpoints: readonly Checkpoint[]
  readonly epochs: readonly EpochReport[]
  readonly state: EpochState
}

export function simulate(input: SimulationInput): SimulationResult {
  const { engine, seed, seesCovariate = false, every = Number.POSITIVE_INFINITY, onProgress } = input
  const root = seedKey(seed)
  const key = drawKey(root)
  const random = new Random(root)
  const table = new RoundTable(engine.shape)
  const actions = engine.encoding.actions.length
  let state = initialState(engine.shape.covariateCount)
  let policy = compilePolicy(engine, state)
  let quota = epochQuota(state, engine)
  let regret = 0
  let reward = 0
  let round = 0
  let nextPower = 1
  let nextMark = every
  const checkpoints: Checkpoint[] = []
  for (const world of input.world) {
    const count = world.noise.length
    for (let row = 0; row < count; row++) {
      // Rewards come at once here, so decided and closed rounds are the same number.
      if (round >= quota) {
        state = endEpoch(state, table, engine, round, random.split('epoch', state.epoch))
        policy = compilePolicy(engine, state)
        quota = epochQuota(state, engine)
      }
      table.append()
      const block = table.blocks[table.blocks.length - 1]!
      if (row === 0) showBlock(world, block, seesCovariate)
      const action = policy.decide(block, row, drawOfRound(key, round + 1))
      round++
      const { propensities } = policy
      let best = Number.NEGATIVE_INFINITY
      let expected = 0
      for (let a = 0, at = row * actions; a < actions; a++, at++) {
        const mean = world.means[at]!
        if (mean > best) best = mean
        expected += propensities[a]! * mean
      }
      regret += best - expected
      const value = world.means[row * actions + action]! + world.noise[row]!
      reward += value
      block.reward[row] = value
      block.arrivals[row] = 1
      block.status[row] = RoundStatus.closed
      if (round === nextPower || round === nextMark) {
        checkpoints.push({ rounds: round, regret })
        if (round === nextPower) nextPower *= 2
        if (round === nextMark) nextMark += every
      }
    }
    onProgress?.(round)
  }
  if (checkpoints.at(-1)?.rounds !== round) checkpoints.push({ rounds: round, regret })
  return { rounds: round, regret, reward, checkpoints, epochs: state.reports, state }
}

/** Copies what a policy may see of a block of the world: a missing value itself never enters the table. */
function showBlock(world: WorldBlock, block: RoundTable['blocks'][number], seesCovariate: boolean): void {
  block.context.set(world.context)
  block.pretrained.set(world.pretrained)
  for (let row = 0; row < world.observed.length; row++) {
    const seen = seesCovariate || world.observed[row] === 1
    block.observed[row] = seen ? 1 : 0
    block.covariates[row] = seen ? world.truth[row]! : 0
  }
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
