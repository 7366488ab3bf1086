// Policies as people read them, by the names that the service knows.

import type { ProblemDefinition } from '@primo/contract'

const WORDS = {
  robust: 'Primo (robust), learnt from this log',
  'primo-cal': 'corrected as in the paper (primo-cal)',
  primo: 'the model uncorrected (primo)',
  uniform: 'choosing at random',
} as const

export const learntPolicies = Object.keys(WORDS) as (keyof typeof WORDS)[]

export function policyWords(policy: string, { labels = {} }: Pick<ProblemDefinition, 'labels'>): string {
  if (policy === 'logged') return 'what was played'
  if (!policy.startsWith('fixed:')) return (WORDS as Readonly<Record<string, string>>)[policy] ?? policy
  const action = policy.slice('fixed:'.length)
  return `always ${labels[action] ?? action}`
}
