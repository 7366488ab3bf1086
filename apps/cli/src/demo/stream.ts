// The stream of a demo problem: the rounds of an environment as requests, with the truth behind each. A function of the
// scenario and the seed, so that a second start continues where the first one stopped and shadow baselines see the same rounds.

import type { DecisionBody } from '@primo/contract'
import type { Problem } from '@primo/core'
import { createEnvironment, type ScenarioSpec } from '@primo/lab'
import { BLOCK_ROUNDS } from '@primo/numeric'

export interface StreamRound {
  readonly request: DecisionBody
  /** The covariate's true value; shown only where it was observed. */
  readonly truth: number
  /** By action, in the reward's units. */
  readonly means: readonly number[]
  readonly rewards: readonly number[]
  /** Later rounds that are decided before the reward arrives. */
  readonly delay: number
}

export interface Stream {
  readonly problem: Problem
  readonly covariate: string
  readonly round: (index: number) => StreamRound
  /** Range of the mean reward: regrets are at most this. */
  readonly span: number
}

export function createStream(name: string, scenario: ScenarioSpec, seed: number, reason: string): Stream {
  const environment = createEnvironment(scenario)
  const { problem } = environment
  const covariate = Object.keys(problem.covariates)[0]!
  const features = Object.entries(problem.context)
  const { min, max } = problem.reward.mean ?? problem.reward
  let kept: { readonly block: number; readonly rounds: readonly StreamRound[] } | null = null

  function blockOf(index: number): readonly StreamRound[] {
    const rounds: StreamRound[] = []
    const { delay } = environment.block(seed, index, BLOCK_ROUNDS)
    environment.rows(seed, index, BLOCK_ROUNDS, (row, at) => {
      const context = features.map(([feature, { type, ...rest }], k) => {
        const value = row.x[k]!
        if (type === 'boolean') return [feature, value === 1]
        return [feature, type === 'category' ? (rest as { levels: readonly string[] }).levels[value]! : value]
      })
      rounds.push({
        request: {
          eventId: `${name}-${row.round + 1}`,
          context: Object.fromEntries(context),
          covariates: { [covariate]: row.observed ? row.z : null },
          predictions: { [covariate]: row.pretrained },
          ...(row.observed ? {} : { missing: { [covariate]: reason } }),
        },
        truth: row.z,
        means: Array.from(row.means),
        rewards: Array.from(row.rewards),
        delay: delay?.[at] ?? 0,
      })
    })
    return rounds
  }

  return {
    problem,
    covariate,
    span: max - min,
    round: (index) => {
      const block = Math.floor(index / BLOCK_ROUNDS)
      if (kept?.block !== block) kept = { block, rounds: blockOf(block) }
      return kept.rounds[index % BLOCK_ROUNDS]!
    },
  }
}

/** The number of the round behind an event id, from 0. */
export function roundOf(eventId: string): number {
  return Number(eventId.slice(eventId.lastIndexOf('-') + 1)) - 1
}

/** Expected loss against the best action, for one who plays with these propensities. */
export function regretOf(means: readonly number[], propensities: readonly number[]): number {
  let best = Number.NEGATIVE_INFINITY
  let expected = 0
  for (let a = 0; a < means.length; a++) {
    best = Math.max(best, means[a]!)
    expected += propensities[a]! * means[a]!
  }
  return best - expected
}
