// The columns of the reward model, group by group: the constant; every input; that a covariate is missing, and its imputation then;
// products of a covariate with the context and with another covariate; squares; products of two inputs of the context.

import type { Encoding } from '../problem/encoding.js'
import { type Group, groupsThatFit, type Term } from './columns.js'

export function rewardGroups(encoding: Encoding): readonly Group[] {
  const { context, covariates, contextWidth: p, actions } = encoding
  const inputs = [
    ...context.map((feature) => ({ ...feature, covariate: -1 })),
    ...covariates.map((feature, covariate) => ({ ...feature, at: p + feature.at, covariate })),
  ].flatMap(({ feature, at, width, covariate }, owner) =>
    Array.from({ length: width }, (_, k) => ({
      input: at + k,
      owner,
      covariate,
      isNumber: feature.type === 'number',
    })),
  )
  const pairs = inputs.flatMap((a, i) =>
    inputs.slice(i + 1).flatMap((b) => (a.owner === b.owner ? [] : [[a, b] as const])),
  )
  const product = ([a, b]: (typeof pairs)[number]): Term => ({ inputs: [a.input, b.input] })
  const groups: readonly Group[] = [
    { name: 'constant', share: 0.1, terms: [{ inputs: [] }] },
    { name: 'mains', share: 0.03, terms: inputs.map(({ input }) => ({ inputs: [input] })) },
    {
      name: 'missing',
      share: 0.03,
      terms: [
        ...covariates.map((_, gate) => ({ inputs: [], gate })),
        ...inputs.flatMap(({ input, covariate: gate }) => (gate < 0 ? [] : [{ inputs: [input], gate }])),
      ],
    },
    { name: 'products', share: 0.01, terms: pairs.filter(([, b]) => b.covariate >= 0).map(product) },
    {
      name: 'squares',
      share: 0.01,
      terms: inputs.flatMap(({ input, covariate, isNumber }) =>
        isNumber ? [{ inputs: [input, input], minus: 1, ...(covariate < 0 ? {} : { spread: covariate }) }] : [],
      ),
    },
    { name: 'context products', share: 0.01, terms: pairs.filter(([, b]) => b.covariate < 0).map(product) },
  ]
  return groupsThatFit(groups, actions.length)
}
