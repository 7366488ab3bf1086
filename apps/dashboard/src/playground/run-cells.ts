// One seed after the other, one policy after the other; each is told as soon as it is done.

import { createEnvironment, runPolicy, worldOf } from '@primo/lab'
import { policyOf, scenarioOf } from './settings.js'
import { type PlayedPolicy, playedPolicies, type Settings } from './world-settings.js'

export interface PlayedCell {
  readonly policy: PlayedPolicy
  readonly seed: number
  /** Cumulative regret at the marks, in the reward's units. */
  readonly marks: readonly number[]
  readonly regret: readonly number[]
  readonly floor: readonly number[]
}

const MARKS = 48

export function runCells(settings: Settings, seeds: readonly number[], tell: (cell: PlayedCell) => void): void {
  const environment = createEnvironment(scenarioOf(settings))
  const { rounds } = settings
  const every = Math.floor(rounds / MARKS)
  for (const seed of seeds) {
    const world = [...worldOf(environment, seed, rounds)]
    for (const policy of playedPolicies) {
      const { checkpoints } = runPolicy({
        spec: policyOf(policy, environment, settings.exploration),
        problem: environment.problem,
        world,
        seed,
        every,
      })
      // Powers of two are checkpoints as well; the curve needs only the even ones.
      const even = checkpoints.filter((mark) => mark.rounds % every === 0)
      tell({
        policy,
        seed,
        marks: even.map((mark) => mark.rounds),
        regret: even.map((mark) => mark.regret),
        floor: even.map((mark) => mark.floor ?? 0),
      })
    }
  }
}
