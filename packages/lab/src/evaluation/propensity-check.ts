// Do the logged propensities describe what was played? For every action a, over all rows,
//   with every propensity known: (n_a - sum p_i(a)) / sqrt(sum p_i(a)(1 - p_i(a)))           counts against expectation;
//   with the played one only:    (mean of 1{a_i = a}/p_i - s_a) / its standard error          s_a: share of rows where a
// is eligible. Each is about standard normal when they do; the largest is judged against the number of actions.

import { normalDistribution } from '@primo/numeric'
import type { LoggedChoices } from './logged-choices.js'

interface ActionCheck {
  /** Index of the action. */
  readonly action: number
  readonly played: number
  /** How often it should have been played; null: not known. */
  readonly expected: number | null
  readonly z: number | null
}

/** Whether logged propensities describe what was played, action by action. */
export interface PropensityCheck {
  readonly method: 'counts' | 'inverse'
  readonly actions: readonly ActionCheck[]
  /** That a deviation this large comes by chance, over all actions (Bonferroni); null: it cannot be said. */
  readonly pValue: number | null
}

/** Compares logged propensities with what was played. */
export function checkPropensities(choices: LoggedChoices): PropensityCheck {
  const { rows, actions, action, propensities } = choices
  const complete = propensities !== null && !propensities.some(Number.isNaN)
  const played = new Float64Array(actions)
  for (let i = 0; i < rows; i++) played[action[i]!] = played[action[i]!]! + 1
  const checks = Array.from({ length: actions }, (_, a): ActionCheck => {
    const { expected, z } = complete ? byCounts(choices, a, played[a]!) : byInverse(choices, a)
    return { action: a, played: played[a]!, expected, z }
  })
  const tested = checks.flatMap(({ z }) => (z === null ? [] : [Math.abs(z)]))
  const largest = Math.max(0, ...tested)
  return {
    method: complete ? 'counts' : 'inverse',
    actions: checks,
    pValue: tested.length === 0 ? null : Math.min(1, tested.length * 2 * (1 - normalDistribution(largest))),
  }
}

function byCounts({ rows, actions, propensities }: LoggedChoices, a: number, played: number) {
  let expected = 0
  let variance = 0
  for (let i = 0; i < rows; i++) {
    const p = propensities![i * actions + a]!
    expected += p
    variance += p * (1 - p)
  }
  return { expected, z: variance > 0 ? (played - expected) / Math.sqrt(variance) : null }
}

function byInverse({ rows, actions, action, propensity, eligible }: LoggedChoices, a: number) {
  let sum = 0
  let square = 0
  for (let i = 0; i < rows; i++) {
    const expected = eligible === null ? 1 : eligible[i * actions + a]!
    const excess = (action[i] === a ? 1 / propensity[i]! : 0) - expected
    sum += excess
    square += excess * excess
  }
  const mean = sum / rows
  const variance = rows > 1 ? Math.max(0, square - rows * mean * mean) / (rows - 1) : 0
  return { expected: null, z: variance > 0 ? mean / Math.sqrt(variance / rows) : null }
}
