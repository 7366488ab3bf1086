// Every policy of the catalogue runs on every kind of world, and sees only what it may.

import { describe, expect, it } from 'vitest'
import type { WorldBlock } from '../environments/environment.js'
import { createEnvironment } from '../environments/scenario.js'
import { scenarioFromName } from '../environments/scenario-name.js'
import { settingOf } from '../runs/run-cell.js'
import { runPolicy } from '../simulation/run-policy.js'
import { worldOf } from '../simulation/simulate.js'
import { policyByName, policyNames } from './catalog.js'

const combined = [
  'linucb:calibrated',
  'lints:mean',
  'greedy:none',
  'epsilon-greedy:zero',
  'squarecb:calibrated',
  'squarecb:none',
  'linucb:indicator',
  'lints:truth',
]
const all = [...Object.keys(policyNames), ...combined]
const blind = all.filter((name) => !['sees-all-values', 'lints:truth'].includes(name))

function run(scenario: string, policy: string, change: (block: WorldBlock) => WorldBlock = (block) => block) {
  const environment = createEnvironment(scenarioFromName(scenario))
  const world = [...worldOf(environment, 5, 600)].map(change)
  return runPolicy({ spec: policyByName(policy, settingOf(environment)), problem: environment.problem, world, seed: 5 })
}

describe('every policy', () => {
  it.each(all)('%s runs in environment A, in dosing with delays, and in the bandit, with finite figures', (policy) => {
    for (const scenario of ['A', 'dosing?delay=30', 'bandit']) {
      const row = run(scenario, policy)
      expect(row.rounds).toBe(600)
      expect(Number.isFinite(row.regret)).toBe(true)
      expect(Number.isFinite(row.reward)).toBe(true)
      expect(row.regret).toBeGreaterThanOrEqual(0)
      expect(row.checkpoints.at(-1)).toEqual({ rounds: 600, regret: row.regret, floor: row.floor })
    }
  })

  it.each(blind)('%s never sees a value that is missing', (policy) => {
    const garbage = (block: WorldBlock) => ({
      ...block,
      truth: block.truth.map((value, row) => (block.observed[row] === 1 ? value : 1e6)),
    })
    const { epochs: _, ...hidden } = run('A', policy, garbage)
    const { epochs: __, ...plain } = run('A', policy)
    expect(hidden).toEqual(plain)
  })
})

it('learns nothing from rewards that have not arrived', () => {
  // With a delay beyond the horizon PRIMO stays uniform, so its regret is that of uniform play.
  expect(run('A?delay=100000', 'primo').regret).toBeCloseTo(run('A?delay=100000', 'uniform').regret!, 9)
})

it('refuses an unknown policy with the names there are', () => {
  const setting = settingOf(createEnvironment(scenarioFromName('A')))
  for (const name of ['thompson', 'igw:median', 'igw:mean:twice', '']) {
    expect(() => policyByName(name, setting)).toThrow(`got "${name}"`)
  }
})
