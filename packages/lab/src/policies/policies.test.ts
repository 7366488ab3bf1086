// Every policy of the catalogue runs on every kind of world, and sees only what it may.

import { expect, it } from 'vitest'
import { createEnvironment } from '../environments/scenario.js'
import { scenarioFromName } from '../environments/scenario-name.js'
import { checkPolicy } from '../laws/policy-laws.js'
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

function run(scenario: string, policy: string) {
  const environment = createEnvironment(scenarioFromName(scenario))
  const world = [...worldOf(environment, 5, 600)]
  return runPolicy({ spec: policyByName(policy, settingOf(environment)), problem: environment.problem, world, seed: 5 })
}

it.each(all)('%s keeps the laws of a policy', (policy) => checkPolicy(policy))

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
