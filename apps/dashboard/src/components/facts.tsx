// Figures with their names.

import type { ReactNode } from 'react'
import { Term } from './tooltip.js'

/** A fact may carry what its name means. */
export type Fact = readonly [name: string, value: ReactNode, meaning?: string]

export function Facts({ facts }: { readonly facts: readonly Fact[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value, meaning]) => (
        <div key={name}>
          <dt>{meaning === undefined ? name : <Term meaning={meaning}>{name}</Term>}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
