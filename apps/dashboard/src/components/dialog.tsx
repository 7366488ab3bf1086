// A question before something is done. Escape and the first button leave all as it is.

import { type ReactNode, useEffect, useId, useRef } from 'react'
import { Button } from './button.js'

interface DialogProps {
  readonly title: string
  /** What will change. */
  readonly children: ReactNode
  /** What the button does, as a verb: "Freeze learning". */
  readonly action: string
  readonly danger?: boolean
  readonly busy?: boolean
  readonly onAction: () => void
  readonly onClose: () => void
}

export function Dialog({ title, children, action, danger = false, busy = false, onAction, onClose }: DialogProps) {
  const id = useId()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    const element = dialog.current!
    if (!element.open) element.showModal()
    return () => element.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <h2 id={id}>{title}</h2>
      {children}
      <footer>
        <Button onClick={onClose}>Leave as it is</Button>
        <Button kind={danger ? 'danger' : 'primary'} busy={busy} onClick={onAction}>
          {action}
        </Button>
      </footer>
    </dialog>
  )
}
