// A card: a heading that says the finding, what it is made of beneath, tools at its right.

import type { ReactNode } from 'react'

interface CardProps {
  readonly id: string
  /** The finding. */
  readonly title: ReactNode
  /** What is shown and in which unit. */
  readonly note?: ReactNode
  readonly tools?: ReactNode
  /** As wide as the page. */
  readonly wide?: boolean
  readonly children?: ReactNode
}

export function Card({ id, title, note, tools, wide = false, children }: CardProps) {
  return (
    <section className={`card${wide ? ' wide' : ''}`} aria-labelledby={`${id}-title`} id={id}>
      <header>
        <div>
          <h2 id={`${id}-title`}>{title}</h2>
          {note === undefined ? null : <p className="note-line">{note}</p>}
        </div>
        {tools}
      </header>
      {children}
    </section>
  )
}
