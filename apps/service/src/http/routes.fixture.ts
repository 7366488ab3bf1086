// Every route with the role it needs; null: none. Kept complete by the test of the OpenAPI document.

import type { Role } from '../../dist/index.js'
import { smallProblem } from '../running.fixture.js'

export type Route = readonly [method: string, path: string, role: Role | null, body?: unknown]
export const ROUTES: readonly Route[] = [
  ['GET', '/v1/problems', 'read'],
  ['PUT', '/v1/problems/{problem}', 'admin', smallProblem()],
  ['GET', '/v1/problems/{problem}', 'read'],
  ['DELETE', '/v1/problems/{problem}', 'admin'],
  ['POST', '/v1/problems/{problem}/decisions', 'decide', { context: { x: 0.5 } }],
  ['POST', '/v1/problems/{problem}/decisions/batch', 'decide', { decisions: [{ context: { x: 0.5 } }] }],
  ['GET', '/v1/problems/{problem}/decisions/{id}', 'read'],
  ['POST', '/v1/problems/{problem}/decisions/{id}/reward', 'reward', { value: 1 }],
  ['POST', '/v1/problems/{problem}/rewards/batch', 'reward', { rewards: [{ id: 'nobody', value: 1 }] }],
  ['POST', '/v1/problems/{problem}/decisions/{id}/reveal', 'reward', { covariates: { z: 1 } }],
  ['POST', '/v1/problems/{problem}/decisions/{id}/activate', 'decide', {}],
  ['POST', '/v1/problems/{problem}/decisions/{id}/void', 'decide', {}],
  ['GET', '/v1/problems/{problem}/epochs', 'read'],
  ['GET', '/v1/problems/{problem}/calibration', 'read'],
  ['GET', '/v1/problems/{problem}/elasticity', 'read'],
  ['GET', '/v1/problems/{problem}/summary', 'read'],
  ['GET', '/v1/problems/{problem}/history', 'read'],
  ['POST', '/v1/problems/{problem}/evaluations', 'read', { policies: ['uniform'] }],
  ['POST', '/v1/problems/{problem}/freeze', 'admin', {}],
  ['POST', '/v1/problems/{problem}/unfreeze', 'admin', {}],
  ['POST', '/v1/problems/{problem}/rollback', 'admin', { version: 0 }],
  ['GET', '/v1/problems/{problem}/log', 'read'],
  ['GET', '/v1/problems/{problem}/events', 'read'],
  ['DELETE', '/v1/problems/{problem}/subjects/{subject}', 'admin'],
  ['GET', '/v1/clock', 'read'],
  ['POST', '/v1/clock/confirm', 'admin', {}],
  ['GET', '/v1/keys', 'admin'],
  ['POST', '/v1/keys', 'admin', { name: 'somebody', role: 'read' }],
  ['POST', '/v1/keys/{name}/rotate', 'admin', {}],
  ['DELETE', '/v1/keys/{name}', 'admin'],
  ['POST', '/ofrep/v1/evaluate/flags/{problem}', 'decide', { context: { x: 0.5 } }],
  ['GET', '/livez', null],
  ['GET', '/readyz', null],
  ['GET', '/metrics', 'read'],
]
