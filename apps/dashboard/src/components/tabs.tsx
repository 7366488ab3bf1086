// Ways between the parts of one thing: links, so that each has an address. And a choice among a few.

import { useEffect, useRef } from 'react'

interface TabsProps {
  readonly label: string
  readonly tabs: readonly { readonly href: string; readonly name: string; readonly here: boolean }[]
}

export function Tabs({ label, tabs }: TabsProps) {
  const nav = useRef<HTMLElement>(null)
  const here = tabs.find((tab) => tab.here)?.name
  // On a narrow window the tab that is open is in sight.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab is another place
  useEffect(() => {
    const open = nav.current?.querySelector<HTMLElement>('[aria-current]')
    if (nav.current !== null && open != null) nav.current.scrollLeft = open.offsetLeft - nav.current.offsetLeft - 48
  }, [here])
  return (
    <nav className="tabs" aria-label={label} ref={nav}>
      {tabs.map(({ href, name, here }) => (
        <a key={name} href={href} {...(here ? { 'aria-current': 'page' as const } : {})}>
          {name}
        </a>
      ))}
    </nav>
  )
}

interface SegmentsProps<T extends string> {
  readonly label: string
  readonly choices: readonly (readonly [T, string])[]
  readonly value: T
  readonly onChange: (value: T) => void
}

export function Segments<T extends string>({ label, choices, value, onChange }: SegmentsProps<T>) {
  return (
    <fieldset className="segments" aria-label={label} style={{ margin: 0 }}>
      {choices.map(([choice, name]) => (
        <button key={choice} type="button" aria-pressed={choice === value} onClick={() => onChange(choice)}>
          {name}
        </button>
      ))}
    </fieldset>
  )
}
