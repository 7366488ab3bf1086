// Which rounds a state of the default was learnt from: those since the start that is in use.

import type { EpochState } from '@primo/core/engine'

export interface Memory {
  /** The first of them, counted from 0. */
  readonly since: number
  /** How many, whether closed or not. */
  readonly rounds: number
}

/** null: nothing was learnt, or the profile does not choose. */
export function memoryOf({ streams, start }: Pick<EpochState, 'streams' | 'start'>): Memory | null {
  if (streams === undefined) return null
  const { starts } = streams.rewards
  // The first of equal ones, as learning takes it.
  const { round } = starts.reduce((best, one) => (one.weight > best.weight ? one : best))
  return { since: round, rounds: start - round }
}
