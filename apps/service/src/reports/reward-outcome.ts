// What became of a decision's reward, as the decision log says it (docs/log-format.md).

import type { ClosingRecord, RewardRecord } from '../ledger/records.js'
import type { StoredDecision } from '../ledger/store.js'

export interface RewardOutcome {
  readonly reward: number | null
  readonly rewardStatus: 'open' | 'closed' | 'default' | 'dropped' | 'late' | 'void'
  readonly rewardTime: number | null
}

export function rewardOutcome(
  { round, later }: Pick<StoredDecision, 'round' | 'later'>,
  aggregate: string | undefined,
): RewardOutcome {
  const closing = later.find(
    ({ kind, body }) =>
      kind === 'closing' || (kind === 'reward' && (JSON.parse(body) as RewardRecord).closes !== undefined),
  )
  const rewardTime = closing?.time ?? null
  switch (round.state) {
    case 'closed': {
      const byDefault = closing?.kind === 'closing' && (JSON.parse(closing.body) as ClosingRecord).default === true
      return { reward: round.value, rewardStatus: byDefault ? 'default' : 'closed', rewardTime }
    }
    case 'dropped': {
      const late = later.find(
        ({ kind, body }) => kind === 'reward' && (JSON.parse(body) as RewardRecord).answer === 'late',
      )
      if (late === undefined) return { reward: null, rewardStatus: 'dropped', rewardTime }
      return { reward: (JSON.parse(late.body) as RewardRecord).value, rewardStatus: 'late', rewardTime: late.time }
    }
    case 'void':
    case 'expired':
      return { reward: null, rewardStatus: 'void', rewardTime: null }
    default: {
      const soFar = aggregate === 'mean' ? round.value / round.arrivals : round.value
      return { reward: round.arrivals > 0 ? soFar : null, rewardStatus: 'open', rewardTime: null }
    }
  }
}
