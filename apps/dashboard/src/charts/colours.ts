// Which colour means what: a policy keeps its colour in every chart, an action its own.

const COLOURS = 12

const POLICIES: Readonly<Record<string, number>> = {
  robust: 2,
  played: 2,
  primo: 4,
  uncorrected: 4,
  'primo-cal': 1,
  'sees-all-values': 5,
  'zero-fill': 8,
  'complete-case': 3,
  uniform: 11,
  baseline: 9,
}

/** What is neither a policy nor an action: by its place among the lines of its chart. */
export const seriesColor = (index: number) => `var(--series-${(index % COLOURS) + 1})`

/** By the action's place in the definition, so that it is the same in every view. */
export const actionColor = (index: number) => `var(--action-${(index % COLOURS) + 1})`

export const policyColor = (policy: string) => {
  const index = POLICIES[policy]
  return index === undefined ? 'var(--muted)' : `var(--series-${index})`
}

/** What nobody can do better than. */
export const LIMIT_COLOR = 'var(--muted)'
