// Where nothing is yet: why, and what to do.

import type { ReactNode } from 'react'

interface EmptyStateProps {
  readonly title: string
  readonly children: ReactNode
}

export function EmptyState({ title, children }: EmptyStateProps) {
  return (
    <section className="empty">
      <h2>{title}</h2>
      {children}
    </section>
  )
}
