// What every page has: sidebar with the ways to go, theme, messages. On a narrow window the sidebar is behind a button.

import { type ReactNode, useEffect, useState } from 'react'
import { IconButton } from '../components/button.js'
import { Icon, type IconName } from '../components/icon.js'
import { Toasts } from '../components/toast.js'
import { useTheme } from '../theme.js'
import './frame.css'

interface PageFrameProps {
  readonly here: 'overview' | 'playground' | null
  /** The problems, with search. */
  readonly problems?: ReactNode
  /** Who is signed in. */
  readonly foot?: ReactNode
  readonly children: ReactNode
}

const THEMES = { system: 'system', light: 'sun', dark: 'moon' } as const satisfies Record<string, IconName>

export function PageFrame({ here, problems, foot, children }: PageFrameProps) {
  const { theme, turn } = useTheme()
  const [open, setOpen] = useState(false)
  useEffect(() => {
    const close = () => setOpen(false)
    const press = ({ key }: KeyboardEvent) => {
      if (key === 'Escape') close()
    }
    addEventListener('hashchange', close)
    addEventListener('keydown', press)
    return () => {
      removeEventListener('hashchange', close)
      removeEventListener('keydown', press)
    }
  }, [])
  return (
    <div className="frame">
      <button type="button" className="skip" onClick={() => document.querySelector('main')?.focus()}>
        Skip to content
      </button>
      <header className="menu">
        <Brand />
        <IconButton icon="menu" label="Menu" onClick={() => setOpen(true)} />
      </header>
      {open ? (
        <button type="button" className="curtain" aria-label="Close the menu" onClick={() => setOpen(false)} />
      ) : null}
      <aside className={`sidebar${open ? ' open' : ''}`} aria-label="Ways to go">
        <Brand />
        <nav aria-label="Pages">
          <SideLink href="./#/" icon="overview" name="All problems" here={here === 'overview'} />
          <SideLink href="./playground.html" icon="play" name="Playground" here={here === 'playground'} />
          <SideLink href="./docs" icon="book" name="API reference" here={false} />
          {problems}
        </nav>
        <div className="side-foot">
          <span>{foot}</span>
          <IconButton icon={THEMES[theme]} label={`Theme: ${theme}`} onClick={turn} />
        </div>
      </aside>
      <main tabIndex={-1}>{children}</main>
      <Toasts />
    </div>
  )
}

function Brand() {
  return (
    <a className="brand" href="./#/">
      <svg viewBox="0 0 16 16" width="20" height="20" aria-hidden="true">
        <path d="M1 13 6 7l4 3 5-8" fill="none" stroke="currentColor" strokeWidth="2.2" strokeLinejoin="round" />
      </svg>
      Primo
    </a>
  )
}

interface SideLinkProps {
  readonly href: string
  readonly icon: IconName
  readonly name: string
  readonly here: boolean
}

function SideLink({ href, icon, name, here }: SideLinkProps) {
  return (
    <a className="side-link" href={href} {...(here ? { 'aria-current': 'page' as const } : {})}>
      <Icon name={icon} />
      <span className="name">{name}</span>
    </a>
  )
}
