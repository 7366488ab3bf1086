// The secret that a caller shows, and the keys that it is one of.

import type { FastifyRequest } from 'fastify'
import type { StoredKey } from '../../ledger/stored-key.js'
import type { KeyRing } from '../key-ring.js'

export function bearer(request: FastifyRequest): string | null {
  const [scheme, secret] = (request.headers.authorization ?? '').split(' ')
  return scheme?.toLowerCase() === 'bearer' && secret !== undefined && secret !== '' ? secret : null
}

export function heldBy(keys: KeyRing, request: FastifyRequest): readonly StoredKey[] {
  const secret = bearer(request)
  return secret === null ? [] : keys.held(secret)
}
