// A labelled field of a form: its name, a hint, what is wrong with it.

import { type ReactNode, useId } from 'react'

interface FieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly error?: string | null
  /** The control, given its id and what describes it. */
  readonly children: (control: { readonly id: string; readonly 'aria-describedby'?: string }) => ReactNode
}

export function Field({ label, hint, error = null, children }: FieldProps) {
  const id = useId()
  const described = hint !== undefined || error !== null ? { 'aria-describedby': `${id}-hint` } : {}
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({ id, ...described })}
      {error !== null ? (
        <span className="error" id={`${id}-hint`}>
          {error}
        </span>
      ) : hint !== undefined ? (
        <span className="hint" id={`${id}-hint`}>
          {hint}
        </span>
      ) : null}
    </div>
  )
}
