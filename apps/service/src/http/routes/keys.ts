// Keys: made, listed, rotated and revoked while the service runs.

import { KeyInfo, KeyList, KeyName, KeyRotation, NewKey, NewKeyReply } from '@primo/contract'
import type { FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'
import type { StoredKey } from '../../ledger/stored-key.js'
import type { ServerParts } from '../server.js'

const KeyParams = Type.Object({ name: KeyName })
type KeyParams = Static<typeof KeyParams>

export function keyRoutes({ keys }: ServerParts) {
  return async (server: FastifyInstance): Promise<void> => {
    const config = { role: 'admin' as const }
    const change = { ...config, errors: ['unknown-key', 'key-conflict'] as const }
    const tags = ['keys']
    server.get(
      '/keys',
      {
        config,
        schema: {
          operationId: 'listKeys',
          summary: 'All keys, without their secrets',
          tags,
          response: { 200: KeyList },
        },
      },
      async () => ({ keys: keys.list().map(infoOf) }),
    )
    server.post<{ Body: NewKey }>(
      '/keys',
      {
        config: { ...config, errors: ['key-conflict'] },
        schema: {
          operationId: 'createKey',
          summary: 'Make a key',
          description: 'Its secret is shown in this answer only. After the first key every call needs one.',
          body: NewKey,
          response: { 201: NewKeyReply },
          tags,
        },
      },
      async (request, reply) => {
        const { name, role, problems = null, expires = null } = request.body
        const { key, secret } = await keys.add({ name, role, problems, expires })
        request.log.info({ key: name, role, problems, expires, by: request.actor }, 'key made')
        reply.code(201)
        return { ...infoOf(key), secret }
      },
    )
    server.post<{ Params: KeyParams; Body: KeyRotation }>(
      '/keys/:name/rotate',
      {
        config: change,
        schema: {
          operationId: 'rotateKey',
          summary: 'Give a key another secret',
          params: KeyParams,
          body: KeyRotation,
          response: { 200: NewKeyReply },
          tags,
        },
      },
      async (request) => {
        const { name } = request.params
        const { key, secret } = await keys.rotate(name, request.body.overlap ?? 0)
        request.log.info({ key: name, by: request.actor }, 'key rotated')
        return { ...infoOf(key), secret }
      },
    )
    server.delete<{ Params: KeyParams }>(
      '/keys/:name',
      {
        config: change,
        schema: {
          operationId: 'revokeKey',
          summary: 'Revoke a key',
          params: KeyParams,
          response: { 200: KeyInfo },
          tags,
        },
      },
      async (request) => {
        const { name } = request.params
        const key = await keys.revoke(name)
        request.log.info({ key: name, by: request.actor }, 'key revoked')
        return infoOf(key)
      },
    )
  }
}

function infoOf({ name, role, problems, expires, created, revoked }: StoredKey): KeyInfo {
  return { name, role, problems: problems === null ? null : [...problems], expires, created, revoked }
}
