// Whether the key of a request lets it do what it asks.

import type { FastifyRequest } from 'fastify'
import { ServiceError } from '../../ledger/service-error.js'
import { may } from '../../ledger/stored-key.js'
import type { KeyRing } from '../key-ring.js'
import type { Role } from '../keys.js'
import { bearer, heldBy } from './bearer.js'

/** Throws unauthorized or forbidden, else sets `actor`. By default for the problem of the path. */
export function authorize(
  keys: KeyRing,
  request: FastifyRequest,
  role: Role,
  problem = (request.params as { problem?: string }).problem,
): void {
  if (!keys.keyed()) return
  const secret = bearer(request)
  if (secret === null) throw new ServiceError('unauthorized', 'the header Authorization must be "Bearer KEY"')
  request.held ??= heldBy(keys, request)
  const { held } = request
  if (held.length === 0) throw new ServiceError('unauthorized', keys.whyNot(secret))
  const able = held.filter((key) => may(key.role, role))
  if (able.length === 0)
    throw new ServiceError(
      'forbidden',
      `this needs a key of role ${role}, got one of role ${held.map((key) => key.role).join(', ')}`,
    )
  const forSome = problem === undefined && request.routeOptions.config.forSome === true
  const key = able.find(
    ({ problems }) => problems === null || forSome || (problem !== undefined && problems.includes(problem)),
  )
  if (key === undefined)
    throw new ServiceError(
      'forbidden',
      `key "${able[0]!.name}" is for ${able[0]!.problems!.join(', ')} only, not for ${problem ?? 'what concerns all problems'}`,
    )
  request.actor = key.name
}

/** Whether a request that was let in still would be: its keys are looked up again. */
export function isStillAllowed(keys: KeyRing, request: FastifyRequest, problems: readonly string[]): boolean {
  try {
    request.held = null
    for (const problem of problems) authorize(keys, request, request.routeOptions.config.role!, problem)
    return true
  } catch (error) {
    if (error instanceof ServiceError) return false
    throw error
  }
}
