// The columns that correct a pre-trained model: the constant; g~ and the context; what rows whose value was missing at the decision and
// became known later say beyond that; squares; cubes; products.

import { type Group, groupsThatFit, type Term } from '../model/columns.js'
import type { EncodedCovariate, Encoding } from '../problem/encoding.js'

/** Inputs are the covariate's columns of g~, then the context. */
export function imputerGroups({ context }: Encoding, { feature, width }: EncodedCovariate): readonly Group[] {
  const inputs = [{ feature, at: -width, width }, ...context].flatMap(({ feature: own, at, width: columns }, owner) =>
    Array.from({ length: columns }, (_, k) => ({ input: width + at + k, owner, isNumber: own.type === 'number' })),
  )
  const predictions = Array.from({ length: width }, (_, k) => k)
  // A probability has powers, a level that is there or not has none.
  const bent = inputs.filter(({ input, isNumber }) => isNumber || input < width)
  const products = inputs.flatMap((a, i) =>
    inputs.slice(i + 1).flatMap((b): Term[] => (a.owner === b.owner ? [] : [{ inputs: [a.input, b.input] }])),
  )
  return groupsThatFit(
    [
      { name: 'constant', share: 0.1, terms: [{ inputs: [] }] },
      { name: 'mains', share: 0.03, terms: inputs.map(({ input }) => ({ inputs: [input] })) },
      {
        name: 'missing',
        share: 0.03,
        terms: [{ inputs: [], gate: 0 }, ...predictions.map((input) => ({ inputs: [input], gate: 0 }))],
      },
      { name: 'squares', share: 0.01, terms: bent.map(({ input }) => ({ inputs: [input, input], minus: 1 })) },
      { name: 'cubes', share: 0.01, terms: bent.map(({ input }) => ({ inputs: [input, input, input] })) },
      { name: 'products', share: 0.01, terms: products },
    ],
    1,
  )
}
