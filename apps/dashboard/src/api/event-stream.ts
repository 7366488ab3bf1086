// Server-sent events over fetch, so that a key can be sent along; begins again when the connection breaks.

import { answer, headers, ServiceFailure } from './service.js'

export interface StreamListener {
  readonly onEvent: (event: string, data: unknown) => void
  readonly onState: (state: 'open' | 'broken', why?: string) => void
}

const FIRST_PAUSE = 1000
const LONGEST_PAUSE = 15_000

/** Returns what stops it. */
export function listen(path: string, { onEvent, onState }: StreamListener): () => void {
  const stop = new AbortController()
  let pause = FIRST_PAUSE
  async function once(): Promise<void> {
    const reply = await answer(path, { headers: headers(), signal: stop.signal })
    onState('open')
    pause = FIRST_PAUSE
    const reader = reply.body!.pipeThrough(new TextDecoderStream()).getReader()
    let rest = ''
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      const blocks = (rest + value).split('\n\n')
      rest = blocks.pop()!
      for (const block of blocks) tell(block, onEvent)
    }
  }
  async function run(): Promise<void> {
    while (!stop.signal.aborted) {
      try {
        await once()
      } catch (error) {
        if (stop.signal.aborted) return
        onState('broken', error instanceof ServiceFailure ? error.message : 'The connection broke.')
      }
      if (stop.signal.aborted) return
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
