// A key of every role.

import { newKey, type Role, readConfig, roles } from '../../dist/index.js'

export const secrets = Object.fromEntries(roles.map((role) => [role, newKey(role)])) as Record<
  Role,
  ReturnType<typeof newKey>
>
export const { keys } = readConfig({ keys: roles.map((role) => secrets[role].entry).join(' ') })
export const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
