// Requests under way, so that a service that stops can wait for their answers.

import { once } from 'node:events'
import type { Server, ServerResponse } from 'node:http'

export interface RequestsUnderWay {
  /** Resolves when those of this moment are answered, or after so many milliseconds; whether they were. */
  readonly answered: (patience: number) => Promise<boolean>
}

export function watchRequests(server: Pick<Server, 'on'>): RequestsUnderWay {
  const open = new Set<ServerResponse>()
  server.on('request', (_, response: ServerResponse) => {
    open.add(response)
    response.once('close', () => open.delete(response))
  })
  return {
    answered: async (patience) => {
      const waiting = [...open].map((response) => once(response, 'close'))
      if (waiting.length === 0) return true
      let timer: NodeJS.Timeout | undefined
      const late = new Promise<false>((resolve) => {
        timer = setTimeout(resolve, patience, false)
      })
      const all = Promise.all(waiting).then(() => true)
      try {
        return await Promise.race([all, late])
      } finally {
        clearTimeout(timer)
      }
    },
  }
}
