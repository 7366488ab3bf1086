// One panel: a heading that says the finding, what it is made of beneath.

import type { ReactNode } from 'react'

interface PanelProps {
  /** The finding. */
  readonly title: string
  /** What is shown and in which unit. */
  readonly note?: ReactNode
  readonly wide?: boolean
  readonly id: string
  readonly children: ReactNode
}

export function Panel({ title, note, wide = false, id, children }: PanelProps) {
  return (
    <section className={`card${wide ? ' wide' : ''}`} aria-labelledby={`${id}-title`} id={id}>
      <h2 id={`${id}-title`}>{title}</h2>
      {note === undefined ? null : <p className="quiet small">{note}</p>}
      {children}
    </section>
  )
}

export function Facts({ facts }: { readonly facts: readonly (readonly [string, ReactNode])[] }) {
  return (
    <dl className="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
