// Server-sent events over fetch, so that a key can be sent along; begins again when the connection breaks, or when nothing was heard
// for longer than the service is ever silent.

import { ServiceFailure } from './service.js'

export interface StreamListener {
  readonly onEvent: (event: string, data: unknown) => void
  readonly onState: (state: 'open' | 'broken', why?: string) => void
}

const FIRST_PAUSE = 300
/** Short: after a restart of the service the page is live again within seconds. */
const LONGEST_PAUSE = 2000
const SILENCE = 40_000

/** `open` asks for the stream. Returns what stops it. */
export function listen(
  open: (signal: AbortSignal) => Promise<Response>,
  { onEvent, onState }: StreamListener,
): () => void {
  const stop = new AbortController()
  let pause = FIRST_PAUSE
  async function once(): Promise<void> {
    const broken = new AbortController()
    const signal = AbortSignal.any([stop.signal, broken.signal])
    let watchdog: ReturnType<typeof setTimeout> | undefined
    const heard = () => {
      clearTimeout(watchdog)
      watchdog = setTimeout(() => broken.abort(), SILENCE)
    }
    try {
      heard()
      const reply = await open(signal)
      onState('open')
      pause = FIRST_PAUSE
      const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader()
      let rest = ''
      for (;;) {
        const { done, value } = await reader.read()
        if (done) return
        heard()
        const blocks = (rest + value).split('\n\n')
        rest = blocks.pop()!
        for (const block of blocks) tell(block, onEvent)
      }
    } finally {
      clearTimeout(watchdog)
    }
  }
  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      let why = 'The connection broke.'
      try {
        await once()
      } catch (error) {
        if (error instanceof ServiceFailure) why = error.message
      }
      if (stop.signal.aborted) return
      onState('broken', why)
      await new Promise((resolve) => setTimeout(resolve, pause))
      pause = Math.min(LONGEST_PAUSE, pause * 2)
    }
  }
  void run()
  return () => stop.abort()
}

export function tell(block: string, onEvent: StreamListener['onEvent']): void {
  let event = 'message'
  let data = ''
  for (const line of block.split('\n')) {
    if (line.startsWith('event: ')) event = line.slice(7)
    if (line.startsWith('data: ')) data += line.slice(6)
  }
  if (data !== '') onEvent(event, JSON.parse(data))
}
