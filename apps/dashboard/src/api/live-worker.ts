// The hub in a worker that all tabs of a browser share. A tab that says nothing for a while is taken for gone.

import { createHub, type Wish } from './live-hub.js'

export type ToWorker = Wish | 'leave'

const GONE = 60_000

interface SharedScope {
  onconnect: ((event: MessageEvent) => void) | null
}

const join = createHub()

;(globalThis as unknown as SharedScope).onconnect = ({ ports: [port] }) => {
  const listener = join((told) => port!.postMessage(told))
  let timer: ReturnType<typeof setTimeout> | undefined
  port!.onmessage = ({ data }: MessageEvent<ToWorker>) => {
    clearTimeout(timer)
    if (data === 'leave') return listener.leave()
    listener.wish(data)
    timer = setTimeout(listener.leave, GONE)
  }
}
