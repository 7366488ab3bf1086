// What every page has: the way to the content, navigation, theme.

import type { ReactNode } from 'react'
import { useTheme } from './theme.js'

interface PageFrameProps {
  readonly links: readonly { readonly href: string; readonly name: string; readonly here: boolean }[]
  readonly tools?: ReactNode
  readonly children: ReactNode
}

export function PageFrame({ links, tools, children }: PageFrameProps) {
  const { theme, turn } = useTheme()
  return (
    <>
      <button type="button" className="skip" onClick={() => document.querySelector('main')?.focus()}>
        Skip to content
      </button>
      <header className="top">
        <a className="brand" href="./#/">
          Primo
        </a>
        <nav aria-label="Pages">
          {links.map(({ href, name, here }) => (
            <a key={href} href={href} {...(here ? { 'aria-current': 'page' as const } : {})}>
              {name}
            </a>
          ))}
        </nav>
        {tools}
        <button type="button" className="plain" onClick={turn}>
          Theme: {theme}
        </button>
      </header>
      <main tabIndex={-1}>{children}</main>
    </>
  )
}
