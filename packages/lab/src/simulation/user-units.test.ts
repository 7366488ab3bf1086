import { expect, test } from 'vitest'
import { policyByName } from '../policies/catalog.js'
import { policySetting } from '../runs/run-cell.js'
import { readTable } from '../tables/read-table.js'
import { fileOf } from '../tables/table-files.fixture.js'
import { tableWorld } from '../tables/table-world.js'
import { runPolicy } from './run-policy.js'

/** The same rounds, with the covariate in units of `scale` and rewards from `low` to `low + span`. */
async function rowOf(policy: string, scale: number, low: number, span: number) {
  const lines = Array.from({ length: 300 }, (_, i) => {
    const x = ((i * 37) % 101) / 50 - 1
    const z = ((i * 53) % 97) / 48 - 1
    const means = [0.5 + 0.4 * z, 0.5 - 0.4 * x]
    return [x, z * scale, i % 3 === 0 ? 1 : 0, 0.5 * scale * x, ...means.map((mean) => low + span * mean)].join(',')
  })
  const spec = {
    context: ['x'],
    covariate: 'z',
    observed: 'b',
    prediction: 'g',
    rewards: ['r0', 'r1'],
    means: ['r0', 'r1'],
    rewardRange: [low, low + span],
    ranges: { z: [-scale, scale] },
  } as const
  const table = await readTable(fileOf(`x,z,b,g,r0,r1\n${lines.join('\n')}\n`), spec)
  const world = tableWorld(table, spec)
  return runPolicy({
    spec: policyByName(policy, policySetting(world, undefined)),
    problem: world.problem,
    world: world.blocks,
    seed: 3,
  })
}

test.each(['uniform', 'primo-cal'])(
  'regret of %s is in the units of the reward, errors in those of the covariate',
  async (policy) => {
    const unit = await rowOf(policy, 1, 0, 1)
    const user = await rowOf(policy, 50, 10, 20)
    expect(unit.regret).toBeGreaterThan(1)
    expect(user.reward).toBeCloseTo(10 * 300 + 20 * unit.reward, 6)
    expect(user.regret).toBeCloseTo(20 * unit.regret!, 6)
    expect(user.checkpoints.map(({ regret }) => regret / 20)).toEqual(
      unit.checkpoints.map(({ regret }) => expect.closeTo(regret, 6)),
    )
    user.epochs.forEach((epoch, k) => {
      const same = unit.epochs[k]!
      expect(epoch.regret).toBeCloseTo(20 * same.regret!, 6)
      if (same.imputationError !== null) expect(epoch.imputationError).toBeCloseTo(50 * same.imputationError, 6)
      if (same.pretrainedError !== null) expect(epoch.pretrainedError).toBeCloseTo(50 * same.pretrainedError, 6)
    })
  },
)
