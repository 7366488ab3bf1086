// Going back leads to where one was: the scroll of every entry of the browser's history is kept, and set again once the
// page is long enough. A new path begins at the top; a change of a view's state does not move the page.

import { addressOf } from '../address.js'

const WAIT = 4000
const nameOf = (key: string) => `primo-scroll ${key}`

export function keepScroll(): void {
  history.scrollRestoration = 'manual'
  let path = addressOf(location.hash).path
  let key = ''
  let stopWaiting = () => {}
  const save = () => {
    if (key !== '') sessionStorage.setItem(nameOf(key), String(Math.round(scrollY)))
  }
  const enter = () => {
    stopWaiting()
    // The page is still where the entry that is left was; its last event may be on its way.
    save()
    const before = path
    path = addressOf(location.hash).path
    const known = (history.state as { key?: string } | null)?.key
    key = known ?? crypto.randomUUID?.() ?? String(Math.random())
    if (known === undefined) {
      history.replaceState({ key }, '')
      if (path !== before) scrollTo(0, 0)
      return
    }
    const top = Number(sessionStorage.getItem(nameOf(key)) ?? 0)
    if (path !== before || top !== scrollY) stopWaiting = scrollWhenLong(top)
  }
  enter()
  addEventListener('popstate', enter)
  addEventListener('scroll', save)
}

/** Returns what gives up. */
function scrollWhenLong(top: number): () => void {
  const look = () => {
    if (document.documentElement.scrollHeight < top + innerHeight) return
    scrollTo(0, top)
    stop()
  }
  const observer = new ResizeObserver(look)
  const timer = setTimeout(() => {
    scrollTo(0, top)
    stop()
  }, WAIT)
  const stop = () => {
    observer.disconnect()
    clearTimeout(timer)
    for (const event of GIVES_UP) removeEventListener(event, stop)
  }
  for (const event of GIVES_UP) addEventListener(event, stop, { passive: true })
  observer.observe(document.body)
  look()
  return stop
}

const GIVES_UP = ['wheel', 'touchstart', 'keydown'] as const
