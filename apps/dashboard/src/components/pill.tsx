// In which state something is: a word and a mark, told apart by colour and by form.

import type { ReactNode } from 'react'

export type Status = 'good' | 'learning' | 'warn' | 'bad' | 'frozen' | 'idle'

export function Pill({ status, children }: { readonly status: Status; readonly children: ReactNode }) {
  return <span className={`pill ${status}`}>{children}</span>
}

/** The mark alone, named for a screen reader. */
export function Dot({ status, label }: { readonly status: Status; readonly label: string }) {
  return <span className={`dot ${status}`} role="img" aria-label={label} title={label} />
}
