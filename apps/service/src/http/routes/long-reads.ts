// How many long reads run at once, by caller and in all: one key cannot take what is there for others.

import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../ledger/service-error.js'

interface LongReadLimits {
  /** What is counted, as the caller is told. */
  readonly what: string
  readonly perCaller: number
  readonly inAll: number
}

/** Counts a read until the returned function is called; throws too-many-reads. */
export type BeginLongRead = (request: FastifyRequest) => () => void

export function limitLongReads({ what, perCaller, inAll }: LongReadLimits): BeginLongRead {
  const running = new Map<string, number>()
  let all = 0
  return (request) => {
    const caller = request.actor === null ? request.ip : `key ${request.actor}`
    const own = running.get(caller) ?? 0
    if (own >= perCaller)
      throw new ServiceError('too-many-reads', `at most ${perCaller} ${what} run at once for one key, and ${own} do`)
    if (all >= inAll) throw new ServiceError('too-many-reads', `at most ${inAll} ${what} run at once, and ${all} do`)
    running.set(caller, own + 1)
    all++
    let ended = false
    return () => {
      if (ended) return
      ended = true
      all--
      const left = running.get(caller)! - 1
      if (left === 0) running.delete(caller)
      else running.set(caller, left)
    }
  }
}
