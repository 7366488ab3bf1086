// Laws of a policy, on three worlds of 400 rounds: a linear one, one with late rewards, and one without context.

import type { WorldBlock } from '../environments/environment.js'
import { createEnvironment } from '../environments/scenario.js'
import { scenarioFromName } from '../environments/scenario-name.js'
import { type PolicySetting, policyByName } from '../policies/catalog.js'
import type { OnlinePolicy } from '../policies/online-policy.js'
import type { PolicySpec } from '../policies/policy-spec.js'
import { settingOf } from '../runs/run-cell.js'
import { runPolicy } from '../simulation/run-policy.js'
import { worldOf } from '../simulation/simulate.js'
import { keep } from './law.js'

const ROUNDS = 400
const WORLDS = ['A', 'dosing?delay=30', 'bandit']

/** Runs the laws of a policy on yours; throws an error whose sentence names the first law that is broken. */
export function checkPolicy(policy: string | PolicySpec | OnlinePolicy): void {
  const who = `policy "${typeof policy === 'string' ? policy : policy.name}"`
  const specOf = (setting: PolicySetting) => (typeof policy === 'string' ? policyByName(policy, setting) : policy)
  for (const name of WORLDS) {
    const environment = createEnvironment(scenarioFromName(name))
    const spec = specOf(settingOf(environment))
    const run = (seed: number, change: (block: WorldBlock) => WorldBlock = (block) => block) => {
      const world = [...worldOf(environment, 5, ROUNDS)].map(change)
      const { regret, reward, floor, checkpoints } = runPolicy({ spec, problem: environment.problem, world, seed })
      const good = Number.isFinite(reward) && regret! >= 0 && regret! < Number.POSITIVE_INFINITY
      keep(who, `have a finite reward and a finite regret >= 0 in ${name}`, good, `${reward} and ${regret}`)
      const last = checkpoints.at(-1)
      keep(who, 'end its curve at its regret', last?.rounds === ROUNDS && last.regret === regret, last?.regret)
      return JSON.stringify({ regret, reward, floor, checkpoints })
    }
    const first = run(5)
    run(6)
    keep(who, 'play the same for the same seed, whatever was run before', run(5) === first, 'another run')
    if ('sees' in spec && spec.sees === 'truth') continue
    const hidden = (block: WorldBlock) => ({
      ...block,
      truth: block.truth.map((value, row) => (block.observed[row] === 1 ? value : 1e6)),
    })
    keep(
      who,
      'never see a value that is missing',
      run(5, hidden) === first,
      'another run where missing values are others',
    )
  }
}
