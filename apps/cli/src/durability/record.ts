// What the clients of a durability run remember: what they asked, and what was acknowledged.

export interface AskedDecision {
  readonly problem: string
  readonly eventId: string
  readonly body: unknown
  /** Text of the acknowledged reply; null: no answer came. */
  reply: string | null
}

export interface AskedReward {
  readonly problem: string
  readonly eventId: string
  readonly rewardId: string
  readonly value: number
  acknowledged: boolean
}

export interface ClientRecord {
  readonly decisions: Map<string, AskedDecision>
  readonly rewards: Map<string, AskedReward>
  /** Answers that contradict the contract. */
  readonly contradictions: string[]
}

export function newRecord(): ClientRecord {
  return { decisions: new Map(), rewards: new Map(), contradictions: [] }
}
