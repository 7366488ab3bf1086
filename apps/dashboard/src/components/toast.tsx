// What just happened, said at the edge of the page and to screen readers; it goes by itself, failures stay longer.

import { useSyncExternalStore } from 'react'
import { IconButton } from './button.js'
import { Icon } from './icon.js'

interface Said {
  readonly id: number
  readonly text: string
  readonly bad: boolean
}

const LASTS = { good: 6000, bad: 15_000 } as const

let said: readonly Said[] = []
let count = 0
const listeners = new Set<() => void>()

function change(next: readonly Said[]): void {
  said = next
  for (const listener of listeners) listener()
}

/** Says it; `bad`: it went wrong. */
export function say(text: string, bad = false): void {
  const id = ++count
  change([...said.slice(-3), { id, text, bad }])
  setTimeout(() => unsay(id), bad ? LASTS.bad : LASTS.good)
}

function unsay(id: number): void {
  change(said.filter((one) => one.id !== id))
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => said)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, text, bad }) => (
        <div key={id} className={`toast${bad ? ' bad' : ''}`}>
          <span className={bad ? 'bad' : 'good'}>
            <Icon name={bad ? 'warning' : 'check'} />
          </span>
          <p>{text}</p>
          <IconButton icon="close" label="Close this message" onClick={() => unsay(id)} />
        </div>
      ))}
    </div>
  )
}
