// Requests under way, so that a service that stops can wait for their answers. They are counted, not kept: a set of them would hold each
// in memory for as long as it takes to be collected twice, and deciding would cost a fifth more.

import type { Server, ServerResponse } from 'node:http'

export interface RequestsUnderWay {
  /** Resolves when those of this moment are answered, or after so many milliseconds; whether they were. Later ones are not waited for. */
  readonly answered: (patience: number) => Promise<boolean>
}

export function watchRequests(server: Pick<Server, 'on'>): RequestsUnderWay {
  let open = 0
  let isLast = false
  let tell: () => void = () => undefined
  const closed = () => {
    if (--open === 0) tell()
  }
  server.on('request', (_, response: ServerResponse) => {
    if (isLast) return
    open++
    response.on('close', closed)
  })
  return {
    answered: (patience) => {
      isLast = true
      if (open === 0) return Promise.resolve(true)
      return new Promise((resolve) => {
        const timer = setTimeout(resolve, patience, false)
        tell = () => {
          clearTimeout(timer)
          resolve(true)
        }
      })
    },
  }
}
