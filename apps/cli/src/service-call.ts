// Calls of a running service, with the key in PRIMO_KEY.

import type { ProblemDetails } from '@primo/contract'
import { UsageError } from './output.js'

export type Send = <T>(method: string, path: string, body?: object) => Promise<T>

export function sender(url: string): Send {
  const secret = process.env.PRIMO_KEY
  return async <T>(method: string, path: string, body?: object) => {
    const reply = await fetch(`${url.replace(/\/+$/, '')}${path}`, {
      method,
      headers: {
        ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: Error) => {
      throw new UsageError(`--url must be a service that answers, got ${url}: ${String(error.cause ?? error.message)}`)
    })
    const answer = (await reply.json()) as T | ProblemDetails
    if (!reply.ok) throw new UsageError((answer as ProblemDetails).detail)
    return answer as T
  }
}
