// What each column of a dropped table is for: guessed by the lab, corrected by the reader, said as a spec.

import type { TableProfile, TableSpec } from '@primo/lab'

export const roles = {
  context: 'known beforehand',
  covariate: 'sometimes unknown',
  prediction: "a model's prediction of it",
  observed: '1 where it is known',
  reward: 'reward of an action',
  label: 'the right answer',
  out: 'left out',
} as const
export type Role = keyof typeof roles

export type Roles = Readonly<Record<string, Role>>

/** Of a dropped table: what is told to the page. */
export interface LookedAt {
  readonly file: string
  readonly rows: number
  readonly columns: readonly {
    readonly name: string
    readonly kind: string
    readonly missing: number
    readonly different: number
  }[]
  readonly spec: Partial<TableSpec>
}

export function lookedAt({ file, rows, columns, spec }: TableProfile): LookedAt {
  return {
    file,
    rows,
    columns: columns.map(({ name, kind, missing, different }) => ({ name, kind, missing, different })),
    spec,
  }
}

const LABEL = /^(y|label|class|target|answer|outcome|species|diagnosis)$/i
export const MOST_ACTIONS = 12

/** The lab's guess; where no column is a reward, a column with few values that is named like one is the right answer. */
export function guessedRoles({ columns, spec }: LookedAt): Roles {
  const covariates = [spec, ...(spec.others ?? [])].filter(({ covariate }) => covariate !== undefined)
  const label =
    (spec.rewards ?? []).length > 0
      ? undefined
      : columns.find(({ name, different, missing }) => LABEL.test(name) && missing === 0 && isFew(different))?.name
  const roleOf = (name: string): Role => {
    if (name === label) return 'label'
    if (spec.rewards?.includes(name) === true) return 'reward'
    for (const { covariate, prediction, observed } of covariates) {
      if (covariate === name) return 'covariate'
      if (prediction === name) return 'prediction'
      if (observed === name) return 'observed'
    }
    return spec.context?.includes(name) === true ? 'context' : 'out'
  }
  return Object.fromEntries(columns.map(({ name }) => [name, roleOf(name)]))
}

const isFew = (different: number) => different >= 2 && different <= MOST_ACTIONS

/** Why the table cannot be replayed like this; null: it can. */
export function rolesProblem({ columns }: LookedAt, given: Roles): string | null {
  const count = (role: Role) => Object.values(given).filter((one) => one === role).length
  if (count('context') === 0) return 'Choose at least one column that is known beforehand.'
  if (count('covariate') === 0) return 'Choose the column that is sometimes unknown.'
  if (count('covariate') > 1 && count('prediction') + count('observed') > 0)
    return 'With several unknown columns, leave predictions and flags out.'
  if (count('prediction') > 1 || count('observed') > 1) return 'One prediction and one flag are enough.'
  if (count('label') > 1) return 'Only one column can be the right answer.'
  if (count('label') === 1 && count('reward') > 0) return 'Choose either rewards of the actions or the right answer.'
  if (count('label') === 0 && count('reward') < 2)
    return 'Choose the rewards of at least two actions, or the column with the right answer.'
  const label = columns.find(({ name }) => given[name] === 'label')
  if (label !== undefined && !isFew(label.different))
    return `The right answer must have 2 to ${MOST_ACTIONS} different values, ${label.name} has ${label.different}.`
  return null
}

export interface ReplayPlan {
  readonly spec: TableSpec
  readonly label: string | null
  /** Share of the covariate's values to hide; 0: it is missing as it is. */
  readonly hide: number
}

export function planOf(looked: LookedAt, given: Roles, hide: number): ReplayPlan {
  const of = (role: Role) => looked.columns.map(({ name }) => name).filter((name) => given[name] === role)
  const [covariate = '', ...others] = of('covariate')
  const [prediction] = of('prediction')
  const [observed] = of('observed')
  const { dates, na } = looked.spec
  return {
    spec: {
      context: of('context'),
      covariate,
      ...(prediction === undefined ? {} : { prediction }),
      ...(observed === undefined ? {} : { observed }),
      ...(others.length === 0 ? {} : { others: others.map((name) => ({ covariate: name })) }),
      ...(of('reward').length === 0 ? {} : { rewards: of('reward') }),
      ...(dates === undefined ? {} : { dates: dates.filter((name) => given[name] === 'context') }),
      ...(na === undefined ? {} : { na }),
    },
    label: of('label')[0] ?? null,
    hide: isComplete(looked, given) ? hide : 0,
  }
}

/** Nothing of it is missing: some must be hidden to see what that costs. */
export function isComplete({ columns }: LookedAt, given: Roles): boolean {
  if (Object.values(given).includes('observed')) return false
  return columns.every(({ name, missing }) => given[name] !== 'covariate' || missing === 0)
}
