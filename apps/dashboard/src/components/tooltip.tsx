// A word on hover and on focus, beside what it explains, never outside the window.

import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react'

interface TooltipProps {
  readonly text: ReactNode
  /** Given the id of the text while it is shown. */
  readonly children: ReactNode
}

/** Wraps something that can be focused. */
export function Tooltip({ text, children }: TooltipProps) {
  const id = useId()
  const host = useRef<HTMLSpanElement>(null)
  const tip = useRef<HTMLSpanElement>(null)
  const [open, setOpen] = useState(false)
  useLayoutEffect(() => {
    const inner = host.current?.firstElementChild
    if (inner === null || inner === undefined) return
    if (open) inner.setAttribute('aria-describedby', id)
    else inner.removeAttribute('aria-describedby')
    if (!open || tip.current === null) return
    const at = inner.getBoundingClientRect()
    const own = tip.current.getBoundingClientRect()
    const left = Math.max(12, Math.min(innerWidth - own.width - 12, at.left + at.width / 2 - own.width / 2))
    const above = at.top - own.height - 6
    tip.current.style.left = `${left}px`
    tip.current.style.top = `${above > 8 ? above : at.bottom + 6}px`
  }, [open, id])
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: what is inside has the role
    <span
      ref={host}
      className="tooltip-host"
      onPointerEnter={() => setOpen(true)}
      onPointerLeave={() => setOpen(false)}
      onFocus={() => setOpen(true)}
      onBlur={() => setOpen(false)}
      onKeyDown={(event) => {
        if (event.key === 'Escape') setOpen(false)
      }}
    >
      {children}
      {open ? (
        <span ref={tip} className="tooltip" role="tooltip" id={id}>
          {text}
        </span>
      ) : null}
    </span>
  )
}

/** A word with its meaning. */
export function Term({ meaning, children }: { readonly meaning: ReactNode; readonly children: ReactNode }) {
  return (
    <Tooltip text={meaning}>
      <button type="button" className="term">
        {children}
      </button>
    </Tooltip>
  )
}
