// The range that a reward class predicts inside.

import { invalidOption, requireFinite, requireOptions } from '@primo/numeric'

/** In units of the mean reward's range. */
export interface RewardClip {
  readonly min: number
  readonly max: number
}

/** Checks the option `oracle.clip`; null: predictions are not clipped. */
export function requireClip(clip: RewardClip | null): void {
  if (clip === null) return
  requireOptions('oracle.clip', clip, ['min', 'max'])
  requireFinite('oracle.clip.min', clip.min)
  requireFinite('oracle.clip.max', clip.max)
  if (clip.max <= clip.min) invalidOption('oracle.clip.max', `greater than min (${clip.min})`, clip.max)
}
