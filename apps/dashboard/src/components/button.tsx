// A button, or a link that looks like one. One that may not be pressed stays reachable and says why.

import type { ReactNode } from 'react'
import { Icon, type IconName } from './icon.js'
import { Tooltip } from './tooltip.js'

interface LookProps {
  readonly kind?: 'primary' | 'plain' | 'quiet' | 'danger'
  readonly small?: boolean
  readonly icon?: IconName
  readonly children: ReactNode
}

interface ButtonProps extends LookProps {
  readonly onClick?: () => void
  readonly submit?: boolean
  readonly busy?: boolean
  /** Why it may not be pressed now; null or absent: it may. */
  readonly unless?: string | null | undefined
}

function lookOf({ kind = 'plain', small = false }: Pick<LookProps, 'kind' | 'small'>): string {
  return `button${kind === 'plain' ? '' : ` ${kind}`}${small ? ' small' : ''}`
}

export function Button({ kind, small, icon, children, onClick, submit = false, busy = false, unless }: ButtonProps) {
  const refused = unless !== null && unless !== undefined
  const button = (
    <button
      type={submit ? 'submit' : 'button'}
      className={lookOf({ ...(kind === undefined ? {} : { kind }), ...(small === undefined ? {} : { small }) })}
      aria-disabled={refused || busy}
      onClick={(event) => {
        if (refused || busy) event.preventDefault()
        else onClick?.()
      }}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </button>
  )
  return refused ? <Tooltip text={unless}>{button}</Tooltip> : button
}

export function ButtonLink({ kind, small, icon, children, href }: LookProps & { readonly href: string }) {
  return (
    <a
      className={lookOf({ ...(kind === undefined ? {} : { kind }), ...(small === undefined ? {} : { small }) })}
      href={href}
    >
      {icon === undefined ? null : <Icon name={icon} />}
      {children}
    </a>
  )
}

interface IconButtonProps {
  readonly icon: IconName
  /** What it does; shown on hover. */
  readonly label: string
  readonly onClick: () => void
}

export function IconButton({ icon, label, onClick }: IconButtonProps) {
  return (
    <Tooltip text={label}>
      <button type="button" className="icon-button" aria-label={label} onClick={onClick}>
        <Icon name={icon} />
      </button>
    </Tooltip>
  )
}
