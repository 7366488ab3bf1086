// A log of a policy that prefers by x among three actions, and the faults that can be planted in it.

import { Random } from '@primo/numeric'
import { type LogCell, type LogHeader, type LogRow, logHeader } from '../node.js'

export const header: LogHeader = logHeader({
  actions: ['low', 'medium', 'high'],
  context: {
    x: { type: 'number', min: 0, max: 1 },
    group: { type: 'category', levels: ['a', 'b', 'c'] },
  },
  covariates: { z: { type: 'number', min: -5, max: 5 } },
  reward: { min: 0, max: 1 },
})

export type Planted =
  | 'wrong propensities'
  | 'stale propensities'
  | 'duplicates'
  | 'drift'
  | 'leakage'
  | 'missing rewards'

export interface PlantedOptions {
  readonly rows: number
  readonly seed: number
  readonly fault?: Planted
  /** Log the played action's propensity only. */
  readonly playedOnly?: boolean
}

/** Faults spoil what is logged, never what happened. */
export function plantedLog({ rows, seed, fault, playedOnly = false }: PlantedOptions): LogRow[] {
  const random = Random.fromSeed(seed)
  const log: LogRow[] = []
  for (let k = 0; k < rows; k++) {
    const x = random.uniform()
    const z = random.normal() / 2
    const group = 'abc'[Math.floor(random.uniform() * 3)]!
    const played = preferences(x)
    const draw = random.uniform()
    const a = draw < played[0]! ? 0 : draw < played[0]! + played[1]! ? 1 : 2
    const reward = random.uniform() < 0.3 + 0.2 * a * x + 0.1 * Math.tanh(z) ? 1 : 0
    const lost = random.uniform() < (fault === 'missing rewards' && a === 2 ? 0.2 : 0.05)
    const time = 1_700_000_000_000 + 1000 * k
    const delay = Math.round(-5000 * Math.log(1 - random.uniform()))
    // Before a filter that sends a third of `low` to `high`; or what another x would have had.
    const logged =
      fault === 'wrong propensities'
        ? [played[0]! * 1.3, played[1]!, played[2]! - 0.3 * played[0]!]
        : fault === 'stale propensities'
          ? preferences(1 - x)
          : played
    const cells: Record<string, LogCell> = {
      decisionId: `d${k}`,
      time,
      action: header.actions[a]!,
      propensity: logged[a]!,
      propensities: playedOnly ? null : logged,
      reward: lost ? null : reward,
      rewardStatus: lost ? 'dropped' : 'closed',
      rewardTime: time + delay,
      'context.x': fault === 'drift' && k > 0.6 * rows ? 0.5 + x / 2 : x,
      'context.group': group,
      'covariate.z': fault === 'leakage' ? reward + random.normal() / 20 : random.uniform() < 0.7 ? z : null,
    }
    log.push(cells)
    if (fault === 'duplicates' && random.uniform() < 0.02)
      log.push(random.uniform() < 0.5 ? cells : { ...cells, decisionId: `again${k}` })
  }
  return log
}

function preferences(x: number): readonly number[] {
  const low = 0.25 + 0.35 * x
  const medium = 0.2
  return [low, medium, 1 - low - medium]
}
