// Logged decisions in columns, as the estimators read them: what was played, with which propensity, and what it brought.

import { PrimoError } from '@primo/numeric'

/** Logged decisions in columns: what was played, with which propensity, and what it brought. */
export interface LoggedChoices {
  readonly rows: number
  /** K, the number of actions. */
  readonly actions: number
  readonly action: Uint16Array
  /** p_i, of the action played. */
  readonly propensity: Float64Array
  /** r_i, in the user's units. */
  readonly reward: Float64Array
  /** What a reward can be. */
  readonly rewardRange: { readonly min: number; readonly max: number }
  /** Of every action, rows x K; NaN in rows where only the played one's is known; null: in all of them. */
  readonly propensities: Float64Array | null
  /** 1 where an action could have been played, rows x K; null: every action, always. */
  readonly eligible: Uint8Array | null
  /** 1 / P(its reward is seen), 0 where none came (r_i is then 0); absent: every row has a reward. */
  readonly seen?: Float64Array
}

/** pi(a | x_i) of a policy for every row and action, rows x K: what the policy would have done. */
export type TargetPropensities = Float64Array

/** Throws when columns do not fit together or a propensity cannot be one. */
export function checkChoices(choices: LoggedChoices, target: TargetPropensities): void {
  const { rows, actions, action, propensity, reward } = choices
  const refuse = (field: string, rule: string, value: unknown) => {
    throw new PrimoError('invalid-option', `${field} must be ${rule}, got ${String(value)}`, { field, value })
  }
  if (rows < 1) refuse('rows', 'at least 1', rows)
  for (const [field, column, length] of [
    ['action', action, rows],
    ['propensity', propensity, rows],
    ['reward', reward, rows],
    ['target', target, rows * actions],
  ] as const) {
    if (column.length !== length) refuse(field, `a column of ${length}`, column.length)
  }
  for (let i = 0; i < rows; i++) {
    const p = propensity[i]!
    if (!(p > 0 && p <= 1)) refuse(`propensity[${i}]`, 'in (0, 1]', p)
    if (!Number.isFinite(reward[i])) refuse(`reward[${i}]`, 'a finite number', reward[i])
    let sum = 0
    for (let a = 0; a < actions; a++) {
      const pi = target[i * actions + a]!
      if (!(pi >= 0)) refuse(`target[${i}]`, 'probabilities', pi)
      sum += pi
    }
    if (!(Math.abs(sum - 1) < 1e-6)) refuse(`target[${i}]`, 'probabilities that sum to 1', sum)
  }
}
