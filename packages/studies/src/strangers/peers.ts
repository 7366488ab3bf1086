// The simple policies that the default is compared with: LinUCB (plug-in, with an indicator, interacted, without z)
// and LinTS, each with alpha 1 and .3, ridge 1 per action and an update after every reward; PRIMO and PRIMO-Cal.

import type { Problem } from '@primo/core'
import type { LinearPeer, Policy } from '../runner/play.js'

const RULES: readonly Omit<LinearPeer, 'kind' | 'alpha'>[] = [
  { name: 'LinUCB', rule: 'linucb', sees: 'world' },
  { name: 'LinUCB, indicator', rule: 'linucb', indicator: 'intercept', sees: 'world' },
  { name: 'LinUCB, interacted', rule: 'linucb', indicator: 'interacted', sees: 'world' },
  { name: 'LinUCB, no z', rule: 'linucb', sees: 'none' },
  { name: 'LinTS', rule: 'lints', sees: 'world' },
]

/** Without those that differ in their treatment of covariates where there are none. */
export function peersOf({ covariates }: Problem): readonly Policy[] {
  const blind = Object.keys(covariates).length === 0
  const rules = RULES.filter(({ sees, indicator }) => !blind || (sees === 'world' && indicator === undefined))
  return [
    ...rules.flatMap((rule) =>
      [1, 0.3].map((alpha): LinearPeer => ({ ...rule, name: `${rule.name}, ${alpha}`, kind: 'linear', alpha })),
    ),
    'primo',
    ...(blind ? [] : ['primo-cal']),
  ]
}

export function isPeer(name: string): boolean {
  return name === 'primo' || name === 'primo-cal' || RULES.some((rule) => name.startsWith(`${rule.name}, `))
}
